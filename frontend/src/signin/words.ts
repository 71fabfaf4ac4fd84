/** Pure: what an attempt to sign in and an account say to a person. */
import type { api } from "../backend";
import { formatDuration } from "../ui/format";

/** Whether an attempt is under way, for which the person may have to do something. */
export function isRunning(signIn: api.SignIn | undefined): signIn is api.SignIn {
  return signIn !== undefined && ["working", "confirm", "client", "waiting"].includes(signIn.state);
}

/** Whether the last attempt ended without signing in. */
export function hasFailed(signIn: api.SignIn | undefined): signIn is api.SignIn {
  return signIn !== undefined && ["failed", "cancelled"].includes(signIn.state);
}

const headlines: Record<string, string> = {
  working: "Signing in",
  confirm: "Waits for your word",
  client: "Needs a client ID",
  waiting: "Waiting for your browser",
  done: "Signed in",
  failed: "Sign-in failed",
  cancelled: "Sign-in cancelled",
};

/** "Waiting for your browser · 9:41 left". */
export function headline(signIn: api.SignIn, now: number): string {
  const words = headlines[signIn.state] ?? signIn.detail;
  const left = signIn.state === "waiting" ? countdown(signIn.deadline, now) : "";
  return left ? `${words} · ${left}` : words;
}

/** "9:41 left"; "" without a deadline. The last second counts, so that nothing reads 0:00 while it still goes on. */
export function countdown(deadline: string, now: number): string {
  const ends = Date.parse(deadline);
  if (Number.isNaN(ends)) return "";
  const seconds = Math.ceil((ends - now) / 1000);
  if (seconds <= 0) return "time is up";
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
}

const stepNames: Record<string, string> = {
  discover: "Find who signs you in",
  register: "Register this app",
  authorize: "Your consent",
  exchange: "Exchange the code",
  connect: "Connect",
};

export const stepName = (name: string): string => stepNames[name] ?? name;

const stepWords: Record<string, string> = {
  waiting: "not reached",
  working: "under way",
  done: "done",
  failed: "failed",
  skipped: "not needed",
};

export const stepWord = (state: string): string => stepWords[state] ?? state;

/** How long a step took, or takes so far in whole seconds. */
export function stepTime(step: api.SignInStep, now: number): string {
  if (step.state === "working") {
    const seconds = Math.floor((now - Date.parse(step.startedAt)) / 1000);
    return seconds >= 1 ? formatDuration(seconds * 1000) : "";
  }
  return step.state === "done" || step.state === "failed" ? formatDuration(step.tookMs) : "";
}

const sources: Record<string, string> = {
  preregistered: "given by you",
  cimd: "the address of this app's own description",
  dcr: "registered by this app",
};

export const sourceWord = (source: string): string => sources[source] ?? source;

export const redirectKinds = [
  { key: "auto", label: "Whatever works, the app's own links first" },
  { key: "scheme", label: "jackfield:// link" },
  { key: "127.0.0.1", label: "http://127.0.0.1, any port" },
  { key: "localhost", label: "http://localhost, any port" },
] as const;

export type RedirectKind = (typeof redirectKinds)[number]["key"];

/** As the program writes it: "" is whatever works. */
export const redirectOf = (kind: RedirectKind): string => (kind === "auto" ? "" : kind);

export const redirectWord = (redirect: string): string =>
  redirect === "" ? "" : (redirectKinds.find((kind) => kind.key === redirect)?.label ?? redirect);

/** "in 42 min, at 10:23, 30 Nov 2026; renews by itself". */
export function expiryWords(account: Pick<api.Account, "expiresAt" | "renews">, now: number): string {
  const ends = Date.parse(account.expiresAt);
  const renewal = account.renews ? "renews by itself" : "then you sign in again";
  if (Number.isNaN(ends)) return account.renews ? "not said; renews by itself" : "not said";
  const date = new Date(ends);
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
  const time = date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  const minutes = Math.round(Math.abs(ends - now) / 60_000);
  const span = minutes < 1 ? "less than a minute" : spanWords(minutes);
  return `${ends > now ? `in ${span}` : `${span} ago`}, at ${time}, ${day}; ${renewal}`;
}

function spanWords(minutes: number): string {
  if (minutes < 48 * 60) return formatDuration(minutes * 60_000);
  return `${Math.round(minutes / (24 * 60))} days`;
}

/** The scopes that were asked for and not given. */
export function deniedScopes(account: Pick<api.Account, "scopesRequested" | "scopesGranted">): string[] {
  const granted = new Set(account.scopesGranted ?? []);
  return (account.scopesRequested ?? []).filter((scope) => !granted.has(scope));
}

/** Why a pasted address cannot be the one that the browser ended up at; "" if it can. The program decides the rest. */
export function addressFault(text: string): string {
  const address = text.trim();
  if (address === "") return "Paste the whole address from the address bar of your browser.";
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return "This is not a whole address. It begins with jackfield:// or http://.";
  }
  const query = url.searchParams;
  if (!query.has("code") && !query.has("error")) {
    return "This address holds no answer (no code= in it). Copy it once more from the page that could not be shown.";
  }
  return query.has("state") ? "" : "This address is cut off: its state= is missing. Copy all of it.";
}

/** What is read out when an attempt goes on: a step for the person, or its end. "" when nothing is worth it. */
export function signInAnnouncement(before: api.Server | undefined, after: api.Server): string {
  const { signIn } = after;
  if (!before || !signIn || signIn.state === "working") return "";
  if (before.signIn?.id === signIn.id && before.signIn.state === signIn.state) return "";
  const reason = signIn.error ? `: ${signIn.error.message}` : "";
  return `${after.name}: ${headlines[signIn.state] ?? signIn.detail}${reason}`;
}

/** Whether a failed call can be run again after this server was signed in to, in an attempt later than the call. */
export function grantedSince(server: api.Server, call: Pick<api.Call, "startedAt">): boolean {
  const { signIn } = server;
  if (server.state !== "ready" || signIn?.state !== "done") return false;
  return Date.parse(signIn.startedAt) >= Date.parse(call.startedAt);
}
