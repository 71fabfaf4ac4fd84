// Servers without sessions, which ask in rounds and tell of changes on a stream that is subscribed to.
import { acceptedContent, inputRequired, inputResponse, McpServer } from "@modelcontextprotocol/server";
import { createMcpHandler } from "agents/mcp/server";
import { z } from "zod";
import { amount, text } from "./text";

let total = 0;
const grown: string[] = [];

function build() {
  const listChanged = true;
  const server = new McpServer(
    { name: "stateless", version: "2.0.0" },
    { capabilities: { tools: { listChanged }, prompts: { listChanged }, resources: { listChanged, subscribe: true } } },
  );
  server.registerTool("sum", { inputSchema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) => text(`${a + b}`));
  server.registerTool("form", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "amount");
    if (answer.kind === "missing") {
      const elicit = inputRequired.elicit({ message: "How much?", requestedSchema: amount });
      return inputRequired({ inputRequests: { amount: elicit } });
    }
    if (answer.kind === "elicit" && answer.action !== "accept") return text(answer.action);
    total += acceptedContent(mcpReq.inputResponses, "amount", z.object({ amount: z.number() }))?.amount ?? 0;
    return text(`total ${total}`);
  });
  server.registerTool("visit", { inputSchema: z.object({}) }, async (_, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, "link");
    if (answer.kind === "missing") {
      const elicit = inputRequired.elicitUrl({ message: "Visit this.", url: "https://example.com/visit" });
      return inputRequired({ inputRequests: { link: elicit }, requestState: 'kept "as it is" \u00e9' });
    }
    return text(`visit: ${answer.kind === "elicit" ? answer.action : answer.kind}`);
  });
  server.registerTool("endless", { inputSchema: z.object({}) }, async () =>
    inputRequired({ inputRequests: { amount: inputRequired.elicit({ message: "Again?", requestedSchema: amount }) } }),
  );
  for (const name of grown) server.registerTool(name, { inputSchema: z.object({}) }, async () => text(name));
  server.registerPrompt("greet", { argsSchema: z.object({ name: z.string() }) }, async ({ name }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
  }));
  return server;
}

export const dual = createMcpHandler(build, { route: "/v2" });
export const strict = createMcpHandler(build, { route: "/v2-strict", legacy: "reject" });

export function notify(kind: string | null) {
  if (kind === "tools") grown.push(`grown-${grown.length + 1}`);
  for (const { notify } of [dual, strict]) {
    if (kind === "tools") notify.toolsChanged();
    if (kind === "prompts") notify.promptsChanged();
  }
  return new Response("told\n");
}
