/** Pure: how a snapshot and a batch of events change what is known. */
import type { api } from "../backend";
import { signInAnnouncement } from "../signin/words";
import { type AppState, keptLinks, keptLogs, keptMessages, type LogLine, updateKey } from "./model";

/** Takes a snapshot over. What belongs to the page (views, drafts, ended calls on show) stays. */
export function applySnapshot(state: AppState, snapshot: api.Snapshot): AppState {
  const calls = { ...state.calls };
  const running = new Set(snapshot.calls.map((call) => call.id));
  for (const [id, call] of Object.entries(calls)) {
    // A call that ended while nobody listened: its row is in the history, not here.
    if (call.outcome === "running" && !running.has(id)) delete calls[id];
  }
  for (const call of snapshot.calls) calls[call.id] = call;
  const selected = snapshot.servers.some((server) => server.id === state.selectedServer)
    ? state.selectedServer
    : (snapshot.servers[0]?.id ?? "");
  return {
    ...state,
    phase: "ready",
    failure: undefined,
    seq: snapshot.seq,
    servers: snapshot.servers,
    asks: snapshot.asks.filter((ask) => !ask.closed),
    calls,
    troubles: snapshot.troubles,
    settings: snapshot.settings,
    about: snapshot.about,
    vault: snapshot.vault,
    scheme: snapshot.scheme,
    links: withLink(state.links, snapshot.link),
    selectedServer: selected,
  };
}

export interface BatchOutcome {
  state: AppState;
  /** Events are missing: a new snapshot is due. */
  gap: boolean;
}

/**
 * Applies the events that are newer than the state. Events that the program left out on purpose (`dropped`) or replaced by
 * a later one (`merged`) explain a gap of that size; a larger one means that something was lost.
 */
export function applyBatch(state: AppState, batch: api.Batch): BatchOutcome {
  let next: AppState = { ...state, dropped: state.dropped + batch.dropped };
  let seq = BigInt(state.seq);
  let missing = 0n;
  const messages: api.Message[] = [];
  const logs: LogLine[] = [];
  for (const event of batch.events) {
    const at = BigInt(event.seq);
    if (at <= seq) continue;
    missing += at - seq - 1n;
    seq = at;
    if (event.message) messages.push(event.message);
    else if (event.log) logs.push(logLine(state, event, event.log, logs.length));
    else next = applyEvent(next, event);
  }
  next.seq = seq.toString();
  if (batch.vault) next.vault = batch.vault;
  next.links = withLink(next.links, batch.link);
  if (messages.length > 0) next.messages = appendCapped(next.messages, messages, keptMessages);
  if (logs.length > 0) next.logs = appendCapped(next.logs, logs, keptLogs);
  return { state: next, gap: missing > BigInt(batch.dropped + (batch.merged ?? 0)) };
}

function withLink(links: api.Link[], link: api.Link | undefined): api.Link[] {
  return link && links.length < keptLinks ? [...links, link] : links;
}

function logLine(state: AppState, event: api.Event, log: api.LogMessage, offset: number): LogLine {
  const last = state.logs.at(-1)?.n ?? 0;
  return { n: last + offset + 1, serverId: event.serverId, time: new Date().toISOString(), ...log };
}

function applyEvent(state: AppState, event: api.Event): AppState {
  if (event.type === "mcp:client:removed") return removeServer(state, event.serverId);
  if (event.server) return putServer(state, event.server);
  if (event.call) return { ...state, calls: { ...state.calls, [event.call.id]: event.call } };
  if (event.ask) return putAsk(state, event.ask);
  if (event.trouble) return putTrouble(state, event.trouble);
  if (event.uri) {
    const key = updateKey(event.serverId, event.uri);
    return { ...state, updates: { ...state.updates, [key]: (state.updates[key] ?? 0) + 1 } };
  }
  return state;
}

function putTrouble(state: AppState, trouble: api.Trouble): AppState {
  const others = state.troubles.filter((known) => known.kind !== trouble.kind);
  const known = others.length < state.troubles.length;
  return {
    ...state,
    troubles: trouble.message ? [...others, trouble] : others,
    announcement: trouble.message && !known ? trouble.message : state.announcement,
  };
}

function putServer(state: AppState, server: api.Server): AppState {
  const known = state.servers.find((row) => row.id === server.id);
  const servers = known
    ? state.servers.map((row) => (row.id === server.id ? server : row))
    : [...state.servers, server];
  const changed = known !== undefined && (known.state !== server.state || known.detail !== server.detail);
  return {
    ...state,
    servers,
    selectedServer: state.selectedServer || server.id,
    announcement:
      signInAnnouncement(known, server) ||
      (changed && settled(server) ? `${server.name}: ${server.detail}` : state.announcement),
  };
}

/** Steps on the way (connecting, discovering) are not worth an interruption. */
function settled(server: api.Server): boolean {
  return ["ready", "failed", "authenticating", "disconnected"].includes(server.state);
}

function removeServer(state: AppState, id: string): AppState {
  const servers = state.servers.filter((server) => server.id !== id);
  const { [id]: _view, ...views } = state.views;
  const { [id]: _catalog, ...catalogs } = state.catalogs;
  return {
    ...state,
    servers,
    views,
    catalogs,
    asks: state.asks.filter((ask) => ask.serverId !== id),
    saved: state.saved.filter((saved) => saved.serverId !== id),
    messages: state.messages.filter((message) => message.serverId !== id),
    logs: state.logs.filter((line) => line.serverId !== id),
    selectedServer: state.selectedServer === id ? (servers[0]?.id ?? "") : state.selectedServer,
  };
}

function putAsk(state: AppState, ask: api.Ask): AppState {
  const others = state.asks.filter((known) => known.id !== ask.id);
  if (ask.closed) {
    const said = ask.callEnded ? visitOutcome(ask) : "";
    return {
      ...state,
      asks: others,
      visits: said ? { ...state.visits, [ask.callId]: said } : state.visits,
      announcement: said ? `${ask.serverName}: ${said}` : state.announcement,
      inbox: { ...state.inbox, open: state.inbox.open && others.length > 0 },
    };
  }
  const known = others.length < state.asks.length;
  return {
    ...state,
    asks: known ? state.asks.map((old) => (old.id === ask.id ? ask : old)) : [...others, ask],
    // Without a window of its own the question has to show itself here.
    inbox: !known && state.settings.askWindow === "inline" ? { ...state.inbox, open: true } : state.inbox,
    announcement: known ? state.announcement : `${ask.serverName} asks: ${ask.message}`,
  };
}

function visitOutcome(ask: api.Ask): string {
  if (ask.reason) return ask.reason;
  if (ask.outcome === "accept") return "The page was opened. Run the call again when you are done there.";
  return "The page was not opened.";
}

function appendCapped<T>(items: T[], more: T[], cap: number): T[] {
  const all = items.concat(more);
  return all.length > cap ? all.slice(all.length - cap) : all;
}
