// What the authorization servers of this folder have in common: a web server for fetch handlers, one line of JSON on standard output for
// each request that a test counts, and the MCP server that the tokens are for.
import http from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";

/** Serves a fetch handler on a port of the loopback interface. */
export function serve(port, handler) {
  const origin = `http://127.0.0.1:${port}`;
  const server = http.createServer(async (incoming, outgoing) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const bare = ["GET", "HEAD"].includes(incoming.method);
    const request = new Request(origin + incoming.url, {
      method: incoming.method,
      headers: incoming.headers,
      body: bare ? undefined : Buffer.concat(chunks),
    });
    try {
      await tell(request);
      const response = await handler(request);
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    } catch (error) {
      console.error(error);
      outgoing.writeHead(500).end(String(error));
    }
  });
  return new Promise((resolve) => server.listen(port, "127.0.0.1", resolve));
}

/** Prints what a test counts: registrations, authorizations, grants, revocations. No token is printed. */
export async function tell(request) {
  const { pathname, searchParams } = new URL(request.url);
  const form = async () => new URLSearchParams(await request.clone().text());
  if (pathname === "/authorize") note("authorize", searchParams.get("redirect_uri"));
  if (request.method !== "POST") return;
  if (pathname === "/register") note("register", (await request.clone().json()).redirect_uris?.join(" "));
  if (pathname === "/token") note((await form()).get("grant_type"), "");
}

export function note(what, detail = "") {
  console.log(JSON.stringify({ what, detail }));
}

/** Answers one MCP request, without sessions. The one tool says whose token it was called with. */
export async function mcp(request, subject) {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const server = new McpServer({ name: "protected", version: "1.0.0" });
  server.registerTool("whoami", { description: "Says who is signed in." }, async () => ({
    content: [{ type: "text", text: `signed in as ${subject}` }],
  }));
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  return transport.handleRequest(request);
}
