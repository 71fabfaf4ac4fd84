/**
 * What the front end can ask of the program. This is the only file that imports the generated bindings; everything else
 * takes a Backend, so that the whole user interface also runs in a plain browser, over the in-memory twin.
 *
 * Every method rejects with a BackendError, whose `failure` a person can read.
 */
import * as Desktop from "../wailsjs/go/app/Desktop";
import * as PromptWindow from "../wailsjs/go/app/Prompt";
import type { api } from "../wailsjs/go/models";
import { ClipboardSetText, EventsOn } from "../wailsjs/runtime/runtime";

export type { api };

/** The one event of the program; its payload is a Batch. */
export const eventChannel = "jackfield";

export interface Backend {
  /** Listens to batches. Nothing is sent before ready(). Returns the function that stops it. */
  onBatch(listener: (batch: api.Batch) => void): () => void;
  ready(): Promise<api.Snapshot>;
  snapshot(): Promise<api.Snapshot>;

  parseServers(text: string): Promise<api.Parsed>;
  addServer(config: api.Config): Promise<string>;
  serverConfig(id: string): Promise<api.Config>;
  editServer(id: string, config: api.Config): Promise<void>;
  removeServer(id: string): Promise<void>;
  setServerEnabled(id: string, enabled: boolean): Promise<void>;
  connect(id: string): Promise<void>;
  disconnect(id: string): Promise<void>;
  refresh(id: string): Promise<void>;
  catalog(id: string): Promise<api.Catalog>;

  /** Resolves when the call has ended; a running one is in the events, under the id that the request carries. */
  call(request: api.CallRequest): Promise<api.Call>;
  cancelCall(id: string): Promise<void>;
  complete(request: api.CompleteRequest): Promise<api.Completion>;
  subscribeResource(serverId: string, uri: string, on: boolean): Promise<void>;
  expandTemplate(uriTemplate: string, values: Record<string, string>): Promise<string>;
  history(filter: api.HistoryFilter): Promise<api.Call[]>;
  historyCall(id: string): Promise<api.Call>;

  /** Starts an attempt in the background; the row of the server tells how it goes. */
  signIn(id: string, redirect: string, newClient: boolean): Promise<void>;
  signInInput(id: string, input: api.SignInInput): Promise<void>;
  cancelSignIn(id: string): Promise<void>;
  signOut(id: string): Promise<void>;
  forgetRegistration(id: string): Promise<void>;
  approve(id: string, hash: string): Promise<void>;
  addLinked(config: api.Config): Promise<string>;

  retryVault(): Promise<api.Vault>;
  unlockVault(passphrase: string): Promise<api.Vault>;
  setVaultMode(mode: string, passphrase: string): Promise<api.Vault>;
  rotateVault(): Promise<api.Vault>;
  forgetVault(): Promise<api.Vault>;
  setScheme(registered: boolean): Promise<api.Scheme>;

  answerAsk(id: string, answer: api.Answer): Promise<void>;
  showAsk(id: string): Promise<void>;

  trace(filter: api.TraceFilter): Promise<api.Message[]>;
  traceBody(n: string): Promise<string>;
  traceDetail(n: string): Promise<api.MessageDetail>;
  /** Asks where to, and writes what matches as "jsonl" or "har". Gives the file, "" if the person cancelled. */
  exportTrace(filter: api.TraceFilter, format: string): Promise<string>;
  diagnose(id: string): Promise<api.Diagnosis>;

  savedCalls(): Promise<api.SavedCall[]>;
  /** In place of another of that name. */
  saveCall(saved: api.SavedCall): Promise<void>;
  deleteSaved(name: string): Promise<void>;
  pinCall(id: string, pinned: boolean): Promise<void>;
  retention(): Promise<api.Retention>;
  /** Gives how many calls were deleted by it. */
  setRetention(retention: api.Retention): Promise<number>;

  saveSettings(settings: api.Settings): Promise<void>;
  openURL(url: string): Promise<void>;

  /** Fetches what a resultUrl of a call names. */
  fetchText(url: string): Promise<string>;
  copyText(text: string): Promise<void>;
}

/** What the page of a prompt window can do: show one ask, take one answer. */
export interface PromptBackend {
  ask(): Promise<api.AskWindow>;
  answer(answer: api.Answer): Promise<void>;
}

export class BackendError extends Error {
  readonly failure: api.Failure;

  constructor(failure: api.Failure) {
    super(failure.message);
    this.name = "BackendError";
    this.failure = failure;
  }
}

/** The failure inside whatever was thrown: the JSON text of one from a bound method, or a fault of this page. */
export function failureOf(thrown: unknown): api.Failure {
  if (thrown instanceof BackendError) return thrown.failure;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  try {
    const parsed: unknown = JSON.parse(text);
    if (isFailure(parsed)) return { ...parsed, code: parsed.code || "internal", hint: parsed.hint ?? "" };
  } catch {
    // Not JSON: the text itself is what is known.
  }
  return {
    code: "internal",
    message: text || "Something in the program failed without saying why.",
    hint: "Try again. If it keeps happening, start the program again.",
  };
}

function isFailure(value: unknown): value is api.Failure {
  return typeof value === "object" && value !== null && "message" in value && typeof value.message === "string";
}

async function bound<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (thrown) {
    throw new BackendError(failureOf(thrown));
  }
}

/** Go writes an empty list as null. */
const list = <T>(items: T[] | null): T[] => items ?? [];

export const wailsBackend: Backend = {
  onBatch: (listener) => EventsOn(eventChannel, listener),
  ready: () => bound(Desktop.Ready()),
  snapshot: () => bound(Desktop.Snapshot()),
  parseServers: (text) => bound(Desktop.ParseServers(text)),
  addServer: (config) => bound(Desktop.AddServer(config)),
  serverConfig: (id) => bound(Desktop.ServerConfig(id)),
  editServer: (id, config) => bound(Desktop.EditServer(id, config)),
  removeServer: (id) => bound(Desktop.RemoveServer(id)),
  setServerEnabled: (id, enabled) => bound(Desktop.SetServerEnabled(id, enabled)),
  connect: (id) => bound(Desktop.Connect(id)),
  disconnect: (id) => bound(Desktop.Disconnect(id)),
  refresh: (id) => bound(Desktop.Refresh(id)),
  catalog: (id) => bound(Desktop.Catalog(id)),
  call: (request) => bound(Desktop.Call(request)),
  cancelCall: (id) => bound(Desktop.CancelCall(id)),
  complete: (request) => bound(Desktop.Complete(request)),
  subscribeResource: (serverId, uri, on) => bound(Desktop.SubscribeResource(serverId, uri, on)),
  expandTemplate: (uriTemplate, values) => bound(Desktop.ExpandTemplate(uriTemplate, values)),
  history: async (filter) => list(await bound(Desktop.History(filter))),
  historyCall: (id) => bound(Desktop.HistoryCall(id)),
  signIn: (id, redirect, newClient) => bound(Desktop.SignIn(id, redirect, newClient)),
  signInInput: (id, input) => bound(Desktop.SignInInput(id, input)),
  cancelSignIn: (id) => bound(Desktop.CancelSignIn(id)),
  signOut: (id) => bound(Desktop.SignOut(id)),
  forgetRegistration: (id) => bound(Desktop.ForgetRegistration(id)),
  approve: (id, hash) => bound(Desktop.Approve(id, hash)),
  addLinked: (config) => bound(Desktop.AddLinked(config)),
  retryVault: () => bound(Desktop.RetryVault()),
  unlockVault: (passphrase) => bound(Desktop.UnlockVault(passphrase)),
  setVaultMode: (mode, passphrase) => bound(Desktop.SetVaultMode(mode, passphrase)),
  rotateVault: () => bound(Desktop.RotateVault()),
  forgetVault: () => bound(Desktop.ForgetVault()),
  setScheme: (registered) => bound(Desktop.SetScheme(registered)),
  answerAsk: (id, answer) => bound(Desktop.AnswerAsk(id, answer)),
  showAsk: (id) => bound(Desktop.ShowAsk(id)),
  trace: async (filter) => list(await bound(Desktop.Trace(filter))),
  traceBody: (n) => bound(Desktop.TraceBody(n)),
  traceDetail: (n) => bound(Desktop.TraceDetail(n)),
  exportTrace: (filter, format) => bound(Desktop.ExportTrace(filter, format)),
  diagnose: (id) => bound(Desktop.Diagnose(id)),
  savedCalls: async () => list(await bound(Desktop.SavedCalls())),
  saveCall: (saved) => bound(Desktop.SaveCall(saved)),
  deleteSaved: (name) => bound(Desktop.DeleteSaved(name)),
  pinCall: (id, pinned) => bound(Desktop.PinCall(id, pinned)),
  retention: () => bound(Desktop.Retention()),
  setRetention: (retention) => bound(Desktop.SetRetention(retention)),
  saveSettings: (settings) => bound(Desktop.SaveSettings(settings)),
  openURL: (url) => bound(Desktop.OpenURL(url)),
  fetchText: async (url) => {
    const response = await fetch(url);
    if (!response.ok) {
      throw new BackendError({
        code: "internal",
        message: `The program answered ${response.status} for this result.`,
        hint: "Run the call again.",
      });
    }
    return response.text();
  },
  copyText: async (text) => {
    if (!(await ClipboardSetText(text))) {
      throw new BackendError({
        code: "internal",
        message: "The system did not take the text for its clipboard.",
        hint: "Select the text and copy it by hand.",
      });
    }
  },
};

export const wailsPrompt: PromptBackend = {
  ask: () => bound(PromptWindow.Ask()),
  answer: (answer) => bound(PromptWindow.Answer(answer)),
};

/** True inside the desktop program; false in a plain browser, where the in-memory twin is used. */
export const hasProgram = (): boolean => "go" in window;

export async function loadBackend(): Promise<Backend> {
  if (hasProgram()) return wailsBackend;
  const { createMemoryBackend, memoryOptions } = await import("./memory/backend");
  return createMemoryBackend(memoryOptions(location.search));
}

export async function loadPrompt(): Promise<PromptBackend> {
  if (hasProgram()) return wailsPrompt;
  const { createMemoryPrompt } = await import("./memory/prompt");
  return createMemoryPrompt();
}
