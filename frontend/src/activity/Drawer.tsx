import { ChevronDown, ChevronUp, Download } from "lucide-react";
import { useMemo } from "react";
import type { api } from "../backend";
import { type DrawerTab, type MessageFilter, useActions, useAppState } from "../state";
import {
  Button,
  formatBytes,
  formatClock,
  formatDuration,
  IconButton,
  Menu,
  SearchField,
  Segmented,
  Select,
} from "../ui";
import { LogTable } from "./LogTable";
import {
  arrow,
  directionWords,
  droppedText,
  latencyShare,
  logRows,
  messageLines,
  messageWord,
  problemRows,
  type Scope,
  traceFilter,
  whichMessages,
} from "./lines";
import { useFound } from "./useFound";
import "./activity.css";

export function Drawer() {
  const actions = useActions();
  const drawer = useAppState((state) => state.drawer);
  const messages = useAppState((state) => state.messages);
  const logs = useAppState((state) => state.logs);
  const servers = useAppState((state) => state.servers);
  const selected = useAppState((state) => state.selectedServer);
  const dropped = useAppState(droppedText);
  const { scope: scopeKind, filter, tab, which } = drawer;
  const scope = useMemo<Scope>(
    () => ({ serverId: scopeKind === "server" ? selected : "", filter, which }),
    [scopeKind, selected, filter, which],
  );
  const found = useFound(scope);
  const lines = useMemo(() => messageLines(messages, scope, found), [messages, scope, found]);
  const log = useMemo(() => logRows(messages, logs, scope), [messages, logs, scope]);
  const problems = useMemo(() => problemRows(servers, scope), [servers, scope]);
  const latest = lines.findLast((line) => line.latencyMs > 0);

  return (
    <section className="drawer" aria-label="Activity" data-pane="">
      <header className="drawer-head">
        <h2 className="drawer-title">Activity</h2>
        <Segmented<DrawerTab>
          label="What is shown"
          size="small"
          value={tab}
          onChange={(next) => actions.setDrawer({ tab: next, open: true })}
          options={[
            { key: "messages", label: "Messages" },
            { key: "log", label: "Server log" },
            { key: "problems", label: problems.length > 0 ? `Problems ${problems.length}` : "Problems" },
          ]}
        />
        <div className="drawer-filter">
          <SearchField
            label="Filter activity"
            placeholder="Filter"
            value={filter}
            onChange={(next) => actions.setDrawer({ filter: next })}
          />
        </div>
        <Segmented
          label="Whose activity"
          size="small"
          value={scopeKind}
          onChange={(next) => actions.setDrawer({ scope: next })}
          options={[
            { key: "server", label: "This server" },
            { key: "all", label: "All" },
          ]}
        />
        {tab === "messages" ? (
          <div className="drawer-which">
            <Select<MessageFilter>
              label="Which messages"
              hideLabel
              value={which}
              onChange={(next) => actions.setDrawer({ which: next })}
              options={whichMessages}
            />
          </div>
        ) : null}
        <Menu
          label="Export the activity"
          trigger={
            <Button tone="quiet" size="small" aria-label="Export the activity" data-icon="">
              <Download size={14} aria-hidden="true" />
            </Button>
          }
          entries={[
            {
              key: "jsonl",
              label: "Export as JSON lines…",
              hint: "everything in view",
              run: () => void actions.exportTrace(traceFilter(scope), "jsonl"),
            },
            {
              key: "har",
              label: "Export as HTTP Archive (HAR)…",
              hint: "what went over HTTP",
              run: () => void actions.exportTrace(traceFilter(scope), "har"),
            },
          ]}
        />
        <span className="grow" />
        {dropped ? <span className="t3 small">{dropped}</span> : null}
        {latest ? <span className="t3 small">last {formatDuration(latest.latencyMs)}</span> : null}
        <IconButton
          label={drawer.open ? "Fold the activity drawer" : "Open the activity drawer"}
          size="small"
          onPress={() => actions.setDrawer({ open: !drawer.open })}
        >
          {drawer.open ? <ChevronDown size={14} aria-hidden="true" /> : <ChevronUp size={14} aria-hidden="true" />}
        </IconButton>
      </header>
      {tab === "messages" ? (
        <LogTable
          key="messages"
          label="Messages"
          rows={lines}
          keyOf={(line) => line.n}
          textOf={(line) => `${directionWords(line.dir)} ${messageWord(line)} ${line.summary}`}
          empty={
            filter || which !== "all"
              ? "No message matches the filter."
              : "No messages yet. They appear as they cross the wire."
          }
          onOpen={(message) => actions.openDialog({ kind: "message", message })}
          render={(line) => (
            <MessageLine line={line} server={scope.serverId ? undefined : nameOf(servers, line.serverId)} />
          )}
        />
      ) : null}
      {tab === "log" ? (
        <LogTable
          key="log"
          label="Server log"
          rows={log}
          keyOf={(row) => row.key}
          textOf={(row) => `${row.level} ${row.text}`}
          empty="The server has written nothing to its log."
          onOpen={(row) => row.message && actions.openDialog({ kind: "message", message: row.message })}
          render={(row) => (
            <div className="line log-line" data-level={row.level}>
              <span className="t3">{formatClock(row.time)}</span>
              <span className="line-level">{row.level}</span>
              <span className="clip" title={row.text}>
                {scope.serverId ? "" : `${nameOf(servers, row.serverId)} · `}
                {row.text}
              </span>
            </div>
          )}
        />
      ) : null}
      {tab === "problems" ? (
        <LogTable
          key="problems"
          label="Problems"
          rows={problems}
          keyOf={(row) => row.key}
          textOf={(row) => `${row.subject} ${row.message}`}
          empty="No problems: what was received followed the specification."
          onOpen={(row) => {
            actions.selectServer(row.serverId);
            actions.selectTab(row.serverId, "details");
          }}
          render={(row) => (
            <div className="line problem-line">
              <span className="line-problem">{row.code}</span>
              <span className="clip">{scope.serverId ? row.subject : `${row.serverName} · ${row.subject}`}</span>
              <span className="clip t2" title={row.message}>
                {row.message}
              </span>
            </div>
          )}
        />
      ) : null}
    </section>
  );
}

const nameOf = (servers: api.Server[], id: string): string => servers.find((server) => server.id === id)?.name ?? "";

function MessageLine({ line, server }: { line: api.Message; server: string | undefined }) {
  return (
    <div className="line message-line" data-problem={line.problem ? "" : undefined} data-kind={line.kind}>
      <span className="t3">{formatClock(line.time)}</span>
      <span className="t3" aria-hidden="true">
        {arrow(line.dir)}
      </span>
      <span className="visually-hidden">{directionWords(line.dir)}</span>
      <span className="clip line-word">{messageWord(line)}</span>
      <span className="clip t2" title={line.problem ? `Problem: ${line.problem}` : undefined}>
        {server ? `${server} · ` : ""}
        {line.problem ? <span className="line-problem">{line.problem} </span> : null}
        {line.summary}
      </span>
      <span className="latency" title={line.latencyMs > 0 ? formatDuration(line.latencyMs) : undefined}>
        {line.latencyMs > 0 ? <span style={{ width: `${latencyShare(line.latencyMs)}%` }} /> : null}
      </span>
      <span className="t3 line-size">{formatBytes(line.bytes)}</span>
    </div>
  );
}
