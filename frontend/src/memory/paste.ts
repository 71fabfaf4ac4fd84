/** What a pasted text means: enough of it to play the add dialog. The program's own parser knows more. */
import { type api, BackendError } from "../backend";
import { emptyConfig } from "../servers/config";

const secretName = /auth|token|key|secret|password/i;

function fail(message: string, hint: string): never {
  throw new BackendError({ code: "invalid_input", message, hint });
}

export function parsePaste(input: string): api.Parsed {
  const text = input.trim();
  if (text === "") fail("There is nothing to read yet.", "Paste a URL, a command line or an mcpServers block.");
  if (/^https?:\/\//i.test(text)) return { kind: "url", servers: [fromURL(text)], notes: [] };
  if (text.startsWith("{")) return fromJSON(text);
  const [command = "", ...args] =
    text.match(/"[^"]*"|'[^']*'|\S+/g)?.map((word) => word.replace(/^["']|["']$/g, "")) ?? [];
  return {
    kind: "command",
    servers: [{ ...emptyConfig, name: nameOf(args.at(-1) ?? command), transport: "stdio", command, args }],
    notes: [],
  };
}

function nameOf(text: string): string {
  return (
    text
      .split("/")
      .at(-1)
      ?.replace(/\.(js|py|ts)$/, "")
      .replace(/@.*$/, "") || text
  );
}

function fromURL(text: string): api.Config {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    fail("This is not a complete URL.", "It should look like https://mcp.example.com/mcp.");
  }
  return { ...emptyConfig, name: url.hostname.replace(/^(mcp|www)\./, ""), url: url.href };
}

function fromJSON(text: string): api.Parsed {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    fail(`This is not complete JSON: ${(error as Error).message}.`, "Copy the whole block, with its outer braces.");
  }
  const block = (parsed.mcpServers ?? parsed.servers ?? parsed) as Record<string, unknown>;
  const notes: string[] = [];
  const single = "command" in block || "url" in block;
  const entries = Object.entries(single ? { server: block } : block);
  const servers = entries.map(([name, value]) => fromEntry(name, value as Record<string, unknown>, notes));
  if (servers.length === 0) fail("This block names no server.", "It needs at least one entry under mcpServers.");
  return { kind: "json", servers, notes };
}

function fromEntry(name: string, entry: Record<string, unknown>, notes: string[]): api.Config {
  const variables = (value: unknown): api.Variable[] =>
    Object.entries((value ?? {}) as Record<string, string>).map(([key, text]) => {
      const secret = secretName.test(key);
      if (secret) notes.push(`${key} of ${name} looks like a secret: it is kept in the vault.`);
      return { name: key, value: text, secret, hasValue: text !== "" };
    });
  if (typeof entry.command === "string") {
    return {
      ...emptyConfig,
      name,
      transport: "stdio",
      command: entry.command,
      args: Array.isArray(entry.args) ? entry.args.map(String) : [],
      env: variables(entry.env),
      cwd: typeof entry.cwd === "string" ? entry.cwd : "",
    };
  }
  if (typeof entry.url !== "string") fail(`${name} has neither a url nor a command.`, "Add one of them to the block.");
  return { ...emptyConfig, ...fromURL(entry.url), name, headers: variables(entry.headers) };
}
