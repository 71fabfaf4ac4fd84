// A server with sessions, each a Durable Object.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker-provider.js";
import { McpAgent } from "agents/mcp";
import { z } from "zod";
import { amount, pause, text } from "./text";

export class Sessions extends McpAgent<any, { total: number; runs: number }, {}> {
  initialState = { total: 0, runs: 0 };
  server = new McpServer(
    { name: "sessions", version: "1.0.0" },
    {
      instructions: "Counts.",
      // The default validator makes code at run time, which workerd forbids: every accepted form would fail.
      jsonSchemaValidator: new CfWorkerJsonSchemaValidator(),
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
      },
    },
  );

  async init() {
    const { server } = this;
    server.registerResource("total", "count://total", {}, async (uri) => ({
      contents: [{ uri: uri.href, text: String(this.state.total) }],
    }));
    server.registerPrompt("greet", { argsSchema: { name: z.string() } }, ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
    }));
    const add = (n: number) => {
      this.setState({ total: this.state.total + n, runs: this.state.runs + 1 });
      return text(`total ${this.state.total}, runs ${this.state.runs}`);
    };
    server.registerTool("add", { inputSchema: { n: z.number() } }, async ({ n }) => {
      const result = add(n);
      await server.server.sendResourceUpdated({ uri: "count://total" });
      return result;
    });
    server.registerTool("sum", { inputSchema: { a: z.number(), b: z.number() } }, async ({ a, b }) => text(`${a + b}`));
    server.registerTool("fail", { inputSchema: {} }, async () => ({ isError: true, ...text("it <b>failed</b>") }));
    server.registerTool("wait", { inputSchema: { ms: z.number() } }, async ({ ms }) => {
      await pause(ms);
      return text(`waited ${ms}`);
    });
    server.registerTool("form", { inputSchema: {} }, async (_, { requestId }) => {
      const answer = await server.server.elicitInput(
        { mode: "form", message: "How much?", requestedSchema: amount },
        { relatedRequestId: requestId },
      );
      return answer.action === "accept" ? add(Number(answer.content?.amount)) : text(`${answer.action}, ${JSON.stringify(answer.content ?? null)}`);
    });
    server.registerTool("visit", { inputSchema: {} }, async (_, { requestId }) => {
      const elicitationId = crypto.randomUUID();
      const complete = server.server.createElicitationCompletionNotifier(elicitationId, { relatedRequestId: requestId });
      const answer = await server.server.elicitInput(
        { mode: "url", message: "Visit this.", url: `https://example.com/visit?id=${elicitationId}`, elicitationId },
        { relatedRequestId: requestId },
      );
      if (answer.action === "accept") {
        await pause(200);
        await complete();
      }
      return text(`visit: ${answer.action}`);
    });
    server.registerTool("blocked", { inputSchema: {} }, async () => {
      this.setState({ ...this.state, runs: this.state.runs + 1 });
      throw new UrlElicitationRequiredError([
        { mode: "url", message: "First this.", url: "https://example.com/first", elicitationId: crypto.randomUUID() },
      ]);
    });
    server.registerTool("grow", { inputSchema: { name: z.string() } }, async ({ name }) => {
      server.registerTool(name, { inputSchema: {} }, async () => text(`this is ${name}`));
      return text("grown");
    });
  }
}
