/** Pure: what the add and edit dialog does with a Config. */
import type { api } from "../backend";

export const emptySignIn: api.SignInConfig = {
  mode: "auto",
  redirect: "",
  clientId: "",
  issuer: "",
  authMethod: "",
  clientSecret: "",
  hasSecret: false,
  privateKey: "",
  hasKey: false,
  scopes: [],
  resource: "",
  omitResource: false,
  noConsent: false,
  noOffline: false,
};

export const emptyConfig: api.Config = {
  name: "",
  transport: "auto",
  url: "",
  headers: [],
  command: "",
  args: [],
  env: [],
  cwd: "",
  era: "auto",
  enabled: true,
  trustLocalNetwork: false,
  maxAttempts: 0,
  connectMs: 0,
  discoveryMs: 0,
  callIdleMs: 0,
  callTotalMs: 0,
  roots: [],
  logLevel: "",
  signIn: emptySignIn,
};

/** From which severity on a server is asked to log; "default" stands for "". */
export const logLevels = [
  { key: "default", label: "As the server likes" },
  ...["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"].map((key) => ({
    key,
    label: `From ${key} on`,
  })),
];
export const logLevelKey = (level: string): string => level || "default";
export const logLevelOf = (key: string): string => (key === "default" ? "" : key);

/** One argument per line: nothing has to be quoted, and a blank line at the end is only a line that is being written. */
export const argsToText = (args: string[]): string => args.join("\n");
export const textToArgs = (text: string): string[] => (text === "" ? [] : text.split("\n"));

/** "" is the default. Times are written in seconds and kept in milliseconds. */
export const msToText = (ms: number): string => (ms === 0 ? "" : String(ms / 1000));

export function textToMs(text: string): number | undefined {
  if (text.trim() === "") return 0;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

export const isLocal = (config: api.Config): boolean => config.transport === "stdio";
export const isBuiltin = (config: api.Config): boolean => config.transport === "builtin";

/** Drops what belongs to the other kind of transport and rows without a name, so that only what is in sight is stored. */
export function tidy(config: api.Config): api.Config {
  const named = (rows: api.Variable[]) => rows.filter((row) => row.name.trim() !== "" || row.value !== "");
  const roots = (config.roots ?? []).map((root) => root.trim()).filter((root) => root !== "");
  const shared = { ...config, name: config.name.trim(), roots };
  if (isBuiltin(config)) return shared;
  return isLocal(config)
    ? {
        ...shared,
        url: "",
        headers: [],
        trustLocalNetwork: false,
        args: trimEnd(config.args),
        env: named(config.env),
        signIn: emptySignIn,
      }
    : {
        ...shared,
        url: config.url.trim(),
        command: "",
        args: [],
        env: [],
        cwd: "",
        headers: named(config.headers),
        signIn: tidySignIn(config.signIn),
      };
}

function tidySignIn(signIn: api.SignInConfig): api.SignInConfig {
  return {
    ...signIn,
    clientId: signIn.clientId.trim(),
    issuer: signIn.issuer.trim(),
    resource: signIn.omitResource ? "" : signIn.resource.trim(),
    scopes: (signIn.scopes ?? []).filter((scope) => scope !== ""),
  };
}

/** Scopes are written as in the protocol: with spaces between them. */
export const scopesToText = (scopes: string[]): string => (scopes ?? []).join(" ");
export const textToScopes = (text: string): string[] => (text === "" ? [] : text.split(/\s/));

function trimEnd(args: string[]): string[] {
  return args.at(-1) === "" ? trimEnd(args.slice(0, -1)) : args;
}

/** What can be said about a configuration before the program sees it; the program decides the rest. */
export function checkConfig(config: api.Config): api.FieldError[] {
  const errors: api.FieldError[] = [];
  const say = (pointer: string, message: string) => errors.push({ pointer, message });
  if (config.name.trim() === "") say("/name", "A server needs a name.");
  if (isLocal(config)) {
    if (config.command.trim() === "") say("/command", "A local server needs a command.");
    if (config.env.some((row) => row.name.trim() === "" && row.value !== "")) say("/env", "A variable has no name.");
    return errors;
  }
  if (isBuiltin(config)) return errors;
  if (config.url.trim() === "") say("/url", "A remote server needs a URL.");
  else if (!isHTTP(config.url)) say("/url", "This is not an http or https URL.");
  if (config.headers.some((row) => row.name.trim() === "" && row.value !== ""))
    say("/headers", "A header has no name.");
  errors.push(...checkSignIn(config.signIn));
  return errors;
}

function checkSignIn(signIn: api.SignInConfig): api.FieldError[] {
  const errors: api.FieldError[] = [];
  const say = (name: string, message: string) => errors.push({ pointer: `/signIn/${name}`, message });
  const withoutPerson = signIn.mode === "client-credentials";
  const client = signIn.clientId.trim() !== "";
  if (withoutPerson && !client) say("clientId", "Signing in without a person needs a client ID.");
  if (!client && signIn.clientSecret !== "") say("clientSecret", "A client secret needs a client ID.");
  if (signIn.authMethod === "private_key_jwt" && signIn.privateKey === "" && !signIn.hasKey) {
    say("privateKey", "Signed assertions need a private key.");
  }
  if (signIn.privateKey !== "" && !signIn.privateKey.includes("-----BEGIN")) {
    say("privateKey", "This is not a key in PEM form: it begins with -----BEGIN.");
  }
  if (signIn.issuer.trim() !== "" && !isHTTP(signIn.issuer)) say("issuer", "This is not an http or https URL.");
  return errors;
}

function isHTTP(text: string): boolean {
  try {
    return /^https?:$/.test(new URL(text.trim()).protocol);
  } catch {
    return false;
  }
}

export const invalidConfig = (fields: api.FieldError[]): api.Failure => ({
  code: "invalid_input",
  message: "The server cannot be saved like this.",
  hint: "Correct the marked fields.",
  fields,
});

/** The messages of a failure by JSON Pointer; the ones whose place is not on the form are under "". */
export function messagesByField(failure: api.Failure | undefined, known: readonly string[]): Record<string, string> {
  const messages: Record<string, string> = {};
  for (const { pointer, message } of failure?.fields ?? []) {
    const place = known.find((prefix) => pointer === prefix || pointer.startsWith(`${prefix}/`)) ?? "";
    messages[place] = messages[place] ? `${messages[place]} ${message}` : message;
  }
  return messages;
}

export const fieldPointers = [
  "/name",
  "/transport",
  "/url",
  "/headers",
  "/command",
  "/args",
  "/env",
  "/cwd",
  "/era",
  "/maxAttempts",
  "/connectMs",
  "/discoveryMs",
  "/callIdleMs",
  "/callTotalMs",
  "/roots",
  "/logLevel",
  "/trustLocalNetwork",
  "/signIn/mode",
  "/signIn/redirect",
  "/signIn/clientId",
  "/signIn/clientSecret",
  "/signIn/issuer",
  "/signIn/authMethod",
  "/signIn/privateKey",
  "/signIn/scopes",
  "/signIn/resource",
] as const;
