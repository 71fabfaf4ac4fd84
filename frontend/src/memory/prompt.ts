import { type api, BackendError, type PromptBackend } from "../backend";
import { askFormSchema } from "./playground";

/** One ask of the Playground, and a record of what was answered, for the page of a prompt window in a plain browser. */
export function createMemoryPrompt(answers: api.Answer[] = []): PromptBackend {
  const ask: api.Ask = {
    id: "ask-1",
    serverId: "playground",
    serverName: "Playground",
    endpoint: "built in",
    callId: "call-1",
    callName: "ask_form",
    callEnded: false,
    arguments: "{}",
    mode: "form",
    message: "Tell me about yourself.",
    schema: JSON.stringify(askFormSchema),
    url: "",
    host: "",
    sampling: "",
    openedAt: new Date().toISOString(),
    closed: false,
    outcome: "",
    reason: "",
  };
  const query = new URLSearchParams(location.search);
  const theme = query.get("theme") ?? "system";
  if (query.get("ask") === "sampling") Object.assign(ask, samplingAsk);
  return {
    ask: async () => ({ ask, behind: 1, theme }),
    answer: async (answer) => {
      const fields = answer.action === "accept" && ask.mode === "form" ? missingFields(answer.content) : [];
      if (fields.length > 0) {
        throw new BackendError({
          code: "invalid_answer",
          message: "The answer does not fit what the server asked for.",
          hint: "Correct the marked fields.",
          fields,
        });
      }
      answers.push(answer);
    },
  };
}

/** What an ask for a model's answer has instead of a form of the server. */
const samplingAsk: Partial<api.Ask> = {
  callName: "summarise",
  mode: "sampling",
  message: "The server wants an answer that a language model would write.",
  schema: JSON.stringify({
    type: "object",
    properties: {
      content: {
        type: "string",
        title: "Answer",
        description: "What a language model would write.",
        contentMediaType: "text/plain",
      },
      model: { type: "string", title: "Model", description: 'Who wrote it; "written by hand" if you leave it out.' },
      stopReason: { type: "string", title: "Why it ends", description: '"endTurn" if you leave it out.' },
    },
    required: ["content"],
  }),
  sampling: JSON.stringify({
    systemPrompt: "You write for people in a hurry.",
    messages: [
      { role: "user", content: { type: "text", text: "Sum up the notes of today." } },
      {
        role: "user",
        content: {
          type: "image",
          mimeType: "image/png",
          data: "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGMwTpuJFTEMLQkAyvtMgQDiJ6sAAAAASUVORK5CYII=",
        },
      },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "search_notes", input: { day: "today" } }] },
      {
        role: "user",
        content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "3 notes found" }] }],
      },
    ],
    maxTokens: 200,
    temperature: 0.2,
    modelPreferences: { hints: [{ name: "a small one" }], speedPriority: 0.8 },
  }),
};

/** The required values that an answer of ask_form lacks. */
export function missingFields(content: string): api.FieldError[] {
  const value = JSON.parse(content) as Record<string, unknown>;
  return askFormSchema.required
    .filter((name) => value[name] === undefined || value[name] === "")
    .map((name) => ({ pointer: `/${name}`, message: "This is required." }));
}
