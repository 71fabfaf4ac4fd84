/** Pure: how the end of a call is written. */
import type { api } from "../backend";

const words: Record<string, string> = {
  running: "Running",
  done: "Done",
  error: "The tool reported an error",
  failed: "Failed",
  timeout: "Ran out of time",
  cancelled: "Cancelled",
};

const marks: Record<string, string> = {
  running: "◐",
  done: "✓",
  error: "✕",
  failed: "✕",
  timeout: "✕",
  cancelled: "–",
};

export const outcomeWords = (call: Pick<api.Call, "outcome">): string => words[call.outcome] ?? call.outcome;
export const outcomeMark = (outcome: string): string => marks[outcome] ?? "·";

/** The values of the arguments in a line: "web · “Search forgets” · bug, search". */
export function argumentSummary(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text || "{}");
  } catch {
    return text;
  }
  if (typeof value !== "object" || value === null) return text;
  const parts = Object.values(value).map(part).filter(Boolean);
  return parts.length === 0 ? "no arguments" : parts.join(" · ");
}

function part(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value))
    return value.every((item) => typeof item !== "object") ? value.join(", ") : `${value.length} items`;
  if (typeof value === "object") return Object.values(value).map(part).filter(Boolean).slice(0, 2).join(", ");
  const text = String(value);
  return /\s/.test(text) ? `“${text}”` : text;
}
