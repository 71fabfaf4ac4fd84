/** Numbers the events of the in-memory twin, batches them per turn, and keeps the trace with its bodies. */
import { type api, BackendError } from "../backend";
import type { MemoryServer } from "./world";

export class Recorder {
  readonly #listeners = new Set<(batch: api.Batch) => void>();
  readonly #messages: api.Message[] = [];
  readonly #bodies = new Map<string, string>();
  #seq = 0;
  #pending: api.Event[] = [];
  #opened = false;

  get seq(): string {
    return String(this.#seq);
  }

  listen(listener: (batch: api.Batch) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Events before this are part of the first snapshot and are not sent. */
  open(): void {
    this.#opened = true;
  }

  emit(event: Omit<api.Event, "seq">): void {
    this.#seq += 1;
    if (!this.#opened) return;
    this.#pending.push({ seq: String(this.#seq), ...event });
    if (this.#pending.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const events = this.#pending;
    this.#pending = [];
    for (const listener of this.#listeners) listener({ events, dropped: 0 });
  }

  record(
    message: Pick<api.Message, "serverId" | "dir" | "kind" | "method"> & Partial<api.Message>,
    body: string,
  ): void {
    const n = String(this.#messages.length + 1);
    const row: api.Message = {
      n,
      time: new Date().toISOString(),
      rpcId: "",
      callId: "",
      pair: "0",
      era: "",
      summary: summaryOf(body),
      bytes: body.length,
      latencyMs: 0,
      http: 0,
      problem: "",
      ...message,
    };
    if (row.rpcId && (row.kind === "response" || row.kind === "error")) {
      const request = this.#messages.findLast(
        (known) => known.kind === "request" && known.serverId === row.serverId && known.rpcId === row.rpcId,
      );
      if (request) {
        row.pair = request.n;
        request.pair = n;
      }
    }
    this.#messages.push(row);
    this.#bodies.set(n, body);
    this.emit({ type: "mcp:client:trace", serverId: row.serverId, message: row });
  }

  trace(filter: api.TraceFilter): api.Message[] {
    const found = this.#messages.filter(
      (message) =>
        (!filter.serverId || message.serverId === filter.serverId) &&
        (!filter.callId || message.callId === filter.callId) &&
        (!filter.dir || message.dir === filter.dir) &&
        (!filter.kind || message.kind === filter.kind) &&
        (!filter.method || message.method.includes(filter.method)) &&
        (!filter.errors || isError(message)) &&
        Number(message.n) > Number(filter.after || 0) &&
        (!filter.text || (this.#bodies.get(message.n) ?? "").toLowerCase().includes(filter.text.toLowerCase())),
    );
    return found.slice(-(filter.limit || 500));
  }

  detail(n: string, addressOf: (serverId: string) => string): api.MessageDetail {
    this.body(n);
    const message = this.#messages[Number(n) - 1] as api.Message;
    const url = addressOf(message.serverId);
    if (!url) return { message };
    return {
      message,
      http: {
        method: "POST",
        url,
        protocol: "HTTP/1.1",
        status: 200,
        requestHeaders: [
          { name: "Authorization", value: "Bearer ***" },
          { name: "Content-Type", value: "application/json" },
        ],
        responseHeaders: [{ name: "Content-Type", value: "text/event-stream" }],
        waitMs: message.latencyMs,
        error: "",
      },
    };
  }

  body(n: string): string {
    const body = this.#bodies.get(n);
    if (body === undefined) {
      throw new BackendError({
        code: "unknown_item",
        message: "This message is no longer kept.",
        hint: "Only the newest messages are kept in full.",
      });
    }
    return body;
  }

  /** The messages that connecting to a server leaves behind. */
  handshake({ row, catalog }: MemoryServer): void {
    const { id: serverId } = row;
    if (row.state === "failed") {
      for (const line of row.error?.stderr ?? []) {
        this.record({ serverId, dir: "stderr", kind: "text", method: "", summary: line }, line);
      }
      return;
    }
    if (row.state !== "ready") return;
    const method = row.era === "modern" ? "server/discover" : "initialize";
    const http = row.transport === "stdio" || row.transport === "builtin" ? 0 : 200;
    const send = (rpcId: number, name: string, result: unknown, latencyMs: number, problem = "") => {
      const id = String(rpcId);
      this.record(
        { serverId, dir: "out", kind: "request", method: name, rpcId: id, summary: "{}" },
        JSON.stringify({ jsonrpc: "2.0", id: rpcId, method: name, params: {} }),
      );
      const body = JSON.stringify({ jsonrpc: "2.0", id: rpcId, result });
      this.record({ serverId, dir: "in", kind: "response", method: name, rpcId: id, latencyMs, http, problem }, body);
    };
    send(1, method, { protocolVersion: row.protocolVersion, serverInfo: row.serverInfo }, row.latencyMs);
    const tools = catalog.tools.map((tool) => JSON.parse(tool.raw) as unknown);
    send(2, "tools/list", { tools }, row.latencyMs * 1.4, row.problems[0]?.code);
    send(3, "prompts/list", { prompts: catalog.prompts.map((prompt) => ({ name: prompt.name })) }, row.latencyMs);
    if (row.transport === "stdio") {
      const line = "Secure MCP Filesystem Server running on stdio";
      this.record({ serverId, dir: "stderr", kind: "text", method: "", summary: line }, line);
    }
    this.emit({
      type: "mcp:client:log",
      serverId,
      log: { level: "info", logger: "server", text: `${catalog.tools.length} tools registered` },
    });
  }
}

function isError(message: api.Message): boolean {
  return message.kind === "error" || message.kind === "noise" || message.http >= 400 || message.problem !== "";
}

function summaryOf(body: string): string {
  try {
    const parsed = JSON.parse(body) as { params?: unknown; result?: unknown; error?: unknown };
    const part = parsed.params ?? parsed.result ?? parsed.error;
    if (part !== undefined) return JSON.stringify(part).slice(0, 200);
  } catch {
    // A line of text is its own summary.
  }
  return body.slice(0, 200);
}
