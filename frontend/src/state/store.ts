/**
 * The one store of the page. It is fed by the program (a snapshot, then batches) and by what the person does. A change of a
 * server goes to the program and comes back as an event; nothing is changed here in the hope that it will be so.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { type api, type Backend, failureOf } from "../backend";
import { type AppState, type CallKind, draftKey, emptyDraft, emptyState, emptyView, type ServerView } from "./model";
import { applyBatch, applySnapshot } from "./reduce";

export type Store = StoreApi<AppState>;

export interface App {
  backend: Backend;
  store: Store;
  actions: Actions;
}

export function createApp(backend: Backend): App {
  const store = createStore<AppState>(() => emptyState);
  return { backend, store, actions: new Actions(backend, store) };
}

export const emptyInput: api.SignInInput = {
  confirm: false,
  address: "",
  browserError: false,
  clientId: "",
  clientSecret: "",
  openAgain: false,
};

/** The filter that leaves nothing out. */
export const allMessages: api.TraceFilter = {
  serverId: "",
  callId: "",
  dir: "",
  kind: "",
  method: "",
  errors: false,
  text: "",
  after: "0",
  limit: 500,
};

const tabOf = { tool: "tools", prompt: "prompts", resource: "resources" } as const;

export class Actions {
  readonly #backend: Backend;
  readonly #store: Store;
  #resyncing = false;
  #noticeCount = 0;

  constructor(backend: Backend, store: Store) {
    this.#backend = backend;
    this.#store = store;
  }

  /** Listens, asks for the first snapshot, loads what is needed. Returns the function that stops listening. */
  start(): () => void {
    const early: api.Batch[] = [];
    let stopped = false;
    const stop = this.#backend.onBatch((batch) => {
      // Events can overtake the snapshot that they follow.
      if (this.#store.getState().phase !== "ready") early.push(batch);
      else this.#take(batch);
    });
    this.#backend
      .ready()
      .then(
        async (snapshot) => {
          if (stopped) return;
          this.#store.setState((state) => applySnapshot(state, snapshot));
          // Only a passphrase opens this vault, and until it does no sign-in can be used.
          if (snapshot.vault.state === "locked" && snapshot.vault.mode === "passphrase") {
            this.openDialog({ kind: "unlock" });
          }
          for (const batch of early) this.#take(batch);
          this.#fetchCatalogs();
          void this.loadSaved();
          const messages = await this.#backend.trace(allMessages);
          this.#store.setState((state) => ({ messages: mergeMessages(messages, state.messages) }));
        },
        (thrown) => this.#store.setState({ phase: "broken", failure: failureOf(thrown) }),
      )
      .catch((thrown) => this.report("The messages so far could not be loaded", thrown));
    return () => {
      stopped = true;
      stop();
    };
  }

  #take(batch: api.Batch): void {
    const { state, gap } = applyBatch(this.#store.getState(), batch);
    this.#store.setState(state, true);
    this.#fetchCatalogs();
    if (gap) void this.resync();
  }

  /** Takes a new snapshot, after events were missed. One at a time. */
  async resync(): Promise<void> {
    if (this.#resyncing) return;
    this.#resyncing = true;
    try {
      const snapshot = await this.#backend.snapshot();
      this.#store.setState((state) =>
        BigInt(snapshot.seq) >= BigInt(state.seq) ? applySnapshot(state, snapshot) : state,
      );
      this.#fetchCatalogs();
    } catch (thrown) {
      this.report("The state of the servers could not be loaded", thrown);
    } finally {
      this.#resyncing = false;
    }
  }

  #fetchCatalogs(): void {
    const { servers, catalogs } = this.#store.getState();
    for (const server of servers) {
      if (server.catalogVersion === "0" || server.catalogVersion === "") continue;
      if (catalogs[server.id]?.version === server.catalogVersion) continue;
      void this.fetchCatalog(server.id, server.catalogVersion);
    }
  }

  async fetchCatalog(id: string, version: string): Promise<void> {
    this.#putCatalog(id, version, { loading: true });
    try {
      const catalog = await this.#backend.catalog(id);
      // A newer version may have been asked for meanwhile: its own answer counts.
      if (this.#store.getState().catalogs[id]?.version !== version) return;
      this.#putCatalog(id, version, { loading: false, catalog, failure: undefined });
    } catch (thrown) {
      if (this.#store.getState().catalogs[id]?.version !== version) return;
      this.#putCatalog(id, version, { loading: false, failure: failureOf(thrown) });
    }
  }

  #putCatalog(id: string, version: string, change: Partial<AppState["catalogs"][string]>): void {
    this.#store.setState(({ catalogs }) => ({
      catalogs: { ...catalogs, [id]: { loading: false, ...catalogs[id], ...change, version } },
    }));
  }

  /**
   * Starts a call and shows it as the result of its tool, prompt or resource. The row is in `calls` at once and follows the
   * events; the promise gives the ended row and never rejects (a failure is an outcome).
   */
  call(
    serverId: string,
    kind: CallKind,
    name: string,
    args: string,
    limits = { idleMs: 0, totalMs: 0 },
  ): Promise<api.Call> {
    const id = crypto.randomUUID();
    const row: api.Call = {
      id,
      serverId,
      kind,
      name,
      arguments: args,
      outcome: "running",
      startedAt: new Date().toISOString(),
      durationMs: 0,
      idleUntil: "",
      totalUntil: "",
      size: 0,
      result: "",
      resultUrl: "",
      problems: [],
      violations: [],
      asks: [],
      pinned: false,
    };
    this.#putCall(row);
    this.show(serverId, kind, name, id);
    return this.#backend.call({ id, serverId, kind, name, arguments: args, ...limits }).then(
      (ended) => this.#putCall(ended),
      (thrown) =>
        this.#putCall({
          ...(this.#store.getState().calls[id] ?? row),
          outcome: "failed",
          durationMs: Date.now() - Date.parse(row.startedAt),
          error: failureOf(thrown),
        }),
    );
  }

  #putCall(call: api.Call): api.Call {
    this.#store.setState(({ calls }) => ({ calls: { ...calls, [call.id]: call } }));
    return call;
  }

  async cancelCall(id: string): Promise<void> {
    await this.#attempt("The call could not be cancelled", () => this.#backend.cancelCall(id));
  }

  /** Brings a call of the history back with its result. */
  async loadCall(id: string): Promise<void> {
    await this.#attempt("The call could not be loaded", async () => {
      this.#putCall(await this.#backend.historyCall(id));
    });
  }

  loadSaved(): Promise<void> {
    return this.#attempt("The saved calls could not be loaded", async () => {
      const saved = await this.#backend.savedCalls();
      this.#store.setState({ saved });
    });
  }

  /** Puts a saved call into the form of its tool, prompt or resource. */
  openSaved(saved: api.SavedCall): void {
    this.refill(saved.serverId, saved.kind as CallKind, saved.item, saved.arguments);
  }

  deleteSaved(name: string): Promise<void> {
    return this.#attempt("The saved call could not be removed", async () => {
      await this.#backend.deleteSaved(name);
      await this.loadSaved();
      this.announce(`${name} is no longer kept.`);
    });
  }

  pinCall(id: string, pinned: boolean): Promise<void> {
    return this.#attempt("The call could not be pinned", async () => {
      await this.#backend.pinCall(id, pinned);
      const call = this.#store.getState().calls[id];
      if (call) this.#putCall({ ...call, pinned });
      this.announce(pinned ? "The call is kept for good." : "The call is kept as long as the limits say.");
    });
  }

  exportTrace(filter: api.TraceFilter, format: "jsonl" | "har"): Promise<void> {
    return this.#attempt("The activity could not be exported", async () => {
      const file = await this.#backend.exportTrace({ ...filter, limit: 0 }, format);
      if (file)
        this.inform(
          `The activity was written to ${file}.`,
          "Look through it before you share it: arguments are in it.",
        );
    });
  }

  show(serverId: string, kind: CallKind, name: string, callId: string): void {
    this.#view(serverId, (view) => ({ shown: { ...view.shown, [draftKey(kind, name)]: callId } }));
  }

  setDraft(serverId: string, kind: CallKind, name: string, text: string, mode?: "form" | "json"): void {
    this.#view(serverId, (view) => {
      const key = draftKey(kind, name);
      const draft = view.drafts[key] ?? emptyDraft;
      return { drafts: { ...view.drafts, [key]: { ...draft, text, mode: mode ?? draft.mode } } };
    });
  }

  /** Puts arguments of an earlier call into the form, which starts over with them, and brings it to the front. */
  refill(serverId: string, kind: CallKind, name: string, text: string, shown?: string): void {
    const key = draftKey(kind, name);
    this.#store.setState({ selectedServer: serverId });
    this.#view(serverId, (view) => {
      const draft = view.drafts[key] ?? emptyDraft;
      return {
        tab: tabOf[kind],
        selected: { ...view.selected, [kind]: name },
        drafts: { ...view.drafts, [key]: { ...draft, text, revision: draft.revision + 1 } },
        shown: shown === undefined ? view.shown : { ...view.shown, [key]: shown },
      };
    });
  }

  selectServer(id: string): void {
    this.#store.setState({ selectedServer: id, sidebarOpen: false });
  }

  selectTab(serverId: string, tab: ServerView["tab"]): void {
    this.#view(serverId, () => ({ tab }));
  }

  selectItem(serverId: string, kind: CallKind, name: string): void {
    this.#view(serverId, (view) => ({ selected: { ...view.selected, [kind]: name } }));
  }

  /** Goes to one tool, prompt or resource, wherever the person is. */
  openItem(serverId: string, kind: CallKind, name: string): void {
    this.#store.setState({ selectedServer: serverId });
    this.#view(serverId, (view) => ({ tab: tabOf[kind], selected: { ...view.selected, [kind]: name } }));
  }

  async subscribe(serverId: string, uri: string, on: boolean): Promise<void> {
    await this.#attempt("The subscription could not be changed", async () => {
      await this.#backend.subscribeResource(serverId, uri, on);
      this.#view(serverId, (view) => ({
        subscribed: on ? [...new Set([...view.subscribed, uri])] : view.subscribed.filter((known) => known !== uri),
      }));
    });
  }

  /** The person has seen the newest content of a resource. */
  clearUpdates(key: string): void {
    this.#store.setState(({ updates }) => {
      const { [key]: _seen, ...rest } = updates;
      return { updates: rest };
    });
  }

  #view(serverId: string, change: (view: ServerView) => Partial<ServerView>): void {
    this.#store.setState(({ views }) => {
      const view = views[serverId] ?? emptyView;
      return { views: { ...views, [serverId]: { ...view, ...change(view) } } };
    });
  }

  connect(id: string): Promise<void> {
    return this.#attempt("Connecting could not be started", () => this.#backend.connect(id));
  }

  disconnect(id: string): Promise<void> {
    return this.#attempt("The server could not be disconnected", () => this.#backend.disconnect(id));
  }

  refresh(id: string): Promise<void> {
    return this.#attempt("The lists could not be loaded again", () => this.#backend.refresh(id));
  }

  setEnabled(id: string, enabled: boolean): Promise<void> {
    return this.#attempt("The server could not be changed", () => this.#backend.setServerEnabled(id, enabled));
  }

  remove(id: string): Promise<void> {
    return this.#attempt("The server could not be removed", () => this.#backend.removeServer(id));
  }

  signIn(id: string, options: { redirect?: string; newClient?: boolean } = {}): Promise<void> {
    return this.#attempt("Signing in could not be started", () =>
      this.#backend.signIn(id, options.redirect ?? "", options.newClient ?? false),
    );
  }

  /** Tells the running attempt what the person decided. What has a field of its own goes to the backend from there. */
  tellSignIn(id: string, input: Partial<api.SignInInput>): Promise<void> {
    return this.#attempt("The sign-in did not take this", () =>
      this.#backend.signInInput(id, { ...emptyInput, ...input }),
    );
  }

  cancelSignIn(id: string): Promise<void> {
    return this.#attempt("The sign-in could not be cancelled", () => this.#backend.cancelSignIn(id));
  }

  signOut(id: string): Promise<void> {
    return this.#attempt("Signing out failed", () => this.#backend.signOut(id));
  }

  forgetRegistration(id: string): Promise<void> {
    return this.#attempt("The registration could not be forgotten", () => this.#backend.forgetRegistration(id));
  }

  /** What every change of the vault answers. */
  setVault(vault: api.Vault): void {
    this.#store.setState({ vault });
  }

  retryVault(): Promise<void> {
    return this.#attempt("The vault could not be opened", async () => this.setVault(await this.#backend.retryVault()));
  }

  moveToKeyring(): Promise<void> {
    return this.#attempt("The keyring could not be used", async () =>
      this.setVault(await this.#backend.setVaultMode("keyring", "")),
    );
  }

  rotateVault(): Promise<void> {
    return this.#attempt("The key could not be changed", async () => {
      this.setVault(await this.#backend.rotateVault());
      this.announce("Every secret is sealed with a new key.");
    });
  }

  setScheme(registered: boolean): Promise<void> {
    return this.#attempt("The links could not be set", async () => {
      this.#store.setState({ scheme: await this.#backend.setScheme(registered) });
    });
  }

  /** The link on show is done with; the next one, if any, follows. */
  dropLink(): void {
    this.#store.setState(({ links }) => ({ links: links.slice(1) }));
  }

  async saveSettings(settings: api.Settings): Promise<void> {
    await this.#attempt("The settings could not be saved", async () => {
      await this.#backend.saveSettings(settings);
      this.#store.setState({ settings });
    });
  }

  openURL(url: string): Promise<void> {
    return this.#attempt("The address could not be opened", () => this.#backend.openURL(url));
  }

  async copy(text: string, what: string): Promise<void> {
    await this.#attempt("Copying failed", async () => {
      await this.#backend.copyText(text);
      this.announce(`${what} copied.`);
    });
  }

  openDialog(dialog: AppState["dialog"]): void {
    this.#store.setState({ dialog });
  }

  closeDialog(): void {
    this.#store.setState({ dialog: { kind: "none" } });
  }

  setInbox(change: Partial<AppState["inbox"]>): void {
    this.#store.setState(({ inbox }) => ({ inbox: { ...inbox, ...change } }));
  }

  setHistory(serverId: string, change: Partial<ServerView["history"]>): void {
    this.#view(serverId, (view) => ({ history: { ...view.history, ...change } }));
  }

  setDrawer(change: Partial<AppState["drawer"]>): void {
    this.#store.setState(({ drawer }) => ({ drawer: { ...drawer, ...change } }));
  }

  setSidebar(open: boolean): void {
    this.#store.setState({ sidebarOpen: open });
  }

  announce(text: string): void {
    this.#store.setState({ announcement: text });
  }

  dismissNotice(id: number): void {
    this.#store.setState(({ notices }) => ({ notices: notices.filter((notice) => notice.id !== id) }));
  }

  async #attempt(what: string, run: () => Promise<unknown>): Promise<void> {
    try {
      await run();
    } catch (thrown) {
      this.report(what, thrown);
    }
  }

  /** Shows what went well where nothing on the page tells it. */
  inform(text: string, hint: string): void {
    this.#noticeCount += 1;
    const notice = { id: this.#noticeCount, tone: "info" as const, text, hint };
    this.#store.setState(({ notices }) => ({ notices: [...notices.slice(-2), notice] }));
  }

  /** Shows what failed, away from any place on the page that could show it. */
  report(what: string, thrown: unknown): void {
    const failure = failureOf(thrown);
    this.#noticeCount += 1;
    const notice = {
      id: this.#noticeCount,
      tone: "failure" as const,
      text: `${what}: ${failure.message}`,
      hint: failure.hint,
    };
    this.#store.setState(({ notices }) => ({ notices: [...notices.slice(-2), notice] }));
  }
}

/** Messages that were asked for and messages that arrived meanwhile, each once, in order. */
export function mergeMessages(asked: api.Message[], arrived: api.Message[]): api.Message[] {
  const first = arrived[0];
  if (!first) return asked;
  const limit = BigInt(first.n);
  return [...asked.filter((message) => BigInt(message.n) < limit), ...arrived];
}
