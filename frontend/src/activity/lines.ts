/** Pure: what the activity drawer shows. */
import type { api } from "../backend";
import type { AppState, LogLine, MessageFilter } from "../state";
import { plural } from "../ui";

export interface Scope {
  /** "" for all servers. */
  serverId: string;
  filter: string;
  which?: MessageFilter;
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
export function messageLines(messages: api.Message[], scope: Scope, found: api.Message[] = []): api.Message[] {
  const whole = new Set(found.map((message) => message.n));
  return merged(messages, found).filter(
    (message) =>
      message.dir !== "stderr" &&
      inScope(scope, message.serverId) &&
      isOf(scope.which ?? "all", message) &&
      // Those in found hold the text somewhere, also where a line does not show it.
      (whole.has(message.n) || matches(scope.filter, message.method, message.summary, message.kind, message.problem)),
  );
}

/** Both lists in order, each message once; where both have it, the first list's. */
function merged(messages: api.Message[], more: api.Message[]): api.Message[] {
  if (more.length === 0) return messages;
  const known = new Set(messages.map((message) => message.n));
  const rest = more.filter((message) => !known.has(message.n));
  return rest.length === 0 ? messages : [...messages, ...rest].sort((a, b) => Number(BigInt(a.n) - BigInt(b.n)));
}

function isOf(which: MessageFilter, message: api.Message): boolean {
  switch (which) {
    case "all":
      return true;
    case "out":
    case "in":
      return message.dir === which;
    case "errors":
      return message.kind === "error" || message.kind === "noise" || message.http >= 400 || message.problem !== "";
    default:
      return message.kind === which;
  }
}

export const whichMessages: { key: MessageFilter; label: string }[] = [
  { key: "all", label: "All messages" },
  { key: "out", label: "Sent" },
  { key: "in", label: "Received" },
  { key: "request", label: "Requests" },
  { key: "response", label: "Results" },
  { key: "notification", label: "Notifications" },
  { key: "errors", label: "Errors only" },
];

/** What the program is asked for, to find a text in whole messages and to export what is in view. */
export function traceFilter(scope: Scope): api.TraceFilter {
  const which = scope.which ?? "all";
  return {
    serverId: scope.serverId,
    callId: "",
    dir: which === "out" || which === "in" ? which : "",
    kind: which === "request" || which === "response" || which === "notification" ? which : "",
    method: "",
    errors: which === "errors",
    text: scope.filter.trim(),
    after: "0",
    limit: 500,
  };
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
