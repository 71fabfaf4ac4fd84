/** Pure: what the palette offers, and how it is searched. */
import type { AppState } from "../state";

export type Target =
  | { kind: "server"; serverId: string }
  | { kind: "item"; serverId: string; item: "tool" | "prompt" | "resource"; name: string }
  | { kind: "saved"; name: string }
  | { kind: "command"; command: CommandKey };

export type CommandKey =
  | "add"
  | "settings"
  | "inbox"
  | "keys"
  | "activity"
  | "light"
  | "dark"
  | "system"
  | "connect"
  | "disconnect"
  | "refresh"
  | "edit"
  | "diagnose"
  | "connectAll";

export interface Entry {
  key: string;
  /** The word in front: Server, Tool, Prompt, Resource, Saved, Do. */
  kind: string;
  title: string;
  /** More text that is searched, after the title. */
  also: string;
  /** At the end of the row: where it belongs. */
  place: string;
  target: Target;
}

const commands: [CommandKey, string, string][] = [
  ["add", "Add a server", "new create paste import"],
  ["connectAll", "Connect all enabled servers", "reconnect"],
  ["inbox", "Open the inbox", "questions asks requests"],
  ["activity", "Open or fold the activity drawer", "messages log trace"],
  ["settings", "Settings", "theme density preferences"],
  ["keys", "Show the keyboard shortcuts", "help"],
  ["light", "Use light colours", "theme"],
  ["dark", "Use dark colours", "theme"],
  ["system", "Use the colours of the system", "theme"],
];

const serverCommands: [CommandKey, string][] = [
  ["connect", "Connect"],
  ["disconnect", "Disconnect"],
  ["refresh", "Load the lists again"],
  ["edit", "Edit"],
  ["diagnose", "Diagnose"],
];

export function paletteEntries({
  servers,
  catalogs,
  selectedServer,
  saved,
}: Pick<AppState, "servers" | "catalogs" | "selectedServer" | "saved">): Entry[] {
  const entries: Entry[] = [];
  for (const server of servers) {
    entries.push({
      key: `server:${server.id}`,
      kind: "Server",
      title: server.name,
      also: server.endpoint,
      place: server.detail,
      target: { kind: "server", serverId: server.id },
    });
  }
  for (const server of servers) {
    const catalog = catalogs[server.id]?.catalog;
    if (!catalog) continue;
    const add = (item: "tool" | "prompt" | "resource", kind: string, name: string, title: string, also: string) =>
      entries.push({
        key: `${item}:${server.id}:${name}`,
        kind,
        title: title || name,
        also,
        place: server.name,
        target: { kind: "item", serverId: server.id, item, name },
      });
    for (const tool of catalog.tools) add("tool", "Tool", tool.name, tool.name, tool.title);
    for (const prompt of catalog.prompts) add("prompt", "Prompt", prompt.name, prompt.name, prompt.title);
    for (const resource of catalog.resources) {
      add("resource", "Resource", resource.uri, resource.title || resource.name, resource.uri);
    }
    for (const template of catalog.templates) {
      add("resource", "Template", template.uriTemplate, template.title || template.name, template.uriTemplate);
    }
  }
  for (const call of saved) {
    entries.push({
      key: `saved:${call.name}`,
      kind: "Saved",
      title: call.name,
      also: `${call.item} ${call.arguments}`,
      place: `${servers.find((server) => server.id === call.serverId)?.name ?? ""} · ${call.item}`,
      target: { kind: "saved", name: call.name },
    });
  }
  const current = servers.find((server) => server.id === selectedServer);
  for (const [command, title] of current ? serverCommands : []) {
    entries.push(commandEntry(command, `${title}: ${current?.name}`, ""));
  }
  for (const [command, title, also] of commands) entries.push(commandEntry(command, title, also));
  return entries;
}

function commandEntry(command: CommandKey, title: string, also: string): Entry {
  return { key: `command:${command}`, kind: "Do", title, also, place: "", target: { kind: "command", command } };
}

/**
 * The best entries for a query, each word of which must occur. Earlier and whole-word matches of the title come first; equal
 * ones keep their order. Without a query: servers and commands, because that is what can be listed in full.
 */
export function searchEntries(entries: Entry[], query: string, limit: number): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) {
    return entries.filter((entry) => entry.target.kind !== "item").slice(0, limit);
  }
  return entries
    .map((entry, index) => ({ entry, index, score: score(entry, words) }))
    .filter(({ score: points }) => points > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, limit)
    .map(({ entry }) => entry);
}

function score(entry: Entry, words: string[]): number {
  const title = entry.title.toLowerCase();
  const rest = `${entry.also} ${entry.place} ${entry.kind}`.toLowerCase();
  let points = 0;
  for (const word of words) {
    const at = title.indexOf(word);
    if (at === 0) points += title.length === word.length ? 12 : 8;
    else if (at > 0) points += /[\s_\-./:]/.test(title[at - 1] ?? "") ? 6 : 4;
    else if (rest.includes(word)) points += 1;
    else return 0;
  }
  return points;
}

/** The title in pieces, with the ones that the query matched marked. */
export function highlight(title: string, query: string): { text: string; hit: boolean }[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = new Array<boolean>(title.length).fill(false);
  for (const word of words) {
    const at = title.toLowerCase().indexOf(word);
    if (at >= 0) hits.fill(true, at, at + word.length);
  }
  const pieces: { text: string; hit: boolean }[] = [];
  for (let index = 0; index < title.length; index++) {
    const hit = hits[index] ?? false;
    const last = pieces.at(-1);
    if (last && last.hit === hit) last.text += title[index];
    else pieces.push({ text: title[index] ?? "", hit });
  }
  return pieces;
}
