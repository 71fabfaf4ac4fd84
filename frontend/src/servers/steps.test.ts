import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import { rowOf } from "../memory/world";
import { emptyConfig } from "./config";
import { connectionSteps } from "./steps";

const local = rowOf("a", { ...emptyConfig, transport: "stdio", command: "uvx" });
const remote = rowOf("b", { ...emptyConfig, url: "https://mcp.example.com" });

const outcomes = (server: api.Server, change: Partial<api.Server>) =>
  connectionSteps({ ...server, ...change }).map((step) => `${step.name}: ${step.outcome}`);

const failure = (code: string) => ({ state: "failed", error: { code, message: "m", hint: "" } });

describe("the steps of connecting", () => {
  it.each<[string, api.Server, Partial<api.Server>, string[]]>([
    [
      "a missing program",
      local,
      failure("command_not_found"),
      ["Find the program: failed", "Start it: open", "Say hello: open", "Load the lists: open"],
    ],
    [
      "a program that ended at once",
      local,
      failure("exited"),
      ["Find the program: done", "Start it: done", "Say hello: failed", "Load the lists: open"],
    ],
    [
      "a silent program",
      local,
      failure("connect_timeout"),
      ["Find the program: done", "Start it: done", "Say hello: failed", "Load the lists: open"],
    ],
    [
      "a program that ended later",
      local,
      { ...failure("exited"), protocolVersion: "2025-06-18" },
      ["Find the program: done", "Start it: done", "Say hello: done", "Load the lists: done", "Stay connected: failed"],
    ],
    [
      "an unreachable host",
      remote,
      failure("unreachable"),
      ["Reach the server: failed", "Say hello: open", "Load the lists: open"],
    ],
    [
      "a host that is not an MCP server",
      remote,
      failure("no_handshake"),
      ["Reach the server: done", "Say hello: failed", "Load the lists: open"],
    ],
    [
      "lists that do not come",
      remote,
      failure("discovery_timeout"),
      ["Reach the server: done", "Say hello: done", "Load the lists: failed"],
    ],
    [
      "a lost connection",
      remote,
      failure("connection_closed"),
      ["Reach the server: done", "Say hello: done", "Load the lists: done", "Stay connected: failed"],
    ],
    [
      "connecting",
      remote,
      { state: "connecting" },
      ["Reach the server: current", "Say hello: open", "Load the lists: open"],
    ],
    [
      "loading",
      local,
      { state: "discovering" },
      ["Find the program: done", "Start it: done", "Say hello: done", "Load the lists: current"],
    ],
    ["ready", remote, { state: "ready" }, ["Reach the server: done", "Say hello: done", "Load the lists: done"]],
    [
      "disconnected",
      remote,
      { state: "disconnected" },
      ["Reach the server: open", "Say hello: open", "Load the lists: open"],
    ],
  ])("with %s", (_name, server, change, expected) => {
    expect(outcomes(server, change)).toEqual(expected);
  });

  it("say how a program ended", () => {
    const steps = connectionSteps({
      ...local,
      state: "failed",
      error: { code: "exited", message: "m", hint: "", exitCode: 3 },
    });
    expect(steps.find((step) => step.outcome === "failed")?.detail).toBe("ended with status 3");
  });
});
