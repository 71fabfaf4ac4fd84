/** Signing in as the in-memory twin plays it: the steps of one attempt in order, with the person where the program needs them. */
import { type api, BackendError } from "../backend";
import { isRunning } from "../signin/words";
import type { MemoryServer } from "./world";

/** Where the play goes: straight through, or by way of something that a person has to decide or that goes wrong. */
export type SignInScript = "plain" | "confirm" | "client" | "refused";

const host = "login.calendar.example";
const issuer = `https://${host}`;
const baseScopes = ["calendar.read", "offline_access"];
const redirects: Record<string, string> = {
  scheme: "jackfield://oauth/callback",
  "127.0.0.1": "http://127.0.0.1:49152/callback",
  localhost: "http://localhost:49152/callback",
};
const waitMs = 600_000;

interface Attempt {
  state: string;
  scopes: string[];
  client: string;
}

export interface SignInWorld {
  put(server: MemoryServer, row: api.Server): void;
  later(id: string, ms: number, run: () => void): void;
  stop(id: string): void;
  open(url: string): void;
  /** Goes on as after any successful connection. */
  connect(server: MemoryServer): void;
  kept(): boolean;
}

export class MemorySignIn {
  readonly #world: SignInWorld;
  readonly #script: SignInScript;
  readonly #attempts = new Map<string, Attempt>();
  #count = 0;

  constructor(world: SignInWorld, script: SignInScript) {
    this.#world = world;
    this.#script = script;
  }

  start(server: MemoryServer, redirect: string, newClient: boolean): void {
    if (isRunning(server.row.signIn)) fail("A sign-in is already under way.", "Go on with it, or cancel it.");
    this.#count += 1;
    const wanted = server.wants ?? [];
    const state = `s${this.#count}`;
    const scopes = [...new Set([...baseScopes, ...(server.row.account?.scopesGranted ?? []), ...wanted])];
    this.#attempts.set(server.row.id, { state, scopes, client: newClient ? `app-${this.#count}` : "app-1" });
    const steps = ["discover", "register", "authorize", "exchange", "connect"].map((name) => step(name));
    const kind = redirect || server.config.signIn.redirect || "127.0.0.1";
    this.#world.put(server, {
      ...server.row,
      detail: "Signing in",
      signIn: {
        id: `attempt-${this.#count}`,
        state: "working",
        detail: "Asking the server who signs you in",
        startedAt: new Date().toISOString(),
        deadline: "",
        issuer: "",
        host: "",
        redirect: kind,
        redirectUri: redirects[kind] ?? "",
        scopes,
        url: "",
        opened: false,
        steps,
      },
    });
    this.#step(server, "discover", { state: "working" });
    this.#world.later(server.row.id, 200, () => this.#discovered(server));
  }

  #discovered(server: MemoryServer): void {
    this.#step(server, "discover", {
      state: "done",
      detail: `resource metadata → ${host}`,
      tookMs: 64,
      exchanges: [
        exchange("GET", `${server.config.url}.well-known/oauth-protected-resource`, "", {
          resource: server.config.url,
          authorization_servers: [issuer],
          scopes_supported: baseScopes,
        }),
        exchange("GET", `${issuer}/.well-known/oauth-authorization-server`, "", {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
        }),
      ],
    });
    this.#change(server, { issuer, host });
    if (this.#script === "confirm") {
      this.#change(server, { state: "confirm", detail: `${host} will sign you in to ${server.row.endpoint}` });
      return;
    }
    this.#register(server);
  }

  #register(server: MemoryServer): void {
    if (this.#script === "client") {
      this.#change(server, { state: "client", detail: "Nothing could be registered" });
      this.#step(server, "register", { state: "working", detail: "needs a client ID from you" });
      return;
    }
    this.#change(server, { state: "working", detail: "Registering this app" });
    this.#step(server, "register", { state: "working" });
    this.#world.later(server.row.id, 200, () => {
      const client = this.#attempt(server).client;
      this.#step(server, "register", {
        state: "done",
        detail: "jackfield:// refused, 127.0.0.1 accepted (remembered)",
        tookMs: 120,
        exchanges: [
          exchange(
            "POST",
            `${issuer}/register`,
            JSON.stringify({ client_name: "Jackfield", redirect_uris: ["jackfield://oauth/callback"] }, null, 2),
            { error: "invalid_redirect_uri", error_description: "<b>only http and https</b>" },
            400,
          ),
          exchange(
            "POST",
            `${issuer}/register`,
            JSON.stringify({ client_name: "Jackfield", redirect_uris: [redirects["127.0.0.1"]] }, null, 2),
            { client_id: client, client_secret: "***", redirect_uris: [redirects["127.0.0.1"]] },
            201,
          ),
        ],
      });
      this.#wait(server);
    });
  }

  #wait(server: MemoryServer): void {
    const { state, scopes, client } = this.#attempt(server);
    const redirect = server.row.signIn?.redirectUri ?? "";
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: redirect,
      scope: scopes.join(" "),
      state,
      code_challenge_method: "S256",
    });
    const url = `${issuer}/authorize?${query}`;
    this.#step(server, "authorize", {
      state: "working",
      detail: scopes.join(", "),
      startedAt: new Date().toISOString(),
    });
    this.#world.open(url);
    this.#change(server, {
      state: "waiting",
      detail: "Waiting for your browser",
      deadline: new Date(Date.now() + waitMs).toISOString(),
      url,
      opened: true,
    });
  }

  input(server: MemoryServer, input: api.SignInInput): void {
    const { signIn } = server.row;
    if (!isRunning(signIn)) fail("No sign-in is under way.", "Press Sign in to begin one.");
    if (input.confirm) {
      this.#register(server);
      return;
    }
    if (input.clientId) {
      this.#attempt(server).client = input.clientId;
      this.#step(server, "register", { state: "done", detail: "the client ID that you gave", tookMs: 0 });
      this.#wait(server);
      return;
    }
    if (input.browserError) {
      this.#browserError(server);
      return;
    }
    if (input.address) this.#checkAddress(server, input.address);
    else if (input.openAgain) this.#world.open(signIn.url);
    this.#world.later(server.row.id, 400, () => this.#exchange(server));
  }

  #checkAddress(server: MemoryServer, address: string): void {
    const query = new URL(address).searchParams;
    if (query.get("state") !== this.#attempt(server).state) {
      fail("This address belongs to another sign-in.", "Copy the one that the browser shows now.");
    }
  }

  #browserError(server: MemoryServer): void {
    if (server.row.signIn?.redirect !== "localhost") {
      this.#change(server, { redirect: "localhost", redirectUri: redirects.localhost ?? "" });
      this.#step(server, "authorize", { state: "waiting", detail: "" });
      this.#register(server);
      return;
    }
    this.#fail(server, "authorize", "refused_redirect", "The sign-in page took none of the ways back to this app.");
  }

  #exchange(server: MemoryServer): void {
    const { scopes } = this.#attempt(server);
    this.#step(server, "authorize", { state: "done", tookMs: 19_000 });
    this.#change(server, { state: "working", detail: "Exchanging the code", url: "", deadline: "" });
    if (this.#script === "refused") {
      this.#fail(server, "exchange", "auth_refused", `${host} did not accept the code (invalid_grant).`);
      return;
    }
    this.#step(server, "exchange", {
      state: "done",
      detail: "a token for an hour, renewed by itself",
      tookMs: 88,
      exchanges: [
        exchange("POST", `${issuer}/token`, "grant_type=authorization_code&code=***&code_verifier=***", {
          access_token: "***",
          refresh_token: "***",
          token_type: "Bearer",
          expires_in: 3600,
          scope: scopes.join(" "),
        }),
      ],
    });
    this.#step(server, "connect", { state: "working", startedAt: new Date().toISOString() });
    this.#world.later(server.row.id, 200, () => {
      this.#step(server, "connect", { state: "done", detail: "Ready", tookMs: 210 });
      this.#change(server, { state: "done", detail: "Signed in" });
      server.outcome = "ready";
      server.wants = [];
      this.#world.put(server, { ...server.row, error: undefined, account: this.#account(server, scopes) });
      this.#world.connect(server);
    });
  }

  #account(server: MemoryServer, scopes: string[]): api.Account {
    const given = scopes.filter((scope) => scope !== "offline_access");
    return {
      issuer,
      resource: server.config.url,
      clientId: this.#attempt(server).client,
      source: this.#script === "client" ? "preregistered" : "dcr",
      redirect: server.row.signIn?.redirect ?? "",
      redirectUri: server.row.signIn?.redirectUri ?? "",
      scopesRequested: scopes,
      scopesGranted: given,
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      renews: true,
      kept: this.#world.kept(),
      updatedAt: new Date().toISOString(),
    };
  }

  cancel(server: MemoryServer): void {
    if (!isRunning(server.row.signIn)) return;
    this.#world.stop(server.row.id);
    const { steps } = server.row.signIn;
    const stopped = steps.map((row) => (row.state === "working" ? { ...row, state: "skipped", detail: "" } : row));
    this.#change(server, {
      state: "cancelled",
      detail: "Cancelled",
      steps: stopped,
      url: "",
      deadline: "",
      error: { code: "cancelled", message: "You cancelled the sign-in.", hint: "Nothing was stored." },
    });
  }

  #fail(server: MemoryServer, at: string, code: string, message: string): void {
    this.#step(server, at, {
      state: "failed",
      detail: message,
      tookMs: 40,
      exchanges: [exchange("POST", `${issuer}/token`, "code=***", { error: "invalid_grant" }, 400)],
    });
    const hint = "Try again; if it stays so, register this app again or choose another way back.";
    this.#change(server, { state: "failed", detail: message, url: "", deadline: "", error: { code, message, hint } });
  }

  #attempt(server: MemoryServer): Attempt {
    return this.#attempts.get(server.row.id) ?? fail("No sign-in is under way.", "Press Sign in to begin one.");
  }

  #change(server: MemoryServer, change: Partial<api.SignIn>): void {
    if (server.row.signIn) this.#world.put(server, { ...server.row, signIn: { ...server.row.signIn, ...change } });
  }

  #step(server: MemoryServer, name: string, change: Partial<api.SignInStep>): void {
    const steps = server.row.signIn?.steps ?? [];
    this.#change(server, { steps: steps.map((row) => (row.name === name ? { ...row, ...change } : row)) });
  }
}

function fail(message: string, hint: string): never {
  throw new BackendError({ code: "invalid_input", message, hint });
}

const step = (name: string): api.SignInStep => ({
  name,
  state: "waiting",
  detail: "",
  startedAt: new Date().toISOString(),
  tookMs: 0,
  exchanges: [],
});

const exchange = (method: string, url: string, sent: string, received: unknown, status = 200): api.HTTPExchange => ({
  method,
  url,
  sent,
  status,
  received: JSON.stringify(received, null, 2),
  error: "",
  tookMs: 32,
});
