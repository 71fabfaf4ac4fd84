import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type api, BackendError } from "../backend";
import { createMemoryBackend, type MemoryBackend } from "../memory/backend";
import { type App, createApp } from "./store";

let backend: MemoryBackend;
let app: App;
let stop: () => void;

const settle = () => vi.advanceTimersByTimeAsync(0);
const state = () => app.store.getState();

beforeEach(async () => {
  vi.useFakeTimers();
  backend = createMemoryBackend();
  app = createApp(backend);
  stop = app.actions.start();
  await settle();
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

describe("starting", () => {
  it("shows the servers, their catalogs and the messages so far", () => {
    expect(state().phase).toBe("ready");
    expect(state().catalogs.playground?.catalog?.tools.map((tool) => tool.name)).toContain("create_order");
    expect(state().catalogs.db).toBeUndefined();
    expect(state().messages.length).toBeGreaterThan(4);
  });

  it("says why, when the program gives no snapshot", async () => {
    const broken = createMemoryBackend();
    const failure = { code: "internal", message: "The database is newer.", hint: "" };
    vi.spyOn(broken, "ready").mockRejectedValue(new BackendError(failure));
    const other = createApp(broken);
    other.actions.start();
    await settle();
    expect(other.store.getState().phase).toBe("broken");
    expect(other.store.getState().failure?.message).toBe("The database is newer.");
  });

  it("applies batches that overtake the snapshot", async () => {
    let send: (batch: api.Batch) => void = () => undefined;
    let answer: (snapshot: api.Snapshot) => void = () => undefined;
    const slow = createMemoryBackend();
    vi.spyOn(slow, "onBatch").mockImplementation((listener) => {
      send = listener;
      return () => undefined;
    });
    vi.spyOn(slow, "ready").mockImplementation(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const other = createApp(slow);
    other.actions.start();
    const snapshot = await backend.snapshot();
    const row = { ...(snapshot.servers[0] as api.Server), detail: "Newer" };
    const seq = (BigInt(snapshot.seq) + 1n).toString();
    send({ events: [{ seq, type: "mcp:client:server", serverId: row.id, server: row }], dropped: 0 });
    answer(snapshot);
    await settle();
    expect(other.store.getState().servers[0]?.detail).toBe("Newer");
  });
});

describe("a gap in the events", () => {
  it("takes a new snapshot, once", async () => {
    let send: (batch: api.Batch) => void = () => undefined;
    vi.spyOn(backend, "onBatch").mockImplementation((listener) => {
      send = listener;
      return () => undefined;
    });
    const other = createApp(backend);
    other.actions.start();
    await settle();
    const { seq, servers } = other.store.getState();
    const snapshot = vi.spyOn(backend, "snapshot");
    const late = (by: bigint): api.Event => ({
      seq: (BigInt(seq) + by).toString(),
      type: "mcp:client:server",
      serverId: "files",
      server: servers[0],
    });
    send({ events: [late(3n)], dropped: 0 });
    send({ events: [late(6n)], dropped: 0 });
    await settle();
    expect(snapshot).toHaveBeenCalledTimes(1);
    send({ events: [late(9n)], dropped: 2 });
    await settle();
    expect(snapshot).toHaveBeenCalledTimes(1);
  });
});

describe("a call", () => {
  it("is on show while it runs and when it has ended", async () => {
    const ended = app.actions.call("playground", "tool", "echo", '{"text":"hello"}');
    const id = state().views.playground?.shown["tool:echo"] ?? "";
    expect(state().calls[id]?.outcome).toBe("running");
    await vi.advanceTimersByTimeAsync(200);
    expect((await ended).outcome).toBe("done");
    expect(state().calls[id]?.result).toContain("hello");
  });

  it("reports progress", async () => {
    const ended = app.actions.call("playground", "tool", "slow", '{"seconds":2,"steps":2}');
    const id = state().views.playground?.shown["tool:slow"] ?? "";
    await vi.advanceTimersByTimeAsync(1100);
    expect(state().calls[id]?.progress).toMatchObject({ progress: 1, total: 2 });
    await vi.advanceTimersByTimeAsync(1100);
    expect((await ended).outcome).toBe("done");
  });

  it("can be cancelled", async () => {
    const ended = app.actions.call("playground", "tool", "slow", "{}");
    const id = state().views.playground?.shown["tool:slow"] ?? "";
    await settle();
    await app.actions.cancelCall(id);
    expect((await ended).outcome).toBe("cancelled");
  });

  it("ends as a failure when the program refuses it", async () => {
    const ended = await app.actions.call("db", "tool", "query", "{}");
    expect(ended).toMatchObject({ outcome: "failed", error: { code: "connection_closed" } });
  });

  it("refused late does not undo what events said of its server", async () => {
    await app.actions.call("db", "tool", "query", "{}");
    expect(state().servers.find((server) => server.id === "db")?.state).toBe("failed");
  });
});

describe("what the person wrote", () => {
  it("survives losing the connection and connecting again", async () => {
    app.actions.setDraft("playground", "tool", "echo", '{"text":"half a sen');
    await app.actions.disconnect("playground");
    await app.actions.connect("playground");
    await vi.advanceTimersByTimeAsync(1000);
    expect(state().servers[0]?.state).toBe("ready");
    expect(state().views.playground?.drafts["tool:echo"]?.text).toBe('{"text":"half a sen');
  });

  it("starts over when a call of the history replaces it", () => {
    app.actions.setDraft("playground", "tool", "echo", "{}");
    app.actions.refill("playground", "tool", "echo", '{"text":"again"}');
    expect(state().views.playground).toMatchObject({
      tab: "tools",
      selected: { tool: "echo" },
      drafts: { "tool:echo": { text: '{"text":"again"}', revision: 1 } },
    });
  });
});

describe("a catalog", () => {
  it("is fetched again when its version changes", async () => {
    const catalog = vi.spyOn(backend, "catalog");
    await app.actions.refresh("tracker");
    await vi.advanceTimersByTimeAsync(1000);
    expect(catalog.mock.calls.map(([id]) => id)).toEqual(["tracker"]);
    expect(state().catalogs.tracker).toMatchObject({ version: "2", loading: false });
  });

  it("of an older version does not replace a newer one", async () => {
    const answers: ((catalog: api.Catalog) => void)[] = [];
    vi.spyOn(backend, "catalog").mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    const old = app.actions.fetchCatalog("tracker", "7");
    const fresh = app.actions.fetchCatalog("tracker", "8");
    const catalog = (version: string) => ({
      serverId: "tracker",
      version,
      tools: [],
      prompts: [],
      resources: [],
      templates: [],
    });
    answers[1]?.(catalog("8"));
    answers[0]?.(catalog("7"));
    await Promise.all([old, fresh]);
    expect(state().catalogs.tracker?.catalog?.version).toBe("8");
  });
});

describe("an action that fails", () => {
  it("leaves a notice with a next step", async () => {
    await app.actions.connect("gone");
    expect(state().notices).toMatchObject([{ text: "Connecting could not be started: There is no such server." }]);
    app.actions.dismissNotice(state().notices[0]?.id ?? 0);
    expect(state().notices).toEqual([]);
  });
});
