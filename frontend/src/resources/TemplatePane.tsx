import { useEffect, useRef, useState } from "react";
import { type api, failureOf } from "../backend";
import { CallLayout } from "../call/CallLayout";
import { RunButton } from "../call/RunButton";
import { Running } from "../call/Running";
import { useRunKey } from "../call/useRunKey";
import { CompletionField } from "../prompts/CompletionField";
import { without } from "../prompts/PromptsTab";
import { readTexts, writeTexts } from "../prompts/textDraft";
import { ResultView } from "../result/ResultView";
import { useActions, useBackend, useDraft, useShownCall } from "../state";
import "./resources.css";

const pause = 150;

/** A resource template: its variables, the address that they make, and what is there. */
export function TemplatePane({ server, template }: { server: api.Server; template: api.Template }) {
  const actions = useActions();
  const backend = useBackend();
  const key = `template ${template.uriTemplate}`;
  const draft = useDraft(server.id, "resource", key);
  const [running, setRunning] = useState("");
  const underWay = useShownCall(server.id, "resource", running);
  const shown = useShownCall(server.id, "resource", key);
  const call = underWay?.outcome === "running" ? underWay : shown;
  const [failure, setFailure] = useState<api.Failure | undefined>(undefined);
  const [uri, setUri] = useState("");
  const pane = useRef<HTMLElement>(null);
  const texts = readTexts(draft.text);
  const variables = template.variables ?? [];
  const serialised = JSON.stringify(texts);

  // The address as it will be asked for, while one types; what is missing is only said on Read.
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      backend.expandTemplate(template.uriTemplate, JSON.parse(serialised) as Record<string, string>).then(
        (expanded) => gone || setUri(expanded),
        () => gone || setUri(""),
      );
    }, pause);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [backend, template.uriTemplate, serialised]);

  const read = async () => {
    if (call?.outcome === "running" || server.state !== "ready") return;
    let address: string;
    try {
      address = await backend.expandTemplate(template.uriTemplate, texts);
    } catch (thrown) {
      setFailure(failureOf(thrown));
      const first = failureOf(thrown).fields?.[0]?.pointer.slice(1);
      if (first) pane.current?.querySelector<HTMLInputElement>(`[data-argument="${CSS.escape(first)}"] input`)?.focus();
      return;
    }
    setFailure(undefined);
    setRunning(address);
    const ended = await actions.call(server.id, "resource", address, "");
    actions.show(server.id, "resource", key, ended.id);
    actions.announce(`${address}: ${ended.outcome === "done" ? "read" : (ended.error?.message ?? ended.outcome)}`);
  };
  useRunKey(pane, () => void read());

  return (
    <CallLayout
      ref={pane}
      title={template.title || template.name || template.uriTemplate}
      name={template.title || template.name || template.uriTemplate}
      description={template.description}
      controls={
        <RunButton
          label="Read"
          call={call}
          disabled={server.state !== "ready"}
          reason="Not connected"
          onRun={() => void read()}
          onCancel={(id) => void actions.cancelCall(id)}
        />
      }
      form={
        <>
          <p className="mono selectable resource-uri">{template.uriTemplate}</p>
          <form
            className="schema-form"
            aria-label={`Variables of ${template.name}`}
            onSubmit={(event) => event.preventDefault()}
          >
            {variables.map((variable) => (
              <div key={variable} data-argument={variable}>
                <CompletionField
                  label={variable}
                  name={variable}
                  description=""
                  required={false}
                  value={texts[variable] ?? ""}
                  onChange={(text) => {
                    setFailure(undefined);
                    draft.setText(writeTexts(texts, variable, text));
                  }}
                  error={failure?.fields?.find((field) => field.pointer === `/${variable}`)?.message}
                  ask={
                    server.capabilities.includes("completions") && server.state === "ready"
                      ? {
                          serverId: server.id,
                          kind: "template",
                          name: template.uriTemplate,
                          argument: variable,
                          context: without(texts, variable),
                        }
                      : undefined
                  }
                />
              </div>
            ))}
          </form>
          {failure && !failure.fields?.length && (
            <p className="field-error" role="alert">
              {failure.message} {failure.hint}
            </p>
          )}
          {uri && (
            <p className="small">
              <span className="t3">Reads </span>
              <span className="mono selectable resource-uri">{uri}</span>
            </p>
          )}
        </>
      }
      result={
        call === undefined ? (
          <p className="t3 result-hint">The contents appear here.</p>
        ) : call.outcome === "running" ? (
          <Running call={call} />
        ) : (
          <ResultView key={call.id} call={call} />
        )
      }
    />
  );
}
