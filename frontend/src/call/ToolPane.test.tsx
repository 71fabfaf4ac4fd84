import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import { useAppState } from "../state";
import { expectAccessible, renderApp } from "../testing/content";
import { matches } from "./ItemList";
import { summary } from "./LastCalls";
import { limits } from "./Running";
import { ToolPane } from "./ToolPane";

function Pane({ tool: name }: { tool: string }) {
  const server = useAppState((state) => state.servers.find((row) => row.id === "playground"));
  const tool = useAppState((state) => state.catalogs.playground?.catalog?.tools.find((known) => known.name === name));
  return server && tool ? <ToolPane server={server} tool={tool} /> : null;
}

describe("a tool", () => {
  it("runs with what the form holds and shows the result", async () => {
    const user = userEvent.setup();
    const { app } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "hello");
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    expect(await screen.findByText("Done")).toBeTruthy();
    const calls = Object.values(app.store.getState().calls);
    expect(calls.map((call) => call.arguments)).toEqual(['{"text":"hello"}']);
  });

  it("does not run with a fault in the form", async () => {
    const user = userEvent.setup();
    const { app } = renderApp(<Pane tool="echo" />);
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    expect(await screen.findByText("This is required.")).toBeTruthy();
    expect(app.store.getState().calls).toEqual({});
  });

  it("says that it is the tool that reports an error", async () => {
    const user = userEvent.setup();
    renderApp(<Pane tool="fail" />);
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    expect(await screen.findByText("Tool error")).toBeTruthy();
  });

  it("asks before it runs a destructive one", async () => {
    const user = userEvent.setup();
    const { app } = renderApp(<Pane tool="delete_orders" />);
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    const dialog = await screen.findByRole("alertdialog");
    expect(app.store.getState().calls).toEqual({});
    await user.click(screen.getByRole("button", { name: "Keep it" }));
    expect(app.store.getState().calls).toEqual({});
    expect(dialog.isConnected).toBe(false);
  });

  it("keeps its draft while another tool is on show", async () => {
    const user = userEvent.setup();
    const { app } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "kept");
    expect(app.store.getState().views.playground?.drafts["tool:echo"]?.text).toBe('{\n  "text": "kept"\n}');
  });

  it("starts over with the arguments of an earlier call", async () => {
    const { app } = renderApp(<Pane tool="echo" />);
    await screen.findByLabelText("Text");
    app.actions.refill("playground", "tool", "echo", '{"text":"again"}');
    await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>("Text").value).toBe("again"));
  });

  it("shows what the back end found at its field", async () => {
    const user = userEvent.setup();
    const { backend } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "x");
    backend.call = async (request) => ({
      ...ended(request),
      outcome: "failed",
      error: {
        code: "invalid_input",
        message: "No.",
        hint: "",
        fields: [{ pointer: "/text", message: "This text is not wanted." }],
      },
    });
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Text")));
    expect(screen.getByLabelText("Text").getAttribute("aria-invalid")).toBe("true");
  });

  it("shows exit status and stderr where the result would be", async () => {
    const user = userEvent.setup();
    const { backend } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "x");
    backend.call = async (request) => ({
      ...ended(request),
      outcome: "failed",
      error: {
        code: "exited",
        message: "The server ended during the call.",
        hint: "Look at its last lines.",
        exitCode: 3,
        stderr: ["panic: out of cheese"],
      },
    });
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    expect(await screen.findByText("The process ended with status 3.")).toBeTruthy();
    expect(screen.getByText("panic: out of cheese")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Text").value).toBe("x");
  });

  it("fetches a large result from its address", async () => {
    const user = userEvent.setup();
    const { backend } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "x");
    const asked: string[] = [];
    backend.fetchText = async (url) => {
      asked.push(url);
      return '{"content":[{"type":"text","text":"it was large"}]}';
    };
    backend.call = async (request) => ({ ...ended(request), size: 10_000_000, resultUrl: "/call/1/result" });
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    expect(await screen.findByText("it was large")).toBeTruthy();
    expect(asked).toEqual(["/call/1/result"]);
  });

  it.each([
    ["an empty result", '{"content":[]}', /The result is empty/],
    ["only structured content", '{"structuredContent":{"a":1}}', /Structured content/],
    ["a text that is no result", "[1]", /not what such a request should answer/],
  ])("says what %s is", async (_, result, words) => {
    const user = userEvent.setup();
    const { backend } = renderApp(<Pane tool="echo" />);
    await user.type(await screen.findByLabelText("Text"), "x");
    backend.call = async (request) => ({ ...ended(request), result });
    await user.click(screen.getByRole("button", { name: /^Run/ }));
    expect(await screen.findByText(words)).toBeTruthy();
  });

  it("has a name for everything", async () => {
    const user = userEvent.setup();
    renderApp(<Pane tool="show_content" />);
    await user.click(await screen.findByRole("button", { name: /^Run/ }));
    await screen.findByText("Done");
    await expectAccessible(document.body);
  });
});

function ended(request: api.CallRequest): api.Call {
  return {
    ...request,
    outcome: "done",
    startedAt: new Date().toISOString(),
    durationMs: 12,
    idleUntil: "",
    totalUntil: "",
    size: 0,
    result: "",
    resultUrl: "",
    problems: [],
    violations: [],
    asks: [],
    pinned: false,
  };
}

describe("summary", () => {
  it.each([
    ['{"project":"web","title":"Search forgets","labels":["bug","search"]}', "web · “Search forgets” · bug, search"],
    ["{}", "no arguments"],
    ["", "no arguments"],
    ['{"id":9007199254740993}', "9007199254740993"],
    ["{oops", "{oops"],
  ])("%j", (text, words) => expect(summary(text)).toBe(words));
});

it("limits are a sentence", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  expect(limits({ idleUntil: "2026-11-30T12:00:58Z", totalUntil: "2026-11-30T12:09:00Z" }, now)).toBe(
    "Ends in 58 s without a sign of life, in 9 min at the latest",
  );
  expect(limits({ idleUntil: "", totalUntil: "" }, now)).toBe("Waits for your answer; no time limit runs");
});

it("search finds a tool by pieces of its name", () => {
  const item = { key: "create_issue", label: "create_issue", detail: "Opens an issue" };
  expect(matches(item, "cr iss")).toBe(true);
  expect(matches(item, "OPENS")).toBe(true);
  expect(matches(item, "delete")).toBe(false);
});
