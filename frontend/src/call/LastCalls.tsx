import { Check, CircleSlash, Clock, X } from "lucide-react";
import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { isObject, parseJson } from "../json/value";
import { type CallKind, useBackend } from "../state";
import { formatBytes, formatDuration, formatWhen } from "../ui";

interface Props {
  serverId: string;
  kind: CallKind;
  name: string;
  /** The call whose result is on show. */
  shown: api.Call | undefined;
  onPick: (call: api.Call) => void;
}

const kept = 6;

/** The last calls of one tool, from the history on disk: a click brings arguments and result back. */
export function LastCalls({ serverId, kind, name, shown, onPick }: Props) {
  const backend = useBackend();
  const [calls, setCalls] = useState<readonly api.Call[]>([]);
  const [failure, setFailure] = useState("");
  // Looked up again when a call of this tool ends.
  const ended = shown && shown.outcome !== "running" ? shown.id : "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: ended is the reason to ask again
  useEffect(() => {
    let gone = false;
    backend.history({ serverId, kind, name, text: "", pinned: false, before: "", limit: kept }).then(
      (found) => {
        if (gone) return;
        setCalls(found.filter((call) => call.outcome !== "running"));
        setFailure("");
      },
      (thrown) => gone || setFailure(failureOf(thrown).message),
    );
    return () => {
      gone = true;
    };
  }, [backend, serverId, kind, name, ended]);

  if (failure) return <p className="small failed-text">The last calls could not be loaded: {failure}</p>;
  if (calls.length === 0) return null;
  const now = new Date();
  return (
    <section className="last-calls small" aria-label="Last calls">
      <h3>Last calls</h3>
      <ul>
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              className="last-call"
              aria-current={call.id === shown?.id ? "true" : undefined}
              title={
                kind === "resource"
                  ? "Show what was read then"
                  : `${call.arguments || "{}"}\n\nFill the form with these arguments`
              }
              onClick={() => onPick(call)}
            >
              <Sign outcome={call.outcome} />
              <span className="grow clip">
                {kind === "resource" ? `${formatBytes(call.size) || "nothing"} read` : summary(call.arguments)}
              </span>
              <span className="t3 tabular">{formatDuration(call.durationMs)}</span>
              <span className="t3 when">{formatWhen(call.startedAt, now)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Sign({ outcome }: { outcome: string }) {
  const words =
    { done: "Done", error: "Error of the tool", timeout: "Timed out", cancelled: "Cancelled" }[outcome] ?? "Failed";
  const Icon = { done: Check, timeout: Clock, cancelled: CircleSlash }[outcome] ?? X;
  return <Icon size={13} className="sign" data-outcome={outcome} aria-label={words} role="img" />;
}

/** The values of the arguments in one line: `web · “Search forgets…” · bug, search`. */
export function summary(text: string): string {
  let value: unknown;
  try {
    value = parseJson(text || "{}");
  } catch {
    return text.slice(0, 120);
  }
  if (!isObject(value)) return text.slice(0, 120);
  const parts = Object.values(value).map(brief).filter(Boolean);
  return parts.length === 0 ? "no arguments" : parts.join(" · ").slice(0, 200);
}

function brief(value: unknown): string {
  if (typeof value === "string")
    return value === "" ? "“”" : /\s/.test(value) ? `“${value.replace(/\s+/g, " ").slice(0, 60)}”` : value.slice(0, 60);
  if (Array.isArray(value)) return value.length === 0 ? "[]" : value.slice(0, 4).map(brief).join(", ");
  if (isObject(value)) return Object.values(value).slice(0, 3).map(brief).filter(Boolean).join(", ") || "{}";
  return String(value);
}
