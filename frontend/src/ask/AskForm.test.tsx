import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { type api, BackendError } from "../backend";
import { expectAccessible } from "../testing/content";
import { AskForm } from "./AskForm";

const ask: api.Ask = {
  id: "1",
  serverId: "s",
  serverName: "Travel desk",
  endpoint: "mcp.travel.example",
  callId: "c",
  callName: "book_trip",
  callEnded: false,
  arguments: '{"to":"Graz"}',
  mode: "form",
  message: "The 18:40 train is full.",
  schema: JSON.stringify({
    type: "object",
    properties: { mail: { type: "string", format: "email" }, seats: { type: "integer" } },
    required: ["mail"],
  }),
  url: "",
  host: "",
  sampling: "",
  openedAt: new Date().toISOString(),
  closed: false,
  outcome: "",
  reason: "",
};

function show(change: Partial<api.Ask> = {}, refuse?: api.Failure) {
  const answers: api.Answer[] = [];
  let done = 0;
  const { container } = render(
    <AskForm
      ask={{ ...ask, ...change }}
      standalone
      answer={async (answer) => {
        answers.push(answer);
        if (refuse) throw new BackendError(refuse);
      }}
      onDone={() => {
        done++;
      }}
    />,
  );
  return { answers, container, done: () => done };
}

describe("the three answers", () => {
  it("accept sends what is filled in and nothing that is not", async () => {
    const user = userEvent.setup();
    const { answers } = show();
    await user.type(screen.getByLabelText("mail"), "ana@example.com");
    await user.click(screen.getByRole("button", { name: /Accept/ }));
    expect(answers).toEqual([{ action: "accept", content: '{"mail":"ana@example.com"}' }]);
  });
  it("accept by key works from every control", async () => {
    const user = userEvent.setup();
    const { answers } = show({ schema: '{"type":"object","properties":{"p":{"enum":["a","b"]}}}' });
    await user.click(screen.getByRole("radio", { name: "b" }));
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(answers).toEqual([{ action: "accept", content: '{"p":"b"}' }]);
  });
  it("decline is not cancel", async () => {
    const user = userEvent.setup();
    const { answers } = show();
    await user.click(screen.getByRole("button", { name: "Decline" }));
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(answers.map((answer) => answer.action)).toEqual(["decline", "cancel"]);
    expect(answers.every((answer) => answer.content === "")).toBe(true);
  });
  it("an incomplete form is not accepted", async () => {
    const user = userEvent.setup();
    const { answers } = show();
    await user.click(screen.getByRole("button", { name: /Accept/ }));
    expect(answers).toEqual([]);
    expect(screen.getByText("This is required.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("mail"));
  });
  it("a form whose fields are all optional is accepted empty", async () => {
    const user = userEvent.setup();
    const { answers } = show({ schema: '{"type":"object","properties":{"note":{"type":"string"}}}' });
    await user.click(screen.getByRole("button", { name: /Accept/ }));
    expect(answers).toEqual([{ action: "accept", content: "{}" }]);
  });
});

describe("Escape", () => {
  it("cancels an untouched form", async () => {
    const user = userEvent.setup();
    const { answers } = show();
    await user.keyboard("{Escape}");
    expect(answers.map((answer) => answer.action)).toEqual(["cancel"]);
  });
  it("asks before it throws away what was filled in", async () => {
    const user = userEvent.setup();
    const { answers } = show();
    await user.type(screen.getByLabelText("mail"), "ana");
    await user.keyboard("{Escape}");
    expect(answers).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Go on filling in" }));
    expect(screen.getByLabelText<HTMLInputElement>("mail").value).toBe("ana");
    expect(document.activeElement).toBe(screen.getByLabelText("mail"));
    await user.keyboard("{Escape}{Escape}");
    expect(document.activeElement).toBe(screen.getByLabelText("mail"));
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "Cancel the request" }));
    expect(answers.map((answer) => answer.action)).toEqual(["cancel"]);
  });
});

it("hears Escape while nothing has the focus", async () => {
  const user = userEvent.setup();
  const { answers } = show();
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("{Escape}");
  expect(answers.map((answer) => answer.action)).toEqual(["cancel"]);
});

it("shows what the back end found at its field and stays open", async () => {
  const user = userEvent.setup();
  const { done } = show(
    {},
    {
      code: "invalid_answer",
      message: "It does not fit.",
      hint: "",
      fields: [{ pointer: "/mail", message: "This address is not known." }],
    },
  );
  await user.type(screen.getByLabelText("mail"), "ana@example.com");
  await user.click(screen.getByRole("button", { name: /Accept/ }));
  await waitFor(() => expect(screen.getByText("This address is not known.")).toBeTruthy());
  expect(done()).toBe(0);
});

it("warns when a form asks for a secret", () => {
  show({
    schema:
      '{"type":"object","properties":{"apiKey":{"type":"string","title":"Key of the service"},"name":{"type":"string"}}}',
  });
  expect(screen.getByText(/“Key of the service” looks like a secret/)).toBeTruthy();
});

describe("a page to open", () => {
  it("shows the whole address and opens only on consent", async () => {
    const user = userEvent.setup();
    const { answers, container } = show({ mode: "url", schema: "", url: "https://travel.example/consent?id=1" });
    expect(screen.getByTestId("address").textContent).toBe("https://travel.example/consent?id=1");
    expect(container.querySelector("a[href], iframe")).toBeNull();
    expect(answers).toEqual([]);
    await user.click(screen.getByRole("button", { name: /Open in browser/ }));
    expect(answers).toEqual([{ action: "accept", content: "" }]);
  });
  it("does not open an address that is no web page", () => {
    show({ mode: "url", schema: "", url: "file:///etc/passwd" });
    expect(screen.getByRole<HTMLButtonElement>("button", { name: /Open in browser/ }).disabled).toBe(true);
  });
});

describe("an answer that a model would write", () => {
  const sampling = JSON.stringify({
    messages: [
      { role: "user", content: { type: "text", text: "Sum it up" } },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "look_up", input: { q: "x" } }] },
      { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "found" }] }] },
      { role: "user", content: { type: "hologram", data: "x" } },
    ],
    systemPrompt: "Be brief.",
    maxTokens: 100,
    temperature: 0.5,
    stopSequences: ["END"],
    includeContext: "thisServer",
    modelPreferences: { hints: [{ name: "small" }], speedPriority: 1 },
  });
  const schema = JSON.stringify({
    type: "object",
    properties: { content: { type: "string", title: "Answer", contentMediaType: "text/plain" } },
    required: ["content"],
  });
  it("shows what is asked of it and sends what the person writes", async () => {
    const user = userEvent.setup();
    const { answers, container } = show({ mode: "sampling", schema, sampling });
    for (const text of ["Sum it up", "Be brief.", /look_up/, /found/, /hologram/, /100 tokens/, /small/, /END/]) {
      expect(screen.getAllByText(text).length).toBeGreaterThan(0);
    }
    await expectAccessible(container);
    await user.type(screen.getByLabelText("Answer"), "Short.");
    await user.click(screen.getByRole("button", { name: /Send/ }));
    expect(answers).toEqual([{ action: "accept", content: '{"content":"Short."}' }]);
  });
  it("is shown as it came when it cannot be read", () => {
    show({ mode: "sampling", schema, sampling: '{"messages":7}' });
    expect(screen.getByText(/It holds no messages/)).toBeTruthy();
  });
});

it("has a name for everything", async () => {
  const { container } = show();
  await expectAccessible(container);
});
