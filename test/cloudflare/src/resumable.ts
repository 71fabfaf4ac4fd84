// A server whose streams have event ids and can be resumed. The id of the session is the name of its Durable Object.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/cfworker-provider.js";
import { Agent, getAgentByName } from "agents";
import { createLegacyMcpHandler, DurableObjectEventStore, WorkerTransport } from "agents/mcp";
import { z } from "zod";
import { pause, text } from "./text";

const stateKey = "transport";

export class Resumable extends Agent<any, { runs: number }> {
  initialState = { runs: 0 };
  server = new McpServer(
    { name: "resumable", version: "1.0.0" },
    { jsonSchemaValidator: new CfWorkerJsonSchemaValidator() },
  );
  handler = createLegacyMcpHandler(this.server, {
    route: "/legacy",
    transport: new WorkerTransport({
      sessionIdGenerator: () => this.name,
      eventStore: new DurableObjectEventStore(this.ctx.storage),
      storage: {
        get: () => this.ctx.storage.kv.get(stateKey) as any,
        set: (state: any) => void this.ctx.storage.kv.put(stateKey, state),
      },
    }),
  });

  onStart() {
    this.server.registerTool(
      "slow",
      { inputSchema: { steps: z.number(), ms: z.number() } },
      async ({ steps, ms }, { _meta, sendNotification }) => {
        this.setState({ runs: this.state.runs + 1 });
        for (let progress = 1; progress <= steps; progress++) {
          await pause(ms);
          if (_meta?.progressToken !== undefined) {
            const params = { progressToken: _meta.progressToken, progress, total: steps };
            await sendNotification({ method: "notifications/progress", params });
          }
        }
        return text(`runs ${this.state.runs}`);
      },
    );
  }

  answer(request: Request) {
    return this.handler(request, this.env, {} as any);
  }
}

export async function resumable(request: Request, env: any): Promise<Response> {
  const session = request.headers.get("mcp-session-id") ?? crypto.randomUUID();
  const agent: any = await getAgentByName(env.RESUMABLE, session);
  return agent.answer(request);
}
