// oidc-provider, a strict OpenID Provider, and an MCP server on another port that only takes its tokens: PKCE, resource indicators, iss,
// rotation of refresh tokens with reuse detection, revocation. Its login and consent pages are the ones for development.
//
//   node oidc.mjs        PORT, RESOURCE_PORT, TTL (seconds of an access token); DOCUMENT: the URL of the one Client ID Metadata Document
//                        that it knows, and then nobody can register
import { errors, Provider } from "oidc-provider";
import { mcp, note, serve } from "./serve.mjs";

const { PORT, RESOURCE_PORT, TTL, DOCUMENT } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const resourceOrigin = `http://127.0.0.1:${RESOURCE_PORT}`;
const resource = `${resourceOrigin}/mcp`;
const accessTokenTTL = Number(TTL);

const document = {
  client_id: DOCUMENT,
  client_name: "Jackfield",
  redirect_uris: ["http://127.0.0.1/callback", "http://localhost/callback", "jackfield://oauth/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  application_type: "native",
};

const provider = new Provider(issuer, {
  clientDefaults: { token_endpoint_auth_method: "none" },
  clientAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
  scopes: ["openid", "offline_access", "mcp:read"],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: { AccessToken: accessTokenTTL, AuthorizationCode: 60, Grant: 3600, Interaction: 600, RefreshToken: 3600, Session: 3600 },
  findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
  fetch: async (url) => {
    note("fetch", String(url));
    return Response.json(document);
  },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: !DOCUMENT },
    revocation: { enabled: true },
    ...(DOCUMENT && { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }),
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => undefined,
      useGrantedResource: async () => true,
      getResourceServerInfo: async (_context, asked) => {
        if (asked !== resource) throw new errors.InvalidTarget();
        return { scope: "mcp:read", audience: asked, accessTokenTTL, accessTokenFormat: "opaque" };
      },
    },
  },
});
provider.on("server_error", (_context, error) => console.error(error));
provider.on("grant.success", (context) => note(context.oidc.params.grant_type));
provider.on("grant.error", (_context, error) => note("refused", `${error.error} ${error.error_description ?? ""}`));
provider.on("registration_create.success", (_context, client) => note("register", client.redirectUris.join(" ")));
provider.on("registration_create.error", (_context, error) => note("refused", `${error.error} ${error.error_description ?? ""}`));
provider.on("authorization.success", (context) => note("authorize", context.oidc.params.redirect_uri));
provider.on("authorization.error", (_context, error) => note("refused", `${error.error} ${error.error_description ?? ""}`));
for (const kind of ["access_token", "refresh_token"]) provider.on(`${kind}.destroyed`, () => note("destroyed", kind));
provider.use(async (context, next) => {
  await next();
  if (context.path === "/token/revocation" && context.status === 200) note("revoke");
});
await new Promise((resolve) => provider.listen(Number(PORT), "127.0.0.1", resolve));

await serve(Number(RESOURCE_PORT), async (request) => {
  const { pathname } = new URL(request.url);
  const metadata = "/.well-known/oauth-protected-resource/mcp";
  if (pathname === metadata) {
    return Response.json({ resource, authorization_servers: [issuer], scopes_supported: ["mcp:read"] });
  }
  if (pathname !== "/mcp") return new Response(null, { status: 404 });
  const token = await provider.AccessToken.find(/^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "");
  if (!token?.isValid || token.aud !== resource) {
    const challenge = `Bearer error="invalid_token", resource_metadata="${resourceOrigin}${metadata}"`;
    return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
  }
  return mcp(request, token.accountId);
});
note("up");
