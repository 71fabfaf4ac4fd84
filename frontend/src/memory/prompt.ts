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
  const theme = new URLSearchParams(location.search).get("theme") ?? "system";
  return {
    ask: async () => ({ ask, behind: 1, theme }),
    answer: async (answer) => {
      const fields = answer.action === "accept" ? missingFields(answer.content) : [];
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

/** The required values that an answer of ask_form lacks. */
export function missingFields(content: string): api.FieldError[] {
  const value = JSON.parse(content) as Record<string, unknown>;
  return askFormSchema.required
    .filter((name) => value[name] === undefined || value[name] === "")
    .map((name) => ({ pointer: `/${name}`, message: "This is required." }));
}
