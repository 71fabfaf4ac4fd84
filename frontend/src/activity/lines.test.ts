import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import { latencyShare, logRows, messageLines, messageWord, traceFilter } from "./lines";

const message = (change: Partial<api.Message>): api.Message => ({
  n: "1",
  serverId: "a",
  time: "2026-11-30T10:00:00.000Z",
  dir: "in",
  kind: "response",
  method: "tools/call",
  rpcId: "1",
  callId: "",
  pair: "0",
  era: "",
  summary: '{"text":"hello"}',
  bytes: 1,
  latencyMs: 0,
  http: 0,
  problem: "",
  ...change,
});

describe("messages", () => {
  const all = [message({}), message({ n: "2", serverId: "b" }), message({ n: "3", dir: "stderr", kind: "text" })];
  const found = (serverId: string, filter: string) => messageLines(all, { serverId, filter }).map((line) => line.n);

  it("are chosen by direction, kind and fault", () => {
    const some = [
      message({ n: "1", dir: "out", kind: "request" }),
      message({ n: "2" }),
      message({ n: "3", kind: "error" }),
      message({ n: "4", kind: "notification", http: 404 }),
    ];
    const of = (which: Parameters<typeof messageLines>[1]["which"]) =>
      messageLines(some, { serverId: "", filter: "", which }).map((line) => line.n);
    expect(of("all")).toEqual(["1", "2", "3", "4"]);
    expect(of("out")).toEqual(["1"]);
    expect(of("response")).toEqual(["2"]);
    expect(of("errors")).toEqual(["3", "4"]);
    expect(traceFilter({ serverId: "a", filter: " x ", which: "errors" })).toMatchObject({
      serverId: "a",
      errors: true,
      text: "x",
      dir: "",
      kind: "",
    });
  });

  it("also are those whose whole text was found, older ones too", () => {
    const page = [message({ n: "9" }), message({ n: "10", summary: "deep" })];
    const found = [message({ n: "2", summary: "cut" }), message({ n: "9" })];
    const lines = messageLines(page, { serverId: "", filter: "deep" }, found);
    expect(lines.map((line) => line.n)).toEqual(["2", "9", "10"]);
  });

  it("leave standard error to the server log", () => expect(found("", "")).toEqual(["1", "2"]));
  it("are those of one server", () => expect(found("b", "")).toEqual(["2"]));
  it("match every word of the filter", () => {
    expect(found("", "CALL hello")).toEqual(["1", "2"]);
    expect(found("", "call nothing")).toEqual([]);
  });

  it.each([
    [{ kind: "request" }, "tools/call"],
    [{ kind: "response" }, "result"],
    [{ kind: "error" }, "error"],
    [{ kind: "notification", method: "notifications/progress" }, "progress"],
    [{ kind: "noise" }, "noise"],
  ])("%j are called %s", (change, word) => expect(messageWord(message(change))).toBe(word));
});

describe("the server log", () => {
  it("puts standard error and notifications in the order of time", () => {
    const stderr = message({ dir: "stderr", summary: "later", time: "2026-11-30T10:00:02.000Z" });
    const log = { n: 1, serverId: "a", time: "2026-11-30T10:00:01.000Z", level: "info", logger: "db", text: "sooner" };
    const rows = logRows([stderr, message({})], [log], { serverId: "a", filter: "" });
    expect(rows.map((row) => row.text)).toEqual(["db: sooner", "later"]);
  });
});

describe("the latency bar", () => {
  it("grows with the time and stays within its box", () => {
    const widths = [0, 1, 80, 5000, 1e9].map(latencyShare);
    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect(widths[0]).toBe(0);
    expect(widths.at(-1)).toBe(100);
  });
});
