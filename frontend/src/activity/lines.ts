/** Pure: what the activity drawer shows. */
import type { api } from "../backend";
import type { AppState, LogLine } from "../state";
import { plural } from "../ui";

export interface Scope {
  /** "" for all servers. */
  serverId: string;
  filter: string;
}

const inScope = (scope: Scope, serverId: string): boolean => scope.serverId === "" || scope.serverId === serverId;

function matches(filter: string, ...texts: string[]): boolean {
  if (filter === "") return true;
  const all = texts.join(" ").toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

/** The messages of the wire; what a program writes to standard error is in the server log. */
export function messageLines(messages: api.Message[], scope: Scope): api.Message[] {
  return messages.filter(
    (message) =>
      message.dir !== "stderr" &&
      inScope(scope, message.serverId) &&
      matches(scope.filter, message.method, message.summary, message.kind, message.problem),
  );
}

export interface LogRow {
  key: string;
  serverId: string;
  time: string;
  level: string;
  text: string;
  message?: api.Message;
}

/** Standard error and log notifications, in the order of time. */
export function logRows(messages: api.Message[], logs: LogLine[], scope: Scope): LogRow[] {
  const stderr = messages
    .filter((message) => message.dir === "stderr" && inScope(scope, message.serverId))
    .map((message) => ({
      key: `m${message.n}`,
      serverId: message.serverId,
      time: message.time,
      level: "stderr",
      text: message.summary,
      message,
    }));
  const notifications = logs
    .filter((line) => inScope(scope, line.serverId))
    .map((line) => ({
      key: `l${line.n}`,
      serverId: line.serverId,
      time: line.time,
      level: line.level,
      text: line.logger ? `${line.logger}: ${line.text}` : line.text,
    }));
  return [...stderr, ...notifications]
    .filter((row) => matches(scope.filter, row.level, row.text))
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

export interface ProblemRow extends api.Problem {
  key: string;
  serverName: string;
}

export function problemRows(servers: api.Server[], scope: Scope): ProblemRow[] {
  return servers
    .filter((server) => inScope(scope, server.id))
    .flatMap((server) =>
      server.problems.map((problem, index) => ({
        ...problem,
        key: `${server.id}-${index}`,
        serverName: server.name,
      })),
    )
    .filter((row) => matches(scope.filter, row.code, row.subject, row.message));
}

export const arrow = (dir: string): string => (dir === "out" ? "→" : dir === "in" ? "←" : "·");
export const directionWords = (dir: string): string =>
  dir === "out" ? "sent" : dir === "in" ? "received" : "standard error";

/** "tools/call", "result", "error", "progress": what a line is, in a word. */
export function messageWord(message: api.Message): string {
  if (message.kind === "request") return message.method;
  if (message.kind === "response") return "result";
  if (message.kind === "notification") return message.method.replace(/^notifications\//, "");
  return message.kind;
}

/** Width of the latency bar in percent. Logarithmic, so that 5 ms and 5 s can be told apart in the same list. */
export function latencyShare(ms: number): number {
  if (ms <= 0) return 0;
  return Math.max(4, Math.min(100, (Math.log10(ms + 1) / Math.log10(60_000)) * 100));
}

export function droppedText(state: Pick<AppState, "dropped">): string {
  return state.dropped === 0 ? "" : `${plural(state.dropped, "line")} left out, the page was slow`;
}
