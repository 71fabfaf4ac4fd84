/** The calls and the asks of the in-memory twin: running, answering, history. */
import { type api, BackendError } from "../backend";
import { aboutText, askFormSchema, everyContent } from "./playground";
import { missingFields } from "./prompt";
import type { Recorder } from "./recorder";
import type { MemoryServer } from "./world";

interface Running {
  row: api.Call;
  cancel: AbortController;
}

interface OpenAsk {
  ask: api.Ask;
  settle(answer: api.Answer): void;
}

type Outcome = Pick<api.Call, "outcome" | "result"> & Partial<api.Call>;

/** Longer results travel by URL, as in the program. */
const inlineLimit = 256_000;

const toolResult = (text: string, structured?: unknown): Outcome => ({
  outcome: "done",
  result: JSON.stringify({
    content: [{ type: "text", text }],
    ...(structured === undefined ? {} : { structuredContent: structured }),
  }),
});

const cancelled: Outcome = {
  outcome: "cancelled",
  result: "",
  error: { code: "cancelled", message: "You cancelled this call.", hint: "The server may have done a part of it." },
};

export class MemoryCalls {
  readonly #running = new Map<string, Running>();
  readonly #ended: api.Call[] = [];
  readonly #asks = new Map<string, OpenAsk>();
  readonly #large = new Map<string, string>();
  readonly #subscribed = new Set<string>();
  readonly #orders = new Map<number, string>();
  /** Servers whose address was visited. */
  readonly #visited = new Set<string>();
  readonly #recorder: Recorder;
  readonly #scale: (ms: number) => number;
  readonly #server: (id: string) => MemoryServer | undefined;
  #counter = 41;
  #rpcId = 10;

  constructor(recorder: Recorder, scale: (ms: number) => number, server: (id: string) => MemoryServer | undefined) {
    this.#recorder = recorder;
    this.#scale = scale;
    this.#server = server;
  }

  running = (): api.Call[] => [...this.#running.values()].map(({ row }) => row);
  openAsks = (): api.Ask[] => [...this.#asks.values()].map(({ ask }) => ask);
  large = (url: string): string => this.#large.get(url) ?? "";

  async run(request: api.CallRequest): Promise<api.Call> {
    const started = Date.now();
    const row: api.Call = {
      id: request.id,
      serverId: request.serverId,
      kind: request.kind,
      name: request.name,
      arguments: request.arguments,
      outcome: "running",
      startedAt: new Date(started).toISOString(),
      durationMs: 0,
      idleUntil: new Date(started + 60_000).toISOString(),
      totalUntil: new Date(started + 600_000).toISOString(),
      size: 0,
      result: "",
      resultUrl: "",
      problems: [],
      violations: [],
      asks: [],
      pinned: false,
    };
    const running = { row, cancel: new AbortController() };
    this.#running.set(row.id, running);
    this.#emit(row);
    const method =
      { tool: "tools/call", prompt: "prompts/get", resource: "resources/read" }[request.kind] ?? "tools/call";
    this.#rpcId += 1;
    const rpcId = String(this.#rpcId);
    this.#recorder.record(
      { serverId: row.serverId, dir: "out", kind: "request", method, rpcId, callId: row.id },
      JSON.stringify({
        jsonrpc: "2.0",
        id: this.#rpcId,
        method,
        params: { name: row.name, arguments: safeParse(row.arguments) },
      }),
    );
    const outcome = await this.#play(running);
    const durationMs = Math.max(0.3, Date.now() - started);
    const ended = this.#end({
      ...running.row,
      ...outcome,
      durationMs,
      size: outcome.result.length,
      progress: undefined,
    });
    if (outcome.result) {
      this.#recorder.record(
        { serverId: row.serverId, dir: "in", kind: "response", method, rpcId, callId: row.id, latencyMs: durationMs },
        `{"jsonrpc":"2.0","id":${rpcId},"result":${outcome.result}}`,
      );
    }
    return ended;
  }

  #end(call: api.Call): api.Call {
    let row = call;
    if (row.result.length > inlineLimit) {
      const resultUrl = `/call/${row.id}/result`;
      this.#large.set(resultUrl, row.result);
      row = { ...row, result: "", resultUrl };
    }
    this.#running.delete(row.id);
    this.#ended.unshift(row);
    this.#emit(row);
    return row;
  }

  #emit(row: api.Call): void {
    this.#recorder.emit({ type: "mcp:client:call", serverId: row.serverId, call: row });
  }

  async #play(running: Running): Promise<Outcome> {
    const { row } = running;
    const args = safeParse(row.arguments);
    if (row.kind === "prompt") return this.#prompt(row.name, args);
    if (row.kind === "resource") return this.#read(row.name);
    switch (row.name) {
      case "echo":
        await this.#wait(120, running);
        return toolResult(String(args.text ?? ""));
      case "add":
        return this.#add(Number(args.amount ?? 1), row.serverId);
      case "fail":
        await this.#wait(40, running);
        return {
          outcome: "error",
          result: JSON.stringify({
            isError: true,
            content: [{ type: "text", text: `The order could not be found: ${args.reason ?? "no reason given"}.` }],
          }),
        };
      case "show_content":
        await this.#wait(60, running);
        return { outcome: "done", result: everyContent };
      case "slow":
        return this.#slow(running, Number(args.seconds ?? 5), Number(args.steps ?? 5));
      case "create_order":
        return this.#order(row.arguments);
      case "create_issue":
        await this.#wait(212, running);
        return {
          outcome: "done",
          result: `{"content":[{"type":"text","text":"Created issue WEB-1482."},{"type":"resource_link","uri":"issue://web/1482","name":"WEB-1482","mimeType":"text/markdown"}],"structuredContent":{"number":1482,"key":"WEB-1482","globalId":9007199254740993,"labels":${JSON.stringify(args.labels ?? [])},"url":"https://tracker.example/WEB-1482"}}`,
        };
      case "create_event":
        await this.#wait(80, running);
        return this.#createEvent(row.serverId);
      case "move_issue":
        await this.#wait(60, running);
        return this.#moveIssue(row);
      case "ask_form":
      case "ask_url":
        return this.#askPerson(running);
      default:
        await this.#wait(90, running);
        return toolResult(`${row.name} was called with ${row.arguments || "{}"}.`);
    }
  }

  #add(amount: number, serverId: string): Outcome {
    this.#counter += amount;
    const uri = "playground://counter";
    if (this.#subscribed.has(`${serverId}\n${uri}`)) {
      this.#recorder.emit({ type: "mcp:client:updated", serverId, uri });
    }
    return toolResult(`The counter is at ${this.#counter}.`, { counter: this.#counter });
  }

  #order(args: string): Outcome {
    const number = 1001 + this.#orders.size;
    this.#orders.set(number, args);
    const items = (safeParse(args).items ?? []) as { quantity?: number; price?: number }[];
    const total = items.reduce((sum, item) => sum + (item.quantity ?? 1) * (item.price ?? 0), 0);
    return toolResult(`Order ${number} is accepted.`, { number, reference: `PG-${number}`, total, status: "accepted" });
  }

  /** Refused until the person granted calendar.write. */
  #createEvent(serverId: string): Outcome {
    const server = this.#server(serverId);
    if (server?.row.account?.scopesGranted.includes("calendar.write"))
      return toolResult("The event is in the calendar.");
    if (server) server.wants = ["calendar.write"];
    return {
      outcome: "failed",
      result: "",
      error: {
        code: "insufficient_scope",
        message: "This needs a right that you have not granted: calendar.write.",
        hint: "Grant access, then run the call again.",
      },
    };
  }

  /** Refused until the person visited an address (-32042), which is asked about when the call has ended. */
  #moveIssue(row: api.Call): Outcome {
    const { serverId } = row;
    if (this.#visited.has(serverId)) return toolResult("The issue was moved.");
    const url = "https://tracker.example/link?account=42";
    const ask = { ...this.#newAsk(row), callEnded: true, mode: "url", message: "Link your account first.", url };
    ask.host = "tracker.example";
    const settle = (answer: api.Answer) => {
      if (answer.action !== "accept") return;
      this.#visited.add(serverId);
      setTimeout(() => {
        const reason = "The server says that this is done.";
        this.#emitAsk({ ...ask, closed: true, outcome: "accept", reason });
      }, 600);
    };
    setTimeout(() => {
      this.#asks.set(ask.id, { ask, settle });
      this.#emitAsk(ask);
    });
    return {
      outcome: "failed",
      result: "",
      error: {
        code: "url_elicitation_required",
        message: "Error -32042: link your account first",
        hint: `The server wants you to visit an address first, and then to make the call again: ${url}`,
      },
    };
  }

  #newAsk(row: api.Call): api.Ask {
    const server = this.#server(row.serverId)?.row;
    return {
      id: crypto.randomUUID(),
      serverId: row.serverId,
      serverName: server?.name ?? "",
      endpoint: server?.endpoint ?? "",
      callId: row.id,
      callName: row.name,
      callEnded: false,
      arguments: row.arguments,
      mode: "form",
      message: "",
      schema: "",
      url: "",
      host: "",
      sampling: "",
      openedAt: new Date().toISOString(),
      closed: false,
      outcome: "",
      reason: "",
    };
  }

  async #slow(running: Running, seconds: number, steps: number): Promise<Outcome> {
    for (let step = 1; step <= steps; step++) {
      if (!(await this.#wait((seconds * 1000) / steps, running))) return cancelled;
      const progress = { progress: step, total: steps, message: `Step ${step} of ${steps}` };
      running.row = { ...running.row, progress, idleUntil: new Date(Date.now() + 60_000).toISOString() };
      this.#emit(running.row);
      this.#recorder.record(
        {
          serverId: running.row.serverId,
          dir: "in",
          kind: "notification",
          method: "notifications/progress",
          callId: running.row.id,
          summary: `${step} of ${steps} · ${progress.message}`,
        },
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: progress }),
      );
    }
    return toolResult(`Took ${seconds} seconds in ${steps} steps.`);
  }

  async #askPerson(running: Running): Promise<Outcome> {
    const { row } = running;
    const url = row.name === "ask_url";
    const ask: api.Ask = {
      ...this.#newAsk(row),
      mode: url ? "url" : "form",
      message: url ? "Open this page to go on." : "Tell me about yourself.",
      schema: url ? "" : JSON.stringify(askFormSchema),
      url: url ? "https://example.com/consent?request=42" : "",
      host: url ? "example.com" : "",
      sampling: "",
    };
    const answer = await new Promise<api.Answer>((settle) => {
      this.#asks.set(ask.id, { ask, settle });
      this.#emitAsk(ask);
      running.cancel.signal.addEventListener("abort", () => {
        if (this.#asks.delete(ask.id)) {
          this.#emitAsk({ ...ask, closed: true, outcome: "cancel", reason: "The call was cancelled." });
        }
        settle({ action: "cancel", content: "" });
      });
    });
    if (running.cancel.signal.aborted) return cancelled;
    return {
      ...toolResult(
        answer.action === "accept" ? `You answered ${answer.content || "yes"}.` : `Your answer: ${answer.action}.`,
      ),
      asks: [{ mode: ask.mode, action: answer.action }],
    };
  }

  #emitAsk(ask: api.Ask): void {
    this.#recorder.emit({ type: "mcp:client:ask", serverId: ask.serverId, ask });
  }

  ask(id: string): OpenAsk {
    const open = this.#asks.get(id);
    if (!open) {
      throw new BackendError({
        code: "unknown_item",
        message: "This question is no longer open.",
        hint: "The call that asked it has ended.",
      });
    }
    return open;
  }

  /** Answers an ask; returns the URL to open, if one was accepted. */
  answer(id: string, answer: api.Answer): string {
    const { ask, settle } = this.ask(id);
    const accepted = answer.action === "accept";
    const fields = accepted && ask.mode === "form" ? missingFields(answer.content) : [];
    if (fields.length > 0) {
      throw new BackendError({
        code: "invalid_answer",
        message: "The answer does not fit what the server asked for.",
        hint: "Correct the marked fields.",
        fields,
      });
    }
    this.#asks.delete(id);
    this.#emitAsk({ ...ask, closed: true, outcome: answer.action });
    settle(answer);
    return accepted && ask.mode === "url" ? ask.url : "";
  }

  #prompt(name: string, args: Record<string, unknown>): Outcome {
    const topic = args.topic ?? args.project ?? name;
    return {
      outcome: "done",
      result: JSON.stringify({
        description: `A prompt about ${topic}.`,
        messages: [
          {
            role: "user",
            content: {
              type: "text",
              text: `Explain ${topic} to ${args.audience ?? "a colleague"}, in three sentences.`,
            },
          },
          { role: "assistant", content: { type: "text", text: "Which part is already clear?" } },
        ],
      }),
    };
  }

  #read(uri: string): Outcome {
    const order = /^playground:\/\/orders\/(\d+)$/.exec(uri);
    const content =
      uri === "playground://about"
        ? { uri, mimeType: "text/markdown", text: aboutText }
        : uri === "playground://counter"
          ? { uri, mimeType: "application/json", text: JSON.stringify({ counter: this.#counter }) }
          : order
            ? { uri, mimeType: "application/json", text: this.#orders.get(Number(order[1])) ?? '{"status":"unknown"}' }
            : { uri, mimeType: "text/markdown", text: `# ${uri}\n\nSearch forgets the filter after a reload.` };
    return { outcome: "done", result: JSON.stringify({ contents: [content] }) };
  }

  cancel(id: string): void {
    this.#running.get(id)?.cancel.abort();
  }

  /** Ends what a server has under way, when its connection goes. */
  abandon(serverId: string, reason: string): void {
    for (const { ask, settle } of [...this.#asks.values()].filter((open) => open.ask.serverId === serverId)) {
      this.#asks.delete(ask.id);
      this.#emitAsk({ ...ask, closed: true, reason });
      settle({ action: "cancel", content: "" });
    }
    for (const running of this.#running.values()) {
      if (running.row.serverId === serverId) running.cancel.abort();
    }
  }

  subscribe(serverId: string, uri: string, on: boolean): void {
    const key = `${serverId}\n${uri}`;
    if (on) this.#subscribed.add(key);
    else this.#subscribed.delete(key);
  }

  history(filter: api.HistoryFilter): api.Call[] {
    const text = filter.text.toLowerCase();
    const found = this.#ended.filter(
      (call) =>
        (!filter.serverId || call.serverId === filter.serverId) &&
        (!filter.kind || call.kind === filter.kind) &&
        (!filter.name || call.name === filter.name) &&
        (!filter.pinned || call.pinned) &&
        (!text || `${call.name} ${call.arguments} ${call.result}`.toLowerCase().includes(text)),
    );
    const start = filter.before ? found.findIndex((call) => call.id === filter.before) + 1 : 0;
    return found.slice(start, start + (filter.limit || 100));
  }

  pin(id: string, pinned: boolean): void {
    const call = this.one(id);
    this.#ended.splice(this.#ended.indexOf(call), 1, { ...call, pinned });
  }

  one(id: string): api.Call {
    const call = this.#ended.find((known) => known.id === id);
    if (!call) {
      throw new BackendError({ code: "unknown_item", message: "This call is no longer kept.", hint: "Run it again." });
    }
    return call;
  }

  /** Calls of earlier days, so that history is not empty at the start. */
  seedHistory(): void {
    const past = (minutes: number, serverId: string, name: string, args: unknown, outcome: string, result: string) => {
      if (!this.#server(serverId)) return;
      this.#ended.push({
        id: crypto.randomUUID(),
        serverId,
        kind: "tool",
        name,
        arguments: JSON.stringify(args),
        outcome,
        startedAt: new Date(Date.now() - minutes * 60_000).toISOString(),
        durationMs: 40 + ((minutes * 37) % 180),
        idleUntil: "",
        totalUntil: "",
        size: result.length,
        result,
        resultUrl: "",
        problems: [],
        violations: [],
        asks: [],
        pinned: false,
      });
    };
    const ok = (text: string) => JSON.stringify({ content: [{ type: "text", text }] });
    const failed = JSON.stringify({ isError: true, content: [{ type: "text", text: "title was empty" }] });
    past(9, "playground", "echo", { text: "Is anybody there?" }, "done", ok("Is anybody there?"));
    past(31, "tracker", "create_issue", { project: "api", title: "Rate limit header missing" }, "done", ok("API-77"));
    past(34, "tracker", "list_issues", { issue: "web" }, "done", ok("31 issues"));
    past(1500, "tracker", "create_issue", { project: "api", title: "" }, "error", failed);
    past(1600, "playground", "add", { amount: 2 }, "done", ok("The counter is at 41."));
  }

  /** False when the call was cancelled meanwhile. */
  #wait(ms: number, { cancel }: Running): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(true), this.#scale(ms));
      cancel.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        resolve(false);
      });
    });
  }
}

function safeParse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text || "{}") as Record<string, unknown>;
  } catch {
    return {};
  }
}
