import type { api } from "../backend";

export type JackState = "off" | "ready" | "busy" | "needs" | "failed";

const jackStates: Record<string, JackState> = {
  disconnected: "off",
  connecting: "busy",
  authenticating: "needs",
  connected: "busy",
  discovering: "busy",
  ready: "ready",
  failed: "failed",
};

export function jackState(server: Pick<api.Server, "state" | "enabled" | "error">): JackState {
  if (!server.enabled && server.state === "disconnected") return "off";
  // Connected with an error is a failed discovery: it needs a person, nothing is under way.
  if (server.state === "connected" && server.error) return "needs";
  return jackStates[server.state] ?? "off";
}

/** The socket. Decoration for the eye: the words beside it say the same. */
export function Jack({ state }: { state: JackState }) {
  return <span className="jack" data-state={state} aria-hidden="true" />;
}
