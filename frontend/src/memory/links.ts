/** Links and an import as the in-memory twin meets them; `?link=` and `?review=` of a page in a plain browser. */
import type { api } from "../backend";
import { emptyConfig } from "../servers/config";
import { emptyCatalog, type MemoryServer, rowOf } from "./world";

const commandLink: api.Link = {
  config: {
    ...emptyConfig,
    name: "Notes",
    transport: "stdio",
    command: "npx",
    args: ["-y", "server-notes@1.2.0", "--root", "/home/ana/my notes", "--label=safe\u202egpj.exe", "tab\there", ""],
    env: [{ name: "NOTES_TOKEN", value: "", secret: true, hasValue: false }],
    enabled: false,
  },
  notes: ["The link wanted the server to be connected at once. That is never done."],
};

const urlLink: api.Link = {
  config: { ...emptyConfig, name: "Weather", url: "https://mcp.weаther.example/mcp", enabled: false },
  notes: [],
};

const brokenLink: api.Link = {
  config: emptyConfig,
  notes: [],
  error: {
    code: "invalid_link",
    message: "The link names neither an address nor a command.",
    hint: "Ask whoever gave it to you for the address of the server, and add it by hand.",
  },
};

const links: Record<string, api.Link> = { command: commandLink, url: urlLink, broken: brokenLink };

export const linkOf = (name: string | null): api.Link | undefined => links[name ?? ""];

/** An entry that came out of another program's settings and has never run. */
export function importedServer(): MemoryServer {
  const config = {
    ...commandLink.config,
    name: "notes-import",
    args: ["-y", "server-notes@1.2.0", "--root", "~/notes"],
  };
  return {
    config,
    row: { ...rowOf("imported", config), detail: "Not approved yet", review: { source: "import", hash: "h1" } },
    catalog: emptyCatalog("imported"),
    outcome: "ready",
  };
}
