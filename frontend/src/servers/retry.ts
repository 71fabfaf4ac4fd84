import { useEffect, useState } from "react";
import type { api } from "../backend";

/**
 * The detail of a server that waits for its next attempt, as it reads at this moment: the program says it once, with the
 * seconds that were left then, and the time of the attempt.
 */
export function detailAt(server: Pick<api.Server, "detail" | "retryAt">, now: number): string {
  const due = Date.parse(server.retryAt);
  if (Number.isNaN(due)) return server.detail;
  const seconds = Math.ceil((due - now) / 1000);
  return server.detail.replace(/ in \d+ s$/, seconds > 0 ? ` in ${seconds} s` : " now");
}

/** The row with its detail counting down; it ticks only while an attempt is due. */
export function useLive(server: api.Server): api.Server {
  const [now, setNow] = useState(Date.now);
  const due = Date.parse(server.retryAt);
  const waiting = due > now;
  useEffect(() => {
    setNow(Date.now());
    if (!waiting) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [waiting]);
  return Number.isNaN(due) ? server : { ...server, detail: detailAt(server, now) };
}
