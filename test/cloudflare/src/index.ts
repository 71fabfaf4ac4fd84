// /mcp, /sse             McpAgent: sessions, 2025-11-25, and the same over HTTP+SSE
// /legacy                WorkerTransport with an event store: streams that can be resumed
// /v2, /v2-strict        createMcpHandler: 2026-07-28, with and without a lane for older clients
// /v2-notify?kind=...    makes /v2 say that something changed
import { Sessions } from "./sessions";
import { Resumable, resumable } from "./resumable";
import { dual, notify, strict } from "./stateless";

export { Resumable, Sessions };

type Handler = (request: Request, env: any, ctx: ExecutionContext) => Response | Promise<Response>;

const streamable = Sessions.serve("/mcp");
const sse = Sessions.serveSSE("/sse");
const routes: Record<string, Handler> = {
  "/mcp": (r, e, c) => streamable.fetch(r, e, c),
  "/sse": (r, e, c) => sse.fetch(r, e, c),
  "/sse/message": (r, e, c) => sse.fetch(r, e, c),
  "/legacy": resumable,
  "/v2": dual,
  "/v2-strict": strict,
  "/v2-notify": (r) => notify(new URL(r.url).searchParams.get("kind")),
};

export default {
  fetch(request: Request, env: any, ctx: ExecutionContext) {
    const route = routes[new URL(request.url).pathname];
    return route ? route(request, env, ctx) : new Response("there is nothing here", { status: 404 });
  },
};
