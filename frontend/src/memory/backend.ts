/**
 * The in-memory twin of the program: the same contract, played in this page. It lets the whole user interface run in a plain
 * browser and is what the tests run against. One object owns everything; time comes from setTimeout, scaled by `pace`.
 */
import { type api, type Backend, BackendError } from "../backend";
import { checkConfig, invalidConfig } from "../servers/config";
import { MemoryCalls } from "./calls";
import { importedServer, linkOf } from "./links";
import { MemoryObserver } from "./observe";
import { parsePaste } from "./paste";
import { completions } from "./playground";
import { Recorder } from "./recorder";
import { MemorySignIn, type SignInScript } from "./signin";
import { MemoryVault, vaultOf } from "./vault";
import {
  createWorld,
  emptyCatalog,
  exitedRow,
  type MemoryServer,
  readyRow,
  rowOf,
  signInRow,
  unreachable,
} from "./world";

export interface MemoryOptions {
  /** Factor on every waiting time; 0 does everything at the next turn. */
  pace?: number;
  servers?: MemoryServer[];
  signIn?: SignInScript;
  vault?: api.Vault;
  link?: api.Link;
}

export function createMemoryBackend(options: MemoryOptions = {}): MemoryBackend {
  return new MemoryBackend(options);
}

/**
 * How a page in a plain browser starts: `?world=empty` without servers, `?world=review` with an import that waits for
 * approval, `?pace=0` without waiting, `?signin=confirm|client|refused`, `?vault=session|locked|passphrase|…`, and
 * `?link=command|url|broken` as if a link had opened it.
 */
export function memoryOptions(search: string): MemoryOptions {
  const parameters = new URLSearchParams(search);
  const pace = parameters.get("pace");
  const world = parameters.get("world");
  const vault = parameters.get("vault");
  const script = scripts.find((known) => known === parameters.get("signin"));
  const link = linkOf(parameters.get("link"));
  return {
    ...(world === "empty" && { servers: [] }),
    ...(world === "review" && { servers: [importedServer(), ...createWorld(Date.now())] }),
    ...(script && { signIn: script }),
    ...(vault && { vault: vault === "passphrase" ? vaultOf("locked", "passphrase") : vaultOf(vault) }),
    ...(link && { link }),
    ...(pace !== null && { pace: Number(pace) }),
  };
}

const scripts = ["plain", "confirm", "client", "refused"] as const;

export class MemoryBackend implements Backend {
  readonly #servers = new Map<string, MemoryServer>();
  readonly #recorder = new Recorder();
  readonly #calls: MemoryCalls;
  readonly #signIn: MemorySignIn;
  readonly #vault: MemoryVault;
  readonly #observer = new MemoryObserver();
  readonly #pace: number;
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #link: api.Link | undefined;
  #scheme: api.Scheme = { registered: true, supported: true, detail: "" };
  #settings: api.Settings = { theme: "system", askWindow: "inline", density: "compact" };
  /** What openURL and copyText got, for tests. */
  readonly opened: string[] = [];
  readonly copied: string[] = [];
  readonly exported: { format: string; messages: api.Message[] }[] = [];

  constructor({ pace = 1, servers, signIn = "plain", vault = vaultOf("open"), link }: MemoryOptions) {
    this.#pace = pace;
    this.#link = link;
    this.#vault = new MemoryVault(vault);
    this.#signIn = new MemorySignIn(
      {
        put: (server, row) => this.#put(server, row),
        later: (id, ms, run) => this.#later(id, ms, run),
        stop: (id) => this.#stopTimer(id),
        open: (url) => this.opened.push(url),
        connect: (server) => this.#connected(server),
        kept: () => this.#vault.vault.state === "open",
      },
      signIn,
    );
    for (const server of servers ?? createWorld(Date.now())) this.#servers.set(server.row.id, server);
    this.#calls = new MemoryCalls(
      this.#recorder,
      (ms) => ms * this.#pace,
      (id) => this.#servers.get(id),
    );
    for (const server of this.#servers.values()) this.#recorder.handshake(server);
    this.#calls.seedHistory();
    const farm = this.#servers.get("farm");
    if (farm?.row.retryAt) this.#waitForRetry(farm, 4);
  }

  onBatch(listener: (batch: api.Batch) => void): () => void {
    return this.#recorder.listen(listener);
  }

  async ready(): Promise<api.Snapshot> {
    this.#recorder.open();
    const link = this.#link;
    this.#link = undefined;
    return { ...(await this.snapshot()), ...(link && { link }) };
  }

  async snapshot(): Promise<api.Snapshot> {
    return {
      seq: this.#recorder.seq,
      servers: [...this.#servers.values()].map((server) => server.row),
      asks: this.#calls.openAsks(),
      calls: this.#calls.running(),
      troubles: [],
      settings: this.#settings,
      about: { version: "0.1.0", dataDir: "/home/ana/.local/share/jackfield", platform: "browser" },
      vault: this.#vault.vault,
      scheme: this.#scheme,
    };
  }

  async parseServers(text: string): Promise<api.Parsed> {
    return parsePaste(text);
  }

  async addServer(config: api.Config): Promise<string> {
    this.#check(config, "");
    const id = crypto.randomUUID();
    const server: MemoryServer = { config, row: rowOf(id, config), catalog: emptyCatalog(id), outcome: "ready" };
    if (config.url.includes("refused")) server.outcome = "unreachable";
    this.#servers.set(id, server);
    this.#put(server, server.row);
    if (config.enabled) await this.connect(id);
    return id;
  }

  #check(config: api.Config, id: string): void {
    const fields = checkConfig(config);
    const taken = [...this.#servers.values()].some((other) => other.row.id !== id && other.config.name === config.name);
    if (taken) fields.push({ pointer: "/name", message: "Another server has this name." });
    if (fields.length > 0) throw new BackendError(invalidConfig(fields));
  }

  async serverConfig(id: string): Promise<api.Config> {
    return this.#get(id).config;
  }

  async editServer(id: string, config: api.Config): Promise<void> {
    const server = this.#get(id);
    this.#check(config, id);
    const fresh = rowOf(id, config);
    server.config = config;
    server.outcome = "ready";
    this.#put(server, { ...fresh, catalogVersion: server.row.catalogVersion, counts: server.row.counts });
    if (config.enabled) await this.connect(id);
  }

  async removeServer(id: string): Promise<void> {
    this.#get(id);
    this.#stopTimer(id);
    this.#calls.abandon(id, "The server was removed.");
    this.#servers.delete(id);
    this.#recorder.emit({ type: "mcp:client:removed", serverId: id });
  }

  async setServerEnabled(id: string, enabled: boolean): Promise<void> {
    const server = this.#get(id);
    server.config = { ...server.config, enabled };
    if (enabled) {
      this.#put(server, { ...server.row, enabled });
      await this.connect(id);
    } else {
      await this.disconnect(id);
      this.#put(server, { ...server.row, enabled, detail: "Disabled" });
    }
  }

  async connect(id: string): Promise<void> {
    const server = this.#get(id);
    this.#stopTimer(id);
    this.#put(server, {
      ...server.row,
      state: "connecting",
      detail: "Connecting",
      error: undefined,
      retryAt: "",
      attempts: 1,
      generation: String(Number(server.row.generation) + 1),
    });
    this.#later(id, 500, () => this.#connected(server));
  }

  #connected(server: MemoryServer): void {
    if (server.outcome === "exits") {
      this.#put(server, exitedRow(server.row));
      return;
    }
    if (server.outcome === "signIn") {
      this.#put(server, signInRow(server.row));
      return;
    }
    if (server.outcome === "unreachable") {
      this.#put(server, { ...server.row, error: unreachable(server.row.endpoint) });
      this.#waitForRetry(server, 4);
      return;
    }
    this.#put(server, { ...server.row, state: "discovering", detail: "Loading the lists" });
    this.#later(server.row.id, 300, () => {
      this.#put(server, readyRow(server.row, server.config, server.catalog));
      server.catalog = { ...server.catalog, version: server.row.catalogVersion };
      this.#recorder.handshake(server);
    });
  }

  /** Waits for the next attempt, which fails like the one before; after the third the server has failed. */
  #waitForRetry(server: MemoryServer, seconds: number): void {
    const retryAt = new Date(Date.now() + seconds * 1000 * this.#pace).toISOString();
    const detail = `Retry ${server.row.attempts + 1} of 3 in ${seconds} s`;
    this.#put(server, { ...server.row, state: "connecting", detail, retryAt });
    this.#later(server.row.id, seconds * 1000, () => {
      const attempts = server.row.attempts + 1;
      if (attempts < 3) {
        this.#put(server, { ...server.row, attempts });
        this.#waitForRetry(server, 5);
        return;
      }
      const failed = { state: "failed", detail: "Refused the connection", retryAt: "" };
      this.#put(server, { ...server.row, attempts, ...failed });
    });
  }

  async disconnect(id: string): Promise<void> {
    const server = this.#get(id);
    this.#stopTimer(id);
    this.#calls.abandon(id, "The connection was closed.");
    this.#put(server, {
      ...server.row,
      state: "disconnected",
      detail: "Disconnected",
      error: undefined,
      retryAt: "",
      pid: 0,
    });
  }

  async refresh(id: string): Promise<void> {
    const server = this.#get(id);
    this.#put(server, { ...server.row, state: "discovering", detail: "Loading the lists" });
    this.#later(id, 400, () => {
      this.#put(server, readyRow(server.row, server.config, server.catalog));
      server.catalog = { ...server.catalog, version: server.row.catalogVersion };
    });
  }

  async catalog(id: string): Promise<api.Catalog> {
    return this.#get(id).catalog;
  }

  call(request: api.CallRequest): Promise<api.Call> {
    const server = this.#get(request.serverId);
    if (server.row.state !== "ready") {
      return Promise.reject(
        new BackendError({
          code: "connection_closed",
          message: `${server.row.name} is not connected.`,
          hint: "Connect it, then run the call again.",
        }),
      );
    }
    return this.#calls.run(request);
  }

  async cancelCall(id: string): Promise<void> {
    this.#calls.cancel(id);
  }

  async signIn(id: string, redirect: string, newClient: boolean): Promise<void> {
    this.#signIn.start(this.#get(id), redirect, newClient);
  }

  async signInInput(id: string, input: api.SignInInput): Promise<void> {
    this.#signIn.input(this.#get(id), input);
  }

  async cancelSignIn(id: string): Promise<void> {
    this.#signIn.cancel(this.#get(id));
  }

  async signOut(id: string): Promise<void> {
    const server = this.#get(id);
    this.#calls.abandon(id, "You signed out.");
    server.outcome = "signIn";
    this.#put(server, signInRow({ ...server.row, account: undefined, signIn: undefined }));
  }

  async forgetRegistration(id: string): Promise<void> {
    await this.signOut(id);
  }

  async approve(id: string, hash: string): Promise<void> {
    const server = this.#get(id);
    if (server.row.review?.hash !== hash) {
      throw new BackendError({
        code: "invalid_input",
        message: "The command was changed after you looked at it.",
        hint: "Read it again, then approve it.",
      });
    }
    this.#put(server, { ...server.row, review: undefined, detail: "Disabled" });
  }

  async addLinked(config: api.Config): Promise<string> {
    const id = await this.addServer({ ...config, enabled: false });
    const server = this.#get(id);
    if (config.transport === "stdio") {
      this.#put(server, { ...server.row, detail: "Not approved yet", review: { source: "link", hash: "h2" } });
    }
    return id;
  }

  async retryVault(): Promise<api.Vault> {
    return this.#vault.retry();
  }

  async unlockVault(passphrase: string): Promise<api.Vault> {
    return this.#vault.unlock(passphrase);
  }

  async setVaultMode(mode: string, passphrase: string): Promise<api.Vault> {
    return this.#vault.setMode(mode, passphrase);
  }

  async rotateVault(): Promise<api.Vault> {
    return this.#vault.vault;
  }

  async forgetVault(): Promise<api.Vault> {
    return this.#vault.forget();
  }

  async setScheme(registered: boolean): Promise<api.Scheme> {
    this.#scheme = { ...this.#scheme, registered };
    return this.#scheme;
  }

  async complete({ argument, value }: api.CompleteRequest): Promise<api.Completion> {
    const values = (completions[argument] ?? []).filter((known) => known.includes(value));
    return { values, total: values.length, hasMore: false };
  }

  async subscribeResource(serverId: string, uri: string, on: boolean): Promise<void> {
    this.#calls.subscribe(this.#get(serverId).row.id, uri, on);
  }

  async expandTemplate(uriTemplate: string, values: Record<string, string>): Promise<string> {
    return uriTemplate.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      if (!value) {
        throw new BackendError({
          code: "invalid_input",
          message: `${name} has no value.`,
          hint: "Fill it in.",
          fields: [{ pointer: `/${name}`, message: "This is required." }],
        });
      }
      return encodeURIComponent(value);
    });
  }

  async history(filter: api.HistoryFilter): Promise<api.Call[]> {
    return this.#calls.history(filter);
  }

  async historyCall(id: string): Promise<api.Call> {
    return this.#calls.one(id);
  }

  async answerAsk(id: string, answer: api.Answer): Promise<void> {
    const url = this.#calls.answer(id, answer);
    if (url) await this.openURL(url);
  }

  async showAsk(id: string): Promise<void> {
    this.#calls.ask(id);
  }

  async trace(filter: api.TraceFilter): Promise<api.Message[]> {
    return this.#recorder.trace(filter);
  }

  async traceBody(n: string): Promise<string> {
    return this.#recorder.body(n);
  }

  async traceDetail(n: string): Promise<api.MessageDetail> {
    return this.#recorder.detail(n, (id) => this.#servers.get(id)?.row.url ?? "");
  }

  async exportTrace(filter: api.TraceFilter, format: string): Promise<string> {
    this.exported.push({ format, messages: this.#recorder.trace({ ...filter, limit: 100_000 }) });
    return `/home/ana/jackfield.${format}`;
  }

  async diagnose(id: string): Promise<api.Diagnosis> {
    await new Promise((resolve) => setTimeout(resolve, 400 * this.#pace));
    return this.#observer.diagnosis(this.#get(id));
  }

  async savedCalls(): Promise<api.SavedCall[]> {
    return this.#observer.saved();
  }

  async saveCall(saved: api.SavedCall): Promise<void> {
    this.#get(saved.serverId);
    this.#observer.save(saved);
  }

  async deleteSaved(name: string): Promise<void> {
    this.#observer.forget(name);
  }

  async pinCall(id: string, pinned: boolean): Promise<void> {
    this.#calls.pin(id, pinned);
  }

  async retention(): Promise<api.Retention> {
    return this.#observer.retention();
  }

  async setRetention(retention: api.Retention): Promise<number> {
    return this.#observer.setRetention(retention);
  }

  async saveSettings(settings: api.Settings): Promise<void> {
    this.#settings = settings;
  }

  async openURL(url: string): Promise<void> {
    this.opened.push(url);
  }

  async fetchText(url: string): Promise<string> {
    return this.#calls.large(url);
  }

  async copyText(text: string): Promise<void> {
    this.copied.push(text);
    await navigator.clipboard?.writeText(text);
  }

  #get(id: string): MemoryServer {
    const server = this.#servers.get(id);
    if (!server) {
      throw new BackendError({
        code: "unknown_server",
        message: "There is no such server.",
        hint: "It may have been removed.",
      });
    }
    return server;
  }

  #put(server: MemoryServer, row: api.Server): void {
    server.row = row;
    this.#recorder.emit({ type: "mcp:client:server", serverId: row.id, server: row });
  }

  #later(id: string, ms: number, run: () => void): void {
    this.#stopTimer(id);
    this.#timers.set(
      id,
      setTimeout(() => {
        if (this.#servers.has(id)) run();
      }, ms * this.#pace),
    );
  }

  #stopTimer(id: string): void {
    clearTimeout(this.#timers.get(id));
  }
}
