/** What the in-memory twin starts with: one server in each state that a person meets. */
import type { api } from "../backend";
import { emptyConfig } from "../servers/config";
import {
  instructions,
  playgroundPrompts,
  playgroundResources,
  playgroundTemplates,
  playgroundTools,
  tool,
} from "./playground";

export interface MemoryServer {
  row: api.Server;
  config: api.Config;
  catalog: api.Catalog;
  /** What connecting leads to. */
  outcome: "ready" | "exits" | "signIn" | "unreachable";
  /** Scopes that the next sign-in asks for on top, because a call lacked them. */
  wants?: string[];
}

export function endpointOf(config: api.Config): string {
  if (config.transport === "builtin") return "built in";
  if (config.transport === "stdio") return [config.command, ...config.args].filter(Boolean).join(" ");
  try {
    return new URL(config.url).host;
  } catch {
    return config.url;
  }
}

export function rowOf(id: string, config: api.Config): api.Server {
  return {
    id,
    name: config.name,
    transport: config.transport,
    url: config.url,
    command: config.command,
    args: config.args,
    endpoint: endpointOf(config),
    enabled: config.enabled,
    updatedAt: new Date().toISOString(),
    state: "disconnected",
    detail: config.enabled ? "Disconnected" : "Disabled",
    generation: "1",
    actualTransport: "",
    era: "",
    protocolVersion: "",
    serverInfo: { name: "", title: "", version: "" },
    instructions: "",
    capabilities: [],
    pid: 0,
    latencyMs: 0,
    counts: { tools: 0, prompts: 0, resources: 0, templates: 0 },
    catalogVersion: "0",
    attempts: 0,
    maxAttempts: 3,
    retryAt: "",
    problems: [],
  };
}

export const emptyCatalog = (serverId: string): api.Catalog => ({
  serverId,
  version: "0",
  tools: [],
  prompts: [],
  resources: [],
  templates: [],
});

/** The row of a server whose catalog is loaded. */
export function readyRow(row: api.Server, config: api.Config, catalog: api.Catalog): api.Server {
  const stdio = config.transport === "stdio";
  return {
    ...row,
    state: "ready",
    detail: "Ready",
    error: undefined,
    retryAt: "",
    attempts: 1,
    actualTransport: stdio ? "stdio" : config.transport === "builtin" ? "builtin" : "streamable-http",
    era: stdio ? "legacy" : "modern",
    protocolVersion: stdio ? "2025-06-18" : "2026-07-28",
    serverInfo: { name: config.name.toLowerCase().replaceAll(" ", "-"), title: config.name, version: "1.4.2" },
    capabilities: [
      "tools",
      "tools.listChanged",
      "prompts",
      "resources",
      "resources.subscribe",
      "logging",
      "completions",
    ],
    pid: stdio ? 48213 : 0,
    latencyMs: stdio ? 3.1 : config.transport === "builtin" ? 0.4 : 84,
    counts: {
      tools: catalog.tools.length,
      prompts: catalog.prompts.length,
      resources: catalog.resources.length,
      templates: catalog.templates.length,
    },
    catalogVersion: String(Number(row.catalogVersion) + 1),
  };
}

const text = { type: "string" };
const object = (properties: Record<string, unknown> = {}, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});

const trackerNames: [string, string, Partial<api.Tool>?][] = [
  ["add_comment", "Adds a comment to an issue."],
  ["assign_issue", "Gives an issue to a person."],
  ["close_issue", "Closes an issue. Closing a closed one changes nothing.", { idempotent: "true" }],
  ["create_label", "Creates a label in a project."],
  ["delete_project", "Deletes a project with all of its issues.", { destructive: "true" }],
  ["get_issue", "Returns one issue.", { readOnly: "true" }],
  ["list_issues", "Lists issues by project, label and state.", { readOnly: "true" }],
  ["list_projects", "Lists the projects that you can see.", { readOnly: "true" }],
  ["move_issue", "Moves an issue to another project."],
  ["search", "Searches titles, descriptions and comments.", { readOnly: "true" }],
  ["set_due_date", "Sets or clears the day an issue is due."],
  ["update_issue", "Changes fields of an issue."],
];

const createIssue = tool("create_issue", {
  description: "Opens an issue in a project and returns its number.",
  input: object(
    {
      project: { type: "string", enum: ["api", "docs", "infra", "mobile", "web", "website", "wiki"] },
      title: { type: "string", maxLength: 120 },
      labels: { type: "array", items: { type: "string" } },
      priority: { type: "string", enum: ["none", "low", "normal", "high"], default: "normal" },
      estimate: { type: "number", minimum: 1, maximum: 13 },
      due: { type: "string", format: "date" },
      assignee: text,
      parent: { type: "integer" },
    },
    ["project", "title"],
  ),
  output: object(
    {
      number: { type: "integer" },
      key: text,
      globalId: { type: "integer" },
      labels: { type: "array", items: text },
      url: { type: "string", format: "uri" },
    },
    ["number", "key"],
  ),
});

function trackerCatalog(): api.Catalog {
  const tools = trackerNames.map(([name, description, hints]) =>
    tool(name, { description, input: object({ issue: text, text }, ["issue"]), hints }),
  );
  tools.splice(3, 0, createIssue);
  return {
    ...emptyCatalog("tracker"),
    tools,
    prompts: ["triage", "recreate_steps", "release_notes", "summarise_week"].map((name) => ({
      name,
      title: "",
      description: `Writes a prompt to ${name.replace("_", " ")}.`,
      arguments: [{ name: "project", title: "", description: "Key of the project.", required: true }],
      raw: JSON.stringify({ name }),
    })),
    resources: Array.from({ length: 126 }, (_, index) => ({
      uri: `issue://web/${1357 + index}`,
      name: `WEB-${1357 + index}`,
      title: "",
      description: "",
      mimeType: "text/markdown",
      size: 400 + ((index * 7919) % 9000),
      raw: JSON.stringify({ uri: `issue://web/${1357 + index}`, name: `WEB-${1357 + index}` }),
    })),
    templates: [
      {
        uriTemplate: "issue://{project}/{number}",
        name: "issue",
        title: "",
        description: "One issue of a project.",
        mimeType: "text/markdown",
        variables: ["project", "number"],
        raw: JSON.stringify({ uriTemplate: "issue://{project}/{number}", name: "issue" }),
      },
    ],
  };
}

function filesCatalog(): api.Catalog {
  const names = ["create_directory", "directory_tree", "edit_file", "get_file_info", "list_directory", "move_file"];
  names.push("read_file", "read_media_file", "read_multiple_files", "search_files", "write_file");
  return {
    ...emptyCatalog("files"),
    tools: names.map((name) =>
      tool(name, {
        description: `Does what its name says: ${name.replaceAll("_", " ")}.`,
        input: object({ path: text }, ["path"]),
        hints: /^(read|list|get|search|directory)/.test(name) ? { readOnly: "true" } : undefined,
      }),
    ),
  };
}

function calendarCatalog(): api.Catalog {
  return {
    ...emptyCatalog("calendar"),
    tools: [
      tool("list_events", {
        description: "Lists the events of a day.",
        input: object({ day: { type: "string", format: "date" } }),
        hints: { readOnly: "true" },
      }),
      tool("create_event", {
        description: "Puts an event into the calendar. It needs the scope calendar.write.",
        input: object({ title: text }),
      }),
    ],
  };
}

export function createWorld(now: number): MemoryServer[] {
  const ready = (id: string, config: api.Config, catalog: api.Catalog): MemoryServer => ({
    row: readyRow(rowOf(id, config), config, catalog),
    config,
    catalog: { ...catalog, version: "1" },
    outcome: "ready",
  });
  const playground = ready(
    "playground",
    { ...emptyConfig, name: "Playground", transport: "builtin" },
    {
      ...emptyCatalog("playground"),
      tools: playgroundTools,
      prompts: playgroundPrompts,
      resources: playgroundResources,
      templates: playgroundTemplates,
    },
  );
  playground.row.instructions = instructions;
  playground.row.detail = "Ready";

  const tracker = ready(
    "tracker",
    {
      ...emptyConfig,
      name: "Issue tracker",
      url: "https://mcp.tracker.example/mcp",
      headers: [{ name: "Authorization", value: "", secret: true, hasValue: true }],
    },
    trackerCatalog(),
  );
  tracker.row.problems = [
    {
      code: "tool_set_aside",
      serverId: "tracker",
      subject: "bulk_edit",
      message: "Its inputSchema is not an object, which the specification requires. The tool was set aside.",
    },
  ];

  const files = ready(
    "files",
    { ...emptyConfig, name: "files", transport: "stdio", command: "npx", args: ["server-filesystem", "/home/ana"] },
    filesCatalog(),
  );

  const calendar: MemoryServer = {
    config: { ...emptyConfig, name: "Calendar", url: "https://mcp.calendar.example/" },
    row: rowOf("calendar", { ...emptyConfig, name: "Calendar", url: "https://mcp.calendar.example/" }),
    catalog: calendarCatalog(),
    outcome: "signIn",
  };
  calendar.row = signInRow(calendar.row);

  const farmConfig = { ...emptyConfig, name: "build-farm", url: "https://farm.internal.example/mcp" };
  const farm: MemoryServer = {
    config: farmConfig,
    row: {
      ...rowOf("farm", farmConfig),
      state: "connecting",
      detail: "Retry 2 of 3 in 4 s",
      attempts: 1,
      retryAt: new Date(now + 4000).toISOString(),
      error: unreachable("farm.internal.example"),
    },
    catalog: emptyCatalog("farm"),
    outcome: "unreachable",
  };

  const dbConfig = {
    ...emptyConfig,
    name: "db-tools",
    transport: "stdio",
    command: "uvx",
    args: ["db-tools", "--dsn", "postgres://localhost/app"],
    env: [{ name: "PGPASSWORD", value: "", secret: true, hasValue: true }],
  };
  const db: MemoryServer = {
    config: dbConfig,
    row: exitedRow(rowOf("db", dbConfig)),
    catalog: emptyCatalog("db"),
    outcome: "exits",
  };

  const stagingConfig = { ...emptyConfig, name: "staging", url: "https://staging.tracker.example/mcp", enabled: false };
  const staging: MemoryServer = {
    config: stagingConfig,
    row: rowOf("staging", stagingConfig),
    catalog: emptyCatalog("staging"),
    outcome: "ready",
  };
  return [playground, tracker, files, calendar, farm, db, staging];
}

export function signInRow(row: api.Server): api.Server {
  return {
    ...row,
    state: "authenticating",
    detail: "Needs sign-in",
    attempts: 1,
    retryAt: "",
    error: {
      code: "auth_required",
      message: `${row.endpoint} wants to know who you are before it answers.`,
      hint: "Sign in. Until then the server stays in the list and nothing is sent to it.",
    },
  };
}

export function exitedRow(row: api.Server): api.Server {
  return {
    ...row,
    state: "failed",
    detail: "Exited with status 3 after start",
    attempts: 3,
    retryAt: "",
    error: {
      code: "exited",
      message: "The program started and ended before it answered.",
      hint: "Read its last words below, correct the command or its environment, then try again.",
      exitCode: 3,
      stderr: ['FATAL: role "ana" does not exist', "hint: set PGUSER or pass --user"],
    },
  };
}

export function unreachable(host: string): api.Failure {
  return {
    code: "unreachable",
    message: `${host} refused the connection.`,
    hint: "Check that the server is running and that the port is right.",
  };
}
