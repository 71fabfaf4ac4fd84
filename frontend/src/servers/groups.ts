/** Pure: how servers are grouped, filtered and described in lists. */
import type { api } from "../backend";

export interface ServerGroup {
  key: "connected" | "attention" | "off";
  title: string;
  servers: api.Server[];
}

/** Whether a person should look at this server: it failed, waits for them, or tries again after a failure. */
export function needsAttention(server: api.Server): boolean {
  if (server.state === "failed" || server.state === "authenticating") return true;
  return Boolean(server.error) && server.state !== "disconnected";
}

export function groupServers(servers: api.Server[], filter: string): ServerGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (server: api.Server) => {
    const text = `${server.name} ${server.endpoint} ${server.detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = servers.filter(matches);
  const attention = found.filter(needsAttention);
  const off = found.filter((server) => server.state === "disconnected");
  const connected = found.filter((server) => !attention.includes(server) && !off.includes(server));
  const groups: ServerGroup[] = [
    { key: "connected", title: "Connected", servers: connected },
    { key: "attention", title: "Need attention", servers: attention },
    { key: "off", title: off.every((server) => !server.enabled) ? "Disabled" : "Not connected", servers: off },
  ];
  return groups.filter((group) => group.servers.length > 0);
}

/** The second line of a row: "Ready · mcp.tracker.example"; the endpoint only where the detail leaves room for it. */
export function rowDetail(server: api.Server): string {
  const detail = server.detail || stateWords[server.state] || server.state;
  return server.state === "ready" ? `${detail} · ${server.endpoint}` : detail;
}

const stateWords: Record<string, string> = {
  disconnected: "Disconnected",
  connecting: "Connecting",
  authenticating: "Needs sign-in",
  connected: "Connected",
  discovering: "Loading the lists",
  ready: "Ready",
  failed: "Failed",
};

const transportNames: Record<string, string> = {
  auto: "Automatic",
  "streamable-http": "Streamable HTTP",
  sse: "HTTP with SSE",
  stdio: "Local program",
  builtin: "Built in",
};

export const transportName = (transport: string): string => transportNames[transport] ?? transport;

/** Whether Connect (rather than Disconnect) is what a person would want. */
export const canConnect = (server: api.Server): boolean => ["disconnected", "failed"].includes(server.state);

/** Whether lists are known: then they stay in sight whatever happens to the connection. */
export function hasCatalog(server: api.Server): boolean {
  return server.catalogVersion !== "" && server.catalogVersion !== "0";
}
