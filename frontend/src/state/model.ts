/** What the page knows. Rows come whole from the program; everything under `views` and `ui` belongs to this page alone. */
import type { api } from "../backend";

export type TabKey = "tools" | "prompts" | "resources" | "history" | "details";
export type CallKind = "tool" | "prompt" | "resource";

/**
 * Arguments that are being written for one tool, prompt or resource. `text` is the JSON text of an object, also while it is
 * not valid. `revision` rises when something other than the form replaced it (a call from the history), so that a form can
 * start over with it.
 */
export interface Draft {
  text: string;
  mode: "form" | "json";
  revision: number;
}

/** What the person sees of one server. It outlives reconnects and errors. */
export interface ServerView {
  tab: TabKey;
  selected: Record<CallKind, string>;
  /** By draftKey. */
  drafts: Record<string, Draft>;
  /** By draftKey: the call whose result is on show. */
  shown: Record<string, string>;
  subscribed: string[];
  history: { text: string; selected: string };
}

export interface CatalogEntry {
  /** The catalogVersion that was asked for last. */
  version: string;
  loading: boolean;
  catalog?: api.Catalog;
  failure?: api.Failure;
}

export interface LogLine {
  n: number;
  serverId: string;
  time: string;
  level: string;
  logger: string;
  text: string;
}

export interface Notice {
  id: number;
  tone: "info" | "failure";
  text: string;
  hint: string;
}

export type DrawerTab = "messages" | "log" | "problems";

export interface AppState {
  phase: "starting" | "ready" | "broken";
  failure?: api.Failure;
  seq: string;
  servers: api.Server[];
  asks: api.Ask[];
  /** Of calls that ended because an address has to be visited first (-32042): what came of it, by call. */
  visits: Record<string, string>;
  calls: Record<string, api.Call>;
  catalogs: Record<string, CatalogEntry>;
  /** The trace as it arrives, oldest first, at most keptMessages lines. */
  messages: api.Message[];
  /** How many messages the program left out because the page was slow. */
  dropped: number;
  logs: LogLine[];
  /** serverId + "\n" + uri to the number of updates since it was read. */
  updates: Record<string, number>;
  /** Calls that are kept under a name, of all servers, by name. */
  saved: api.SavedCall[];
  /** What goes wrong in the background of the program, until it works again. */
  troubles: api.Trouble[];
  settings: api.Settings;
  about: api.About;
  vault: api.Vault;
  scheme: api.Scheme;
  /** Opened jackfield://add links that wait for the person, the first on show. One never takes the place of another. */
  links: api.Link[];

  selectedServer: string;
  views: Record<string, ServerView>;
  drawer: { open: boolean; tab: DrawerTab; scope: "server" | "all"; filter: string; which: MessageFilter };
  /** The list of servers lies over the page, where there is no room for it beside. */
  sidebarOpen: boolean;
  /** The panel of open asks; askId is the one on show, "" the first. */
  inbox: { open: boolean; askId: string };
  dialog: DialogState;
  /** Spoken by screen readers: changes of state that the person did not look at. */
  announcement: string;
  notices: Notice[];
}

export type DialogState =
  | { kind: "none" }
  | { kind: "add" }
  | { kind: "edit"; serverId: string }
  | { kind: "remove"; serverId: string }
  | { kind: "settings" }
  | { kind: "signOut"; serverId: string }
  | { kind: "forgetRegistration"; serverId: string }
  | { kind: "review"; serverId: string }
  | { kind: "unlock" }
  | { kind: "passphrase" }
  | { kind: "forgetVault" }
  | { kind: "palette" }
  | { kind: "keys" }
  | { kind: "message"; message: api.Message }
  | { kind: "diagnosis"; serverId: string }
  | { kind: "saveCall"; serverId: string; item: string; callKind: CallKind; arguments: string };

/** Which messages the drawer shows. */
export type MessageFilter = "all" | "out" | "in" | "request" | "response" | "notification" | "errors";

export const keptMessages = 5000;
export const keptLogs = 2000;
/** A page that opens links in a loop fills no more than this. */
export const keptLinks = 5;

export const emptyView: ServerView = {
  tab: "tools",
  selected: { tool: "", prompt: "", resource: "" },
  drafts: {},
  shown: {},
  subscribed: [],
  history: { text: "", selected: "" },
};

export const emptyDraft: Draft = { text: "", mode: "form", revision: 0 };

export const draftKey = (kind: CallKind, name: string): string => `${kind}:${name}`;

export const updateKey = (serverId: string, uri: string): string => `${serverId}\n${uri}`;

export const emptyState: AppState = {
  phase: "starting",
  seq: "0",
  servers: [],
  asks: [],
  visits: {},
  calls: {},
  catalogs: {},
  messages: [],
  dropped: 0,
  logs: [],
  updates: {},
  saved: [],
  troubles: [],
  settings: { theme: "system", askWindow: "window", density: "compact" },
  about: { version: "", dataDir: "", platform: "" },
  vault: { state: "opening", mode: "keyring", detail: "", hint: "", sealed: 0 },
  scheme: { registered: false, supported: false, detail: "" },
  links: [],
  selectedServer: "",
  views: {},
  drawer: { open: true, tab: "messages", scope: "server", filter: "", which: "all" },
  sidebarOpen: false,
  inbox: { open: false, askId: "" },
  dialog: { kind: "none" },
  announcement: "",
  notices: [],
};
