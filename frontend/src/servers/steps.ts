/** Pure: the steps of connecting, and how far a server came, told from its row. */
import type { api } from "../backend";

export interface Step {
  name: string;
  outcome: "done" | "current" | "failed" | "open";
  detail: string;
}

type Stage = "find" | "start" | "reach" | "hello" | "lists" | "stay";

const names: Record<Stage, string> = {
  find: "Find the program",
  start: "Start it",
  reach: "Reach the server",
  hello: "Say hello",
  lists: "Load the lists",
  stay: "Stay connected",
};

/** Where each code stops. A code that is not here stops at the hello: everything before it has a code of its own. */
const stops: Record<string, Stage> = {
  command_not_found: "find",
  unreachable: "reach",
  refused_url: "reach",
  discovery_timeout: "lists",
  connection_closed: "stay",
};

function stopOf(server: api.Server, code: string, stages: Stage[]): Stage {
  const connected = server.protocolVersion !== "";
  // The program ended: before the handshake it never answered, after it the connection was lost.
  if (code === "exited") return connected ? "stay" : "hello";
  if (code === "connect_timeout") return stages.includes("reach") ? "reach" : "hello";
  const stop = stops[code] ?? "hello";
  return stages.includes(stop) ? stop : "hello";
}

export function connectionSteps(server: api.Server): Step[] {
  const local = server.transport === "stdio";
  const stages: Stage[] = local ? ["find", "start", "hello", "lists"] : ["reach", "hello", "lists"];
  if (server.error && stopOf(server, server.error.code, [...stages, "stay"]) === "stay") stages.push("stay");

  const failedAt = server.error ? stages.indexOf(stopOf(server, server.error.code, stages)) : -1;
  const currentAt = failedAt >= 0 ? -1 : progressOf(server, stages);
  return stages.map((stage, index) => {
    const reached = failedAt >= 0 ? failedAt : currentAt;
    if (index < reached) return { name: names[stage], outcome: "done", detail: doneDetail(stage, server) };
    if (index === failedAt) return { name: names[stage], outcome: "failed", detail: failedDetail(server) };
    if (index === currentAt) return { name: names[stage], outcome: "current", detail: server.detail };
    return { name: names[stage], outcome: "open", detail: "" };
  });
}

function progressOf(server: api.Server, stages: Stage[]): number {
  if (server.state === "discovering" || server.state === "connected") return stages.indexOf("lists");
  if (server.state === "ready") return stages.length;
  return server.state === "connecting" ? 0 : -1;
}

function doneDetail(stage: Stage, server: api.Server): string {
  if (stage === "find") return server.command;
  if (stage === "start") return server.pid > 0 ? `process ${server.pid}` : "";
  if (stage === "reach") return server.endpoint;
  if (stage === "hello") return server.protocolVersion;
  return "";
}

function failedDetail(server: api.Server): string {
  const { error } = server;
  if (!error) return "";
  if (error.exitCode !== undefined) return `ended with status ${error.exitCode}`;
  return error.message;
}
