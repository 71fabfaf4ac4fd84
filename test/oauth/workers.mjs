// @cloudflare/workers-oauth-provider, the library behind many hosted servers, with the MCP server on the same origin. It refuses redirects
// to custom schemes. Everybody is let in as alice.
//
// An access token lives for a minute or more here, so SIGUSR2 stands for the passing of time: it ends every access token.
//
//   node --import ./workers-hooks.mjs workers.mjs        PORT
import { mcp, note, serve } from "./serve.mjs";

const { OAuthProvider } = await import("@cloudflare/workers-oauth-provider");
const port = Number(process.env.PORT);
const origin = `http://127.0.0.1:${port}`;

/** As much of a KV namespace as the library uses. */
class Memory {
  entries = new Map();

  async get(key, options) {
    const found = this.entries.get(key);
    if (!found || found.until < Date.now()) return null;
    return (options?.type ?? options) === "json" ? JSON.parse(found.value) : found.value;
  }
  async put(key, value, { expiration, expirationTtl } = {}) {
    const until = expiration ? expiration * 1000 : expirationTtl ? Date.now() + expirationTtl * 1000 : Infinity;
    this.entries.set(key, { value, until });
  }
  async delete(key) {
    this.entries.delete(key);
  }
  async list({ prefix = "", limit = 1000 } = {}) {
    const names = [...this.entries.keys()].filter((name) => name.startsWith(prefix)).slice(0, limit);
    return { keys: names.map((name) => ({ name })), list_complete: true };
  }
}

const provider = new OAuthProvider({
  apiRoute: ["/mcp"],
  apiHandler: { fetch: (request, _env, context) => mcp(request, context.props.user) },
  defaultHandler: {
    async fetch(request, env) {
      if (new URL(request.url).pathname !== "/authorize") return new Response("not found", { status: 404 });
      try {
        const asked = await env.OAUTH_PROVIDER.parseAuthRequest(request);
        const { redirectTo } = await env.OAUTH_PROVIDER.completeAuthorization({
          request: asked,
          userId: "alice",
          metadata: {},
          scope: asked.scope,
          props: { user: "alice" },
        });
        return new Response(null, { status: 302, headers: { location: redirectTo } });
      } catch (error) {
        return new Response(`authorize: ${error.message}`, { status: 400 });
      }
    },
  },
  authorizeEndpoint: "/authorize",
  tokenEndpoint: "/token",
  clientRegistrationEndpoint: "/register",
  scopesSupported: ["mcp:read"],
  accessTokenTTL: 3600,
  resourceMetadata: { resource: `${origin}/mcp` },
});

const env = { OAUTH_KV: new Memory() };
process.on("SIGUSR2", () => {
  for (const key of env.OAUTH_KV.entries.keys()) if (key.startsWith("token:")) env.OAUTH_KV.entries.delete(key);
  note("expired");
});
const context = () => ({ waitUntil() {}, passThroughOnException() {}, props: {} });
await serve(port, async (request) => {
  if (new URL(request.url).pathname === "/token" && new URLSearchParams(await request.clone().text()).has("token")) note("revoke");
  const response = await provider.fetch(request, env, context());
  if (response.status >= 400) note("refused", `${response.status} ${new URL(request.url).pathname} ${await response.clone().text()}`);
  return response;
});
note("up");
