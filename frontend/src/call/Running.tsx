import { useEffect, useState } from "react";
import type { api } from "../backend";
import { formatDuration } from "../ui";

/** A call under way: how long it has taken, how far it is, and how long it may still take. */
export function Running({ call }: { call: api.Call }) {
  const now = useNow(200);
  const { progress } = call;
  const elapsed = Math.max(0, now - Date.parse(call.startedAt));
  const share =
    progress && progress.total > 0 ? Math.min(1, Math.max(0, progress.progress / progress.total)) : undefined;
  return (
    <section className="running" aria-label="Running">
      <p className="row">
        <b>Running</b>
        <span className="t3 tabular">{elapsed < 1000 ? "< 1 s" : formatDuration(Math.floor(elapsed / 100) * 100)}</span>
      </p>
      <div
        className="progress"
        role="progressbar"
        aria-label={progress?.message || "Progress of the call"}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === undefined ? undefined : Math.round(share * 100)}
        data-unknown={share === undefined || undefined}
      >
        <div className="progress-bar" style={share === undefined ? undefined : { width: `${share * 100}%` }} />
      </div>
      {progress && (
        <p className="small t2 tabular">
          {[
            progress.total > 0 ? `${progress.progress} of ${progress.total}` : `${progress.progress} so far`,
            progress.message,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      )}
      <p className="small t3 tabular">{limits(call, now)}</p>
    </section>
  );
}

/** The time limits as a sentence; the idle one starts over with every sign of life, and both stand still while a person is asked. */
export function limits(call: Pick<api.Call, "idleUntil" | "totalUntil">, now: number): string {
  const left = (until: string) => {
    const ms = Date.parse(until) - now;
    return Number.isNaN(ms)
      ? undefined
      : formatDuration(Math.max(0, Math.ceil(ms / 1000) * 1000)).replace("< 1 ms", "0 s");
  };
  const idle = left(call.idleUntil);
  const total = left(call.totalUntil);
  if (!idle && !total) return "Waits for your answer; no time limit runs";
  return [
    idle && `Ends in ${idle} without a sign of life`,
    total && `${idle ? "in" : "Ends in"} ${total} at the latest`,
  ]
    .filter(Boolean)
    .join(", ");
}

function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
