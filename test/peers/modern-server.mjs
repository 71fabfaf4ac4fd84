// The tools of the two small servers of protocol revision 2026-07-28.
import { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export function createServer() {
  const server = new McpServer(
    { name: "peer-modern", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool(
    "add",
    {
      title: "Add",
      description: "Adds two numbers.",
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    async ({ a, b }) => ({
      content: [{ type: "text", text: String(a + b) }],
      structuredContent: { sum: a + b },
    }),
  );
  return server;
}
