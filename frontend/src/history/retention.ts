/** Pure: the limits of the history as they are typed. */
import type { api } from "../backend";

type Typed = Record<keyof api.Retention, string>;

/** undefined unless each is a whole number from 0. */
export function parseRetention(texts: Typed): api.Retention | undefined {
  const calls = whole(texts.calls);
  const days = whole(texts.days);
  const megabytes = whole(texts.megabytes);
  if (calls === undefined || days === undefined || megabytes === undefined) return undefined;
  return { calls, days, megabytes };
}

function whole(text: string): number | undefined {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
