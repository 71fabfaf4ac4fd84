import { useMemo, useRef, useState } from "react";
import type { api } from "../backend";
import { CallLayout } from "../call/CallLayout";
import { type Item, ItemList, type Section } from "../call/ItemList";
import { LastCalls } from "../call/LastCalls";
import { RunButton } from "../call/RunButton";
import { Running } from "../call/Running";
import { EmptyList, SetAside } from "../call/ToolsTab";
import { useRunKey } from "../call/useRunKey";
import { ResultView } from "../result/ResultView";
import { useActions, useCatalog, useDraft, useServerView, useShownCall } from "../state";
import { CompletionField } from "./CompletionField";
import { missing, readTexts, writeTexts } from "./textDraft";

/** The prompts of a server: list, arguments with suggestions, the messages that come of it. */
export function PromptsTab({ server }: { server: api.Server }) {
  const { catalog, loading, failure } = useCatalog(server.id);
  const view = useServerView(server.id);
  const actions = useActions();
  const prompts = catalog?.prompts ?? none;
  const sections = useMemo<Section[]>(() => [{ title: "Prompts", items: prompts.map(toItem) }], [prompts]);
  const prompt = prompts.find((candidate) => candidate.name === view.selected.prompt) ?? prompts[0];
  return (
    <div className="tab-columns">
      <ItemList
        what="prompts"
        sections={sections}
        selected={prompt?.name ?? ""}
        onSelect={(name) => actions.selectItem(server.id, "prompt", name)}
        empty={<EmptyList server={server} loading={loading} failure={failure} what="prompts" />}
        notes={<SetAside problems={server.problems} prefix="prompt" what="prompt" />}
      />
      {prompt && <PromptPane key={`${server.id} ${prompt.name}`} server={server} prompt={prompt} />}
    </div>
  );
}

const none: api.Prompt[] = [];

function toItem(prompt: api.Prompt): Item {
  return {
    key: prompt.name,
    label: prompt.name,
    detail: [prompt.title, prompt.description].filter(Boolean).join("\n"),
  };
}

function PromptPane({ server, prompt }: { server: api.Server; prompt: api.Prompt }) {
  const actions = useActions();
  const draft = useDraft(server.id, "prompt", prompt.name);
  const call = useShownCall(server.id, "prompt", prompt.name);
  const [checked, setChecked] = useState(false);
  const pane = useRef<HTMLElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const texts = readTexts(draft.text);
  const list = prompt.arguments ?? [];
  const lacking = missing(
    texts,
    list.filter((argument) => argument.required).map((argument) => argument.name),
  );

  const run = () => {
    if (call?.outcome === "running" || server.state !== "ready") return;
    setChecked(true);
    const first = lacking[0];
    if (first !== undefined) {
      form.current?.querySelector<HTMLInputElement>(`[data-argument="${CSS.escape(first)}"] input`)?.focus();
      return;
    }
    void actions.call(server.id, "prompt", prompt.name, draft.text || "{}").then((ended) => {
      actions.announce(
        `${prompt.name}: ${ended.outcome === "done" ? "done" : (ended.error?.message ?? ended.outcome)}`,
      );
    });
  };
  useRunKey(pane, run);

  return (
    <CallLayout
      ref={pane}
      title={prompt.name}
      name={prompt.title || prompt.name}
      description={prompt.description}
      controls={
        <RunButton
          label="Get"
          call={call}
          disabled={server.state !== "ready"}
          reason="Not connected"
          onRun={run}
          onCancel={(id) => void actions.cancelCall(id)}
        />
      }
      form={
        <>
          <form
            className="schema-form"
            ref={form}
            aria-label={`Arguments of ${prompt.name}`}
            onSubmit={(event) => event.preventDefault()}
          >
            {list.length === 0 && <p className="t3">This prompt takes no arguments.</p>}
            {list.map((argument) => (
              <div key={argument.name} data-argument={argument.name}>
                <CompletionField
                  label={argument.title || argument.name}
                  name={argument.name}
                  description={argument.description}
                  required={argument.required}
                  value={texts[argument.name] ?? ""}
                  onChange={(text) => draft.setText(writeTexts(texts, argument.name, text))}
                  error={
                    checked && lacking.includes(argument.name) ? "This is required." : fieldError(call, argument.name)
                  }
                  ask={
                    server.capabilities.includes("completions") && server.state === "ready"
                      ? {
                          serverId: server.id,
                          kind: "prompt",
                          name: prompt.name,
                          argument: argument.name,
                          context: without(texts, argument.name),
                        }
                      : undefined
                  }
                />
              </div>
            ))}
          </form>
          <LastCalls
            serverId={server.id}
            kind="prompt"
            name={prompt.name}
            shown={call}
            onPick={(picked) => {
              actions.refill(server.id, "prompt", prompt.name, picked.arguments, picked.id);
              void actions.loadCall(picked.id);
            }}
          />
        </>
      }
      result={
        call === undefined ? (
          <p className="t3 result-hint">The messages appear here.</p>
        ) : call.outcome === "running" ? (
          <Running call={call} />
        ) : (
          <ResultView key={call.id} call={call} />
        )
      }
    />
  );
}

function fieldError(call: api.Call | undefined, name: string): string | undefined {
  return call?.error?.fields?.find((field) => field.pointer === `/${name}`)?.message;
}

export function without(texts: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => key !== name));
}
