import { useEffect, useLayoutEffect } from "react";
import { Group, Panel, Separator, usePanelRef } from "react-resizable-panels";
import { Drawer } from "../activity/Drawer";
import { MessageDialog } from "../activity/MessageDialog";
import { DiagnosisDialog } from "../doctor/DiagnosisDialog";
import { Inbox } from "../inbox/Inbox";
import { Palette } from "../palette/Palette";
import { LinkDialog } from "../review/LinkDialog";
import { ReviewDialog } from "../review/ReviewDialog";
import { SaveDialog } from "../saved/SaveDialog";
import { RemoveDialog } from "../servers/RemoveDialog";
import { ServerDialog } from "../servers/ServerDialog";
import { Sidebar } from "../servers/Sidebar";
import { SettingsDialog } from "../settings/SettingsDialog";
import { SignOutDialog } from "../signin/AccountPanel";
import { useActions, useAppState } from "../state";
import { ForgetVaultDialog, SetPassphraseDialog, UnlockDialog } from "../vault/VaultDialogs";
import { KeysDialog } from "./KeysDialog";
import { useWindowKeys } from "./keys";
import { Notices } from "./Notices";
import { ServerPane } from "./ServerPane";
import { useTheme } from "./theme";
import { Welcome } from "./Welcome";
import "./shell.css";

export function Window() {
  useTheme();
  useWindowKeys();
  const phase = useAppState((state) => state.phase);
  useLayoutEffect(() => {
    if (phase !== "starting") document.getElementById("starting")?.remove();
  }, [phase]);
  if (phase === "starting") return null; // index.html shows the frame of the window
  if (phase === "broken") return <Broken />;
  return <Frame />;
}

/** The head of the drawer and one line: the newest message stays in sight. */
const foldedHeight = 53;

function Frame() {
  const actions = useActions();
  const drawer = useAppState((state) => state.drawer);
  const inboxOpen = useAppState((state) => state.inbox.open);
  const sidebarOpen = useAppState((state) => state.sidebarOpen);
  const server = useAppState((state) => state.servers.find((row) => row.id === state.selectedServer));
  const announcement = useAppState((state) => state.announcement);
  const panel = usePanelRef();

  useEffect(() => {
    if (drawer.open) panel.current?.expand();
    else panel.current?.collapse();
  }, [drawer.open, panel]);

  return (
    <div className="window" data-sidebar={sidebarOpen ? "open" : undefined}>
      <Group orientation="vertical">
        <Panel id="main" minSize="180px" className="frame">
          <Sidebar />
          <main className="stage">
            {server ? <ServerPane key={server.id} server={server} /> : <Welcome />}
            {inboxOpen ? <Inbox /> : null}
          </main>
        </Panel>
        {/* Named by its title: a label would make it content, which belongs to a part of the page and not between two. */}
        <Separator className="resizer" title="Drag to change the height of the activity drawer" />
        <Panel
          id="drawer"
          panelRef={panel}
          collapsible
          collapsedSize={`${foldedHeight}px`}
          minSize="76px"
          defaultSize="122px"
          groupResizeBehavior="preserve-pixel-size"
          onResize={(size) => {
            const open = size.inPixels > foldedHeight + 4;
            if (open !== drawer.open) actions.setDrawer({ open });
          }}
        >
          <Drawer />
        </Panel>
      </Group>
      <Dialogs />
      <Notices />
      <div role="status" className="visually-hidden">
        {announcement}
      </div>
    </div>
  );
}

function Dialogs() {
  const dialog = useAppState((state) => state.dialog);
  switch (dialog.kind) {
    case "add":
      return <ServerDialog />;
    case "edit":
      return <ServerDialog serverId={dialog.serverId} />;
    case "remove":
      return <RemoveDialog serverId={dialog.serverId} />;
    case "settings":
      return <SettingsDialog />;
    case "signOut":
      return <SignOutDialog serverId={dialog.serverId} forget={false} />;
    case "forgetRegistration":
      return <SignOutDialog serverId={dialog.serverId} forget />;
    case "review":
      return <ReviewDialog serverId={dialog.serverId} />;
    case "unlock":
      return <UnlockDialog />;
    case "passphrase":
      return <SetPassphraseDialog />;
    case "forgetVault":
      return <ForgetVaultDialog />;
    case "palette":
      return <Palette />;
    case "keys":
      return <KeysDialog />;
    case "diagnosis":
      return <DiagnosisDialog serverId={dialog.serverId} />;
    case "saveCall":
      return (
        <SaveDialog
          serverId={dialog.serverId}
          item={dialog.item}
          callKind={dialog.callKind}
          arguments={dialog.arguments}
        />
      );
    case "message":
      return <MessageDialog key={dialog.message.n} message={dialog.message} />;
    default:
      // A link waits until nothing else is open.
      return <LinkDialog />;
  }
}

/** The program did not give a first snapshot: nothing can be shown, so say why. */
function Broken() {
  const failure = useAppState((state) => state.failure);
  return (
    <main className="empty" role="alert">
      <h1>Jackfield could not start</h1>
      <p>{failure?.message}</p>
      <p>{failure?.hint}</p>
    </main>
  );
}
