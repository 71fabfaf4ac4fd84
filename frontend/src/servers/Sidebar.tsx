import { Plus } from "lucide-react";
import { useState } from "react";
import { GridList, GridListHeader, GridListItem, GridListSection } from "react-aria-components";
import type { api } from "../backend";
import { isRunning } from "../signin/words";
import { useActions, useAppState } from "../state";
import { Button, IconButton, Jack, jackState, plural, SearchField } from "../ui";
import { VaultBadge } from "../vault/VaultBadge";
import { groupServers, rowDetail } from "./groups";
import { useLive } from "./retry";
import "./servers.css";

export function Sidebar() {
  const actions = useActions();
  const servers = useAppState((state) => state.servers);
  const selected = useAppState((state) => state.selectedServer);
  const waiting = useAppState((state) => state.asks.length);
  const [filter, setFilter] = useState("");
  const groups = groupServers(servers, filter);
  return (
    <nav
      className="side"
      aria-label="Servers"
      data-pane=""
      onKeyDown={(event) => {
        if (event.key === "Escape") actions.setSidebar(false);
      }}
    >
      <header className="side-head">
        <div className="grow">
          <SearchField label="Filter servers" icon value={filter} onChange={setFilter} />
        </div>
        <IconButton label="Add a server" tone="plain" onPress={() => actions.openDialog({ kind: "add" })}>
          <Plus size={14} aria-hidden="true" />
        </IconButton>
      </header>
      <div className="side-list">
        <GridList
          aria-label="Servers"
          selectionMode="single"
          selectionBehavior="replace"
          disallowEmptySelection
          selectedKeys={selected ? [selected] : []}
          onSelectionChange={(keys) => {
            const [key] = keys;
            if (typeof key === "string") actions.selectServer(key);
          }}
          renderEmptyState={() => <p className="side-empty">{emptyText(servers.length, filter)}</p>}
        >
          {groups.map((group) => (
            <GridListSection key={group.key} id={group.key}>
              <GridListHeader className="side-group">{group.title}</GridListHeader>
              {group.servers.map((server) => (
                <ServerRow key={server.id} server={server} />
              ))}
            </GridListSection>
          ))}
        </GridList>
      </div>
      <VaultBadge />
      <footer className="side-foot">
        <span className="grow clip">
          {waiting > 0
            ? `${plural(waiting, "request")} ${waiting === 1 ? "waits" : "wait"} for you`
            : "Nothing waits for you"}
        </span>
        <Button tone="quiet" size="small" onPress={() => actions.setInbox({ open: true })}>
          Inbox {waiting > 0 ? <b className="side-waiting">{waiting}</b> : null}
        </Button>
      </footer>
    </nav>
  );
}

function emptyText(known: number, filter: string): string {
  return known === 0 ? "No servers yet. Add one with +." : `No server matches “${filter}”.`;
}

function ServerRow({ server: row }: { server: api.Server }) {
  const server = useLive(row);
  const state = jackState(server);
  const detail = rowDetail(server);
  return (
    <GridListItem id={server.id} textValue={`${server.name}, ${detail}`} className="server-row" data-state={state}>
      <Jack state={state} />
      <span className="server-name clip" title={server.name}>
        {server.name}
      </span>
      <RowAction server={server} />
      <span className="server-detail clip" title={detail}>
        {detail}
      </span>
    </GridListItem>
  );
}

/** The one next step of a row; where there is none, how many tools it has. */
function RowAction({ server }: { server: api.Server }) {
  const actions = useActions();
  if (server.review) {
    return (
      <Button
        size="small"
        aria-label={`Review: ${server.name}`}
        onPress={() => actions.openDialog({ kind: "review", serverId: server.id })}
      >
        Review
      </Button>
    );
  }
  if (server.state === "failed") {
    return (
      <Button size="small" onPress={() => actions.connect(server.id)} aria-label={`Try again: ${server.name}`}>
        Try again
      </Button>
    );
  }
  if (server.state === "authenticating") {
    // An attempt under way is gone on with on the page of the server.
    if (isRunning(server.signIn)) return <span />;
    return (
      <Button
        size="small"
        aria-label={`Sign in: ${server.name}`}
        onPress={() => {
          actions.selectServer(server.id);
          void actions.signIn(server.id);
        }}
      >
        Sign in
      </Button>
    );
  }
  if (server.counts.tools === 0) return <span />;
  return (
    <span className="t3 small">
      <span aria-hidden="true">{server.counts.tools}</span>
      <span className="visually-hidden">{plural(server.counts.tools, "tool")}</span>
    </span>
  );
}
