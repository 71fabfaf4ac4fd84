import { Ellipsis, PanelLeft } from "lucide-react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { api } from "../backend";
import { ToolsTab } from "../call/ToolsTab";
import { DetailsTab } from "../details/DetailsTab";
import { HistoryTab } from "../history/HistoryTab";
import { PromptsTab } from "../prompts/PromptsTab";
import { ResourcesTab } from "../resources/ResourcesTab";
import { ConnectionPage } from "../servers/ConnectionPage";
import { FailureBanner } from "../servers/FailureBanner";
import { canConnect, hasCatalog, transportName } from "../servers/groups";
import { useLive } from "../servers/retry";
import { SignInBanner, SignInPage } from "../signin/SignInView";
import { useNow } from "../signin/useNow";
import { hasFailed, headline, isRunning } from "../signin/words";
import { type TabKey, useActions, useAppState, useServerView } from "../state";
import { Button, formatDuration, IconButton, Jack, jackState, Menu, type MenuEntry } from "../ui";
import { tabKeys } from "./keys";

export function ServerPane({ server }: { server: api.Server }) {
  const actions = useActions();
  const view = useServerView(server.id);
  return (
    <section className="pane" aria-label={server.name} data-pane="">
      <Tabs
        className="pane-tabs"
        keyboardActivation="manual"
        selectedKey={view.tab}
        onSelectionChange={(key) => {
          const tab = tabKeys.find((known) => known === key);
          if (tab) actions.selectTab(server.id, tab);
        }}
      >
        <Head server={server} />
        {hasCatalog(server) ? <Banner server={server} /> : null}
        {tabKeys.map((tab) => (
          <TabPanel key={tab} id={tab} className="pane-body">
            <TabBody tab={tab} server={server} />
          </TabPanel>
        ))}
      </Tabs>
    </section>
  );
}

/** Whether signing in is what this server waits for, so that it takes the place of connecting. */
const wantsSignIn = (server: api.Server): boolean => server.state === "authenticating" || isRunning(server.signIn);

/** Above lists that are known, whatever the tab: what the person has to do or to know. */
function Banner({ server }: { server: api.Server }) {
  if (wantsSignIn(server)) return <SignInBanner server={server} />;
  if (server.error) return <FailureBanner server={server} failure={server.error} />;
  return null;
}

function TabBody({ tab, server }: { tab: TabKey; server: api.Server }) {
  if (tab === "history") return <HistoryTab server={server} />;
  if (tab === "details") return <DetailsTab server={server} />;
  // What was loaded once stays in sight; only a server that never came so far shows how connecting goes instead.
  if (!hasCatalog(server))
    return wantsSignIn(server) ? <SignInPage server={server} /> : <ConnectionPage server={server} />;
  if (tab === "tools") return <ToolsTab server={server} />;
  if (tab === "prompts") return <PromptsTab server={server} />;
  return <ResourcesTab server={server} />;
}

const tabTitles: Record<TabKey, string> = {
  tools: "Tools",
  prompts: "Prompts",
  resources: "Resources",
  history: "History",
  details: "Details",
};

function Head({ server: row }: { server: api.Server }) {
  const server = useLive(row);
  const actions = useActions();
  const sidebarOpen = useAppState((state) => state.sidebarOpen);
  const { counts } = server;
  const numbers: Record<TabKey, number | undefined> = {
    tools: counts.tools,
    prompts: counts.prompts,
    resources: counts.resources + counts.templates,
    history: undefined,
    details: server.problems.length || undefined,
  };
  const known = hasCatalog(server);
  const state = jackState(server);
  const now = useNow(isRunning(server.signIn));
  const facts = factsOf(server, now);
  return (
    <header className="head">
      <div className="head-line">
        <IconButton label="Show the servers" size="small" onPress={() => actions.setSidebar(!sidebarOpen)}>
          <PanelLeft size={16} aria-hidden="true" />
        </IconButton>
        <Jack state={state} />
        <h1 className="clip" title={server.name}>
          {server.name}
        </h1>
        <span className="head-facts clip" data-state={state} title={facts}>
          {facts}
        </span>
        <span className="grow" />
        {canConnect(server) ? (
          <Button tone={server.state === "failed" ? "primary" : "plain"} onPress={() => actions.connect(server.id)}>
            {server.state === "failed" ? "Try again" : "Connect"}
          </Button>
        ) : (
          <Button tone="quiet" onPress={() => actions.disconnect(server.id)}>
            Disconnect
          </Button>
        )}
        <Menu
          label={`Actions for ${server.name}`}
          trigger={
            <Button tone="quiet" aria-label={`More actions for ${server.name}`} data-icon="">
              <Ellipsis size={16} aria-hidden="true" />
            </Button>
          }
          entries={menuOf(server, actions)}
        />
      </div>
      <TabList aria-label="Parts of this server" className="tabs">
        {tabKeys.map((tab) => (
          <Tab key={tab} id={tab} className="tab">
            {tabTitles[tab]}
            {numbers[tab] !== undefined && (known || tab === "details") ? (
              <span className="tab-count">{numbers[tab]}</span>
            ) : null}
          </Tab>
        ))}
      </TabList>
    </header>
  );
}

/** "Ready · Streamable HTTP · 2026-07-28 · 84 ms": the state, then what is known of the connection. */
function factsOf(server: api.Server, now: number): string {
  if (isRunning(server.signIn)) return headline(server.signIn, now);
  // Only as long as nothing else is known: what the last attempt came to.
  if (server.state === "authenticating" && hasFailed(server.signIn)) return headline(server.signIn, now);
  const live = ["ready", "connected", "discovering"].includes(server.state);
  const facts = [server.detail];
  if (live) {
    facts.push(transportName(server.actualTransport || server.transport), server.protocolVersion);
    if (server.latencyMs > 0) facts.push(formatDuration(server.latencyMs));
  }
  return facts.filter(Boolean).join(" · ");
}

function menuOf(server: api.Server, actions: ReturnType<typeof useActions>): MenuEntry[] {
  const { id } = server;
  const live = ["ready", "connected"].includes(server.state);
  return [
    { key: "refresh", label: "Load the lists again", disabled: !live, run: () => void actions.refresh(id) },
    {
      key: "diagnose",
      label: "Diagnose…",
      hint: "step by step",
      run: () => actions.openDialog({ kind: "diagnosis", serverId: id }),
    },
    { key: "edit", label: "Edit…", run: () => actions.openDialog({ kind: "edit", serverId: id }) },
    server.enabled
      ? {
          key: "disable",
          label: "Disable",
          hint: "not at the next start",
          run: () => void actions.setEnabled(id, false),
        }
      : { key: "enable", label: "Enable", run: () => void actions.setEnabled(id, true) },
    {
      key: "remove",
      label: "Remove…",
      danger: true,
      divided: true,
      run: () => actions.openDialog({ kind: "remove", serverId: id }),
    },
  ];
}
