import { useActions, useAppState } from "../state";
import type { CommandKey, Target } from "./entries";

/** Goes where an entry of the palette points. */
export function useTarget(): (target: Target) => void {
  const actions = useActions();
  const servers = useAppState((state) => state.servers);
  const selected = useAppState((state) => state.selectedServer);
  const saved = useAppState((state) => state.saved);
  const settings = useAppState((state) => state.settings);
  const drawerOpen = useAppState((state) => state.drawer.open);

  const commands: Record<CommandKey, () => unknown> = {
    add: () => actions.openDialog({ kind: "add" }),
    settings: () => actions.openDialog({ kind: "settings" }),
    keys: () => actions.openDialog({ kind: "keys" }),
    inbox: () => actions.setInbox({ open: true }),
    activity: () => actions.setDrawer({ open: !drawerOpen }),
    light: () => actions.saveSettings({ ...settings, theme: "light" }),
    dark: () => actions.saveSettings({ ...settings, theme: "dark" }),
    system: () => actions.saveSettings({ ...settings, theme: "system" }),
    connect: () => actions.connect(selected),
    disconnect: () => actions.disconnect(selected),
    refresh: () => actions.refresh(selected),
    diagnose: () => actions.openDialog({ kind: "diagnosis", serverId: selected }),
    edit: () => actions.openDialog({ kind: "edit", serverId: selected }),
    connectAll: () =>
      servers
        .filter((server) => server.enabled && ["disconnected", "failed"].includes(server.state))
        .map((server) => actions.connect(server.id)),
  };

  return (target) => {
    if (target.kind === "server") actions.selectServer(target.serverId);
    else if (target.kind === "item") actions.openItem(target.serverId, target.item, target.name);
    else if (target.kind === "saved") {
      const call = saved.find((known) => known.name === target.name);
      if (call) actions.openSaved(call);
    } else commands[target.command]();
  };
}
