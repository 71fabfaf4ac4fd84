import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import { rowOf } from "../memory/world";
import { emptyConfig } from "../servers/config";
import { type AppState, emptyState, emptyView, keptMessages } from "./model";
import { applyBatch, applySnapshot } from "./reduce";

const server = (id: string, change: Partial<api.Server> = {}): api.Server => ({
  ...rowOf(id, { ...emptyConfig, name: id }),
  ...change,
});
const event = (seq: number, change: Partial<api.Event>): api.Event => ({
  seq: String(seq),
  type: "mcp:client:server",
  serverId: "a",
  ...change,
});
const ask = (id: string, change: Partial<api.Ask> = {}): api.Ask => ({
  id,
  serverId: "a",
  serverName: "a",
  endpoint: "",
  callId: "",
  callName: "",
  callEnded: false,
  arguments: "",
  mode: "form",
  message: "?",
  schema: "",
  url: "",
  host: "",
  sampling: "",
  openedAt: "",
  closed: false,
  outcome: "",
  reason: "",
  ...change,
});
const message = (n: number): api.Message => ({
  n: String(n),
  serverId: "a",
  time: "",
  dir: "in",
  kind: "response",
  method: "",
  rpcId: "",
  callId: "",
  pair: "0",
  era: "",
  summary: "",
  bytes: 0,
  latencyMs: 0,
  http: 0,
  problem: "",
});
const known: AppState = { ...emptyState, phase: "ready", seq: "10", servers: [server("a")], selectedServer: "a" };

describe("a batch", () => {
  it("drops an event that is older than the state", () => {
    const batch = { events: [event(10, { server: server("a", { detail: "old" }) })], dropped: 0 };
    const { state, gap } = applyBatch(known, batch);
    expect(state.servers[0]?.detail).toBe("Disconnected");
    expect(state.seq).toBe("10");
    expect(gap).toBe(false);
  });

  it("compares numbers beyond 2^53 exactly", () => {
    const big = { ...known, seq: "9007199254740993" };
    const stale = event(0, { seq: "9007199254740992", server: server("a", { detail: "old" }) });
    expect(applyBatch(big, { events: [stale], dropped: 0 }).state.servers[0]?.detail).toBe("Disconnected");
  });

  it("reports a gap that is not explained", () => {
    const events = [event(12, { server: server("a") })];
    expect(applyBatch(known, { events, dropped: 0 }).gap).toBe(true);
    expect(applyBatch(known, { events, dropped: 1 }).gap).toBe(false);
    expect(applyBatch(known, { events, dropped: 0, merged: 1 }).gap).toBe(false);
  });

  it("counts what was left out", () => {
    const { state } = applyBatch(known, { events: [event(14, { server: server("a") })], dropped: 3 });
    expect(state.dropped).toBe(3);
  });

  it("keeps the newest messages only", () => {
    const events = Array.from({ length: keptMessages + 5 }, (_, index) =>
      event(11 + index, { message: message(index) }),
    );
    const { state } = applyBatch(known, { events, dropped: 0 });
    expect(state.messages).toHaveLength(keptMessages);
    expect(state.messages.at(-1)?.n).toBe(String(keptMessages + 4));
  });

  it("removes a server with its view, its catalog and its asks, and selects another", () => {
    const state: AppState = {
      ...known,
      servers: [server("a"), server("b")],
      asks: [ask("1")],
      catalogs: { a: { version: "1", loading: false } },
      messages: [message(1), { ...message(2), serverId: "b" }],
    };
    const removed = event(11, { type: "mcp:client:removed", serverId: "a" });
    const next = applyBatch(state, { events: [removed], dropped: 0 }).state;
    expect(next.servers.map((row) => row.id)).toEqual(["b"]);
    expect(next.selectedServer).toBe("b");
    expect(next.asks).toEqual([]);
    expect(next.catalogs).toEqual({});
    expect(next.messages.map((line) => line.serverId)).toEqual(["b"]);
  });

  it("closes an ask that was answered elsewhere", () => {
    const state = { ...known, asks: [ask("1"), ask("2")] };
    const next = applyBatch(state, { events: [event(11, { ask: ask("1", { closed: true }) })], dropped: 0 }).state;
    expect(next.asks.map((open) => open.id)).toEqual(["2"]);
  });

  it("remembers what came of an address that an ended call needs, and what the server says later", () => {
    const visit = ask("1", { callId: "c", callEnded: true });
    const closing = (change: Partial<api.Ask>, state: AppState) =>
      applyBatch(state, { events: [event(11, { ask: { ...visit, closed: true, ...change } })], dropped: 0 }).state;
    const opened = closing({ outcome: "accept" }, { ...known, asks: [visit] });
    expect(opened.asks).toEqual([]);
    expect(opened.visits.c).toContain("opened");
    const done = closing({ outcome: "accept", reason: "The server says that this is done." }, { ...opened, seq: "10" });
    expect(done.visits.c).toBe("The server says that this is done.");
    expect(done.announcement).toContain("done");
  });

  it("opens the inbox for a new ask only where no window of its own is wanted", () => {
    const batch = { events: [event(11, { ask: ask("1") })], dropped: 0 };
    expect(applyBatch(known, batch).state.inbox.open).toBe(false);
    const inline = { ...known, settings: { ...known.settings, askWindow: "inline" } };
    const quiet = { ...known, settings: { ...known.settings, askWindow: "quiet" } };
    expect(applyBatch(quiet, batch).state.inbox.open).toBe(false);
    expect(applyBatch(quiet, batch).state.asks).toHaveLength(1);
    expect(applyBatch(inline, batch).state.inbox.open).toBe(true);
  });

  it("announces where a server ended up, not the steps on its way", () => {
    const step = server("a", { state: "connecting", detail: "Connecting" });
    const end = server("a", { state: "ready", detail: "Ready" });
    const onTheWay = applyBatch(known, { events: [event(11, { server: step })], dropped: 0 }).state;
    expect(onTheWay.announcement).toBe("");
    expect(applyBatch(onTheWay, { events: [event(12, { server: end })], dropped: 0 }).state.announcement).toBe(
      "a: Ready",
    );
  });

  it("counts updates of a resource", () => {
    const updated = (seq: number) => event(seq, { type: "mcp:client:updated", uri: "x://1" });
    const next = applyBatch(known, { events: [updated(11), updated(12)], dropped: 0 }).state;
    expect(next.updates["a\nx://1"]).toBe(2);
  });
});

describe("a trouble of the background", () => {
  const trouble = (message: string, count = 1) => ({ kind: "history", message, hint: "Make room.", count });
  const take = (state: AppState, n: number, message: string, count = 1) =>
    applyBatch(state, {
      events: [event(n, { type: "mcp:client:trouble", trouble: trouble(message, count) })],
      dropped: 0,
    }).state;

  it("is one row, said aloud once, until it is over", () => {
    const first = take(known, 11, "Disk full.");
    expect(first.announcement).toBe("Disk full.");
    const second = take({ ...first, announcement: "" }, 12, "Disk still full.", 2);
    expect(second.troubles).toEqual([trouble("Disk still full.", 2)]);
    expect(second.announcement).toBe("");
    expect(take(second, 13, "").troubles).toEqual([]);
  });
});

describe("a snapshot", () => {
  const snapshot: api.Snapshot = {
    seq: "20",
    servers: [server("b")],
    asks: [],
    calls: [],
    troubles: [],
    settings: emptyState.settings,
    about: emptyState.about,
    vault: emptyState.vault,
    scheme: emptyState.scheme,
  };

  it("keeps what the person wrote", () => {
    const drafts = { "tool:echo": { text: '{"text":"half"}', mode: "form" as const, revision: 0 } };
    const state: AppState = {
      ...known,
      views: { b: { ...emptyView, drafts } },
    };
    expect(applySnapshot(state, snapshot).views.b?.drafts).toEqual(drafts);
  });

  it("selects a server that exists", () => {
    expect(applySnapshot(known, snapshot).selectedServer).toBe("b");
  });

  it("forgets a call that is no longer running, and keeps an ended one", () => {
    const call = (id: string, outcome: string) => ({ id, outcome }) as api.Call;
    const state = { ...known, calls: { 1: call("1", "running"), 2: call("2", "done") } };
    expect(Object.keys(applySnapshot(state, snapshot).calls)).toEqual(["2"]);
  });
});
