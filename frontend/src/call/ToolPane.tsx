import { useCallback, useMemo, useRef, useState } from "react";
import type { api } from "../backend";
import { JsonEditor } from "../json/JsonEditor";
import { checkJson, formatJson } from "../json/scan";
import { ResultView } from "../result/ResultView";
import { SavedCalls } from "../saved/SavedCalls";
import type { FieldError } from "../schema/errors";
import type { FormValue } from "../schema/initial";
import { initialValue } from "../schema/initial";
import { normalise } from "../schema/normalise";
import { SchemaForm, type SchemaFormHandle } from "../schema/SchemaForm";
import { useActions, useDraft, useShownCall } from "../state";
import { Button, Dialog, formatDuration, LinkButton, Note, Segmented } from "../ui";
import { draftText, readDraft, sentText } from "./argumentsDraft";
import { CallLayout } from "./CallLayout";
import { LastCalls } from "./LastCalls";
import { parseSchema } from "./parseSchema";
import { RunButton } from "./RunButton";
import { Running } from "./Running";
import { ToolBadges } from "./ToolsTab";
import { useRunKey } from "./useRunKey";

type Mode = "form" | "json";

/** One tool: its arguments as form or JSON, Run, the last calls, and the result beside them. */
export function ToolPane({ server, tool }: { server: api.Server; tool: api.Tool }) {
  const actions = useActions();
  const draft = useDraft(server.id, "tool", tool.name);
  const call = useShownCall(server.id, "tool", tool.name);
  const schema = useMemo(() => parseSchema(tool.inputSchema), [tool.inputSchema]);
  const node = useMemo(() => normalise(schema), [schema]);

  // The form's own value, read from the draft when the form starts and when something else replaced the draft.
  const [held, setHeld] = useState(() => ({ revision: draft.revision, ...start(draft.text, node) }));
  const [backendErrors, setBackendErrors] = useState<readonly FieldError[]>(noErrors);
  const [asking, setAsking] = useState("");
  const form = useRef<SchemaFormHandle>(null);
  const pane = useRef<HTMLElement>(null);
  const running = useRef(false);
  running.current = call?.outcome === "running";
  if (held.revision !== draft.revision) {
    setHeld({ revision: draft.revision, ...start(draft.text, node) });
    setBackendErrors(noErrors);
  }
  // A draft that no form can show (half-typed JSON from before) is shown as what it is.
  const mode: Mode = held.fault !== undefined ? "json" : draft.mode;
  const text = draft.text === "" ? draftText(held.value) : draft.text;

  const change = useCallback(
    (value: FormValue) => {
      setHeld((before) => ({ ...before, value }));
      setBackendErrors(noErrors);
      draft.setText(draftText(value), "form");
    },
    [draft.setText],
  );
  const changeText = (next: string) => {
    setBackendErrors(noErrors);
    draft.setText(next, "json");
  };
  const switchTo = (next: Mode) => {
    if (next === "json") {
      draft.setText(draftText(held.value), "json");
      setHeld((before) => ({ ...before, fault: undefined }));
      return;
    }
    const read = readDraft(text, node);
    if ("fault" in read) {
      setBackendErrors([{ pointer: "", message: `The form cannot show this: ${read.fault}` }]);
      return;
    }
    setHeld((before) => ({ ...before, value: read.value, fault: undefined }));
    setBackendErrors(noErrors);
    draft.setText(text, "form");
  };

  const send = async (sent: string) => {
    const ended = await actions.call(server.id, "tool", tool.name, sent);
    actions.announce(`${tool.name}: ${announcement(ended)}`);
    const fields = ended.error?.fields;
    if (fields && fields.length > 0) setBackendErrors(fields);
  };
  const run = () => {
    if (running.current || server.state !== "ready") return;
    let sent: string;
    if (mode === "form") {
      if (!form.current?.check()) return;
      sent = sentText(held.value);
    } else {
      const read = readDraft(text, node);
      if ("fault" in read) {
        // The syntax error is shown by the editor itself; a document that is no object is not.
        if (!checkJson(text)) setBackendErrors([{ pointer: "", message: read.fault }]);
        return;
      }
      sent = text;
    }
    confirmAndSend(sent);
  };
  const confirmAndSend = (sent: string) => {
    if (tool.destructive === "true" && tool.readOnly !== "true") setAsking(sent);
    else void send(sent);
  };
  useRunKey(pane, run);

  const reset = () => {
    const value = initialValue(node, true) ?? {};
    setHeld((before) => ({ ...before, value, fault: undefined }));
    setBackendErrors(noErrors);
    draft.setText("", mode);
  };
  const isFilled = draft.text !== "" && draft.text !== draftText(initialValue(node, true) ?? {});

  return (
    <>
      <CallLayout
        ref={pane}
        title={tool.name}
        name={tool.title || tool.name}
        description={tool.description}
        badges={<ToolBadges tool={tool} />}
        controls={
          <>
            <Segmented<Mode>
              size="small"
              label="Arguments as"
              value={mode}
              onChange={switchTo}
              options={[
                { key: "form", label: "Form" },
                { key: "json", label: "JSON" },
              ]}
            />
            <RunButton
              label="Run"
              call={call}
              disabled={server.state !== "ready"}
              reason="Not connected"
              onRun={run}
              onCancel={(id) => void actions.cancelCall(id)}
            />
          </>
        }
        form={
          <>
            {mode === "form" ? (
              <>
                <SchemaForm
                  key={held.revision}
                  ref={form}
                  label={`Arguments of ${tool.name}`}
                  node={node}
                  schema={schema}
                  value={held.value}
                  onChange={change}
                  backendErrors={backendErrors}
                />
                {node.kind === "object" && node.fields.length === 0 && node.rest === null && (
                  <p className="t3">This tool takes no arguments.</p>
                )}
              </>
            ) : (
              <JsonEditor
                text={text}
                onChange={changeText}
                onRun={run}
                label={`Arguments of ${tool.name} as JSON`}
                errors={backendErrors.map(sentence)}
              />
            )}
            <p className="small t3 form-links">
              {isFilled && <LinkButton onPress={reset}>Start over</LinkButton>}
              <LinkButton
                onPress={() =>
                  actions.openDialog({
                    kind: "saveCall",
                    serverId: server.id,
                    callKind: "tool",
                    item: tool.name,
                    arguments: mode === "form" ? sentText(held.value) : checkJson(text) ? "{}" : text,
                  })
                }
                isDisabled={mode === "json" && checkJson(text) !== undefined}
              >
                Save as…
              </LinkButton>
            </p>
            <SavedCalls serverId={server.id} kind="tool" name={tool.name} />
            <LastCalls
              serverId={server.id}
              kind="tool"
              name={tool.name}
              shown={call}
              onPick={(picked) => {
                actions.refill(server.id, "tool", tool.name, formatJson(picked.arguments || "{}"), picked.id);
                void actions.loadCall(picked.id);
              }}
            />
          </>
        }
        result={
          call === undefined ? (
            <p className="t3 result-hint">The result appears here.</p>
          ) : call.outcome === "running" ? (
            <Running call={call} />
          ) : (
            <ResultView
              key={call.id}
              call={call}
              outputSchema={tool.outputSchema}
              onRunAgain={(args) => confirmAndSend(args || "{}")}
              onRead={(uri) => readLinked(actions, server.id, uri)}
            />
          )
        }
      />
      {asking !== "" && (
        <Dialog
          title={`Run ${tool.name}?`}
          alert
          width={460}
          onClose={() => setAsking("")}
          footer={
            <>
              <span className="grow" />
              <Button onPress={() => setAsking("")} autoFocus>
                Keep it
              </Button>
              <Button
                tone="danger"
                onPress={() => {
                  setAsking("");
                  void send(asking);
                }}
              >
                Run {tool.name}
              </Button>
            </>
          }
        >
          <p>
            {server.name} says that this tool can destroy data
            {tool.idempotent === "true" ? "" : ", and that running it twice may do so twice"}.
          </p>
          {asking !== "{}" && <Note>With {asking.length > 300 ? `${asking.slice(0, 300)}…` : asking}</Note>}
        </Dialog>
      )}
    </>
  );
}

const noErrors: readonly FieldError[] = [];

function start(text: string, node: ReturnType<typeof normalise>): { value: FormValue; fault: string | undefined } {
  const read = readDraft(text, node);
  return "fault" in read
    ? { value: initialValue(node, true) ?? {}, fault: read.fault }
    : { value: read.value, fault: undefined };
}

function sentence(error: FieldError): string {
  return error.pointer === "" ? error.message : `${error.pointer}: ${error.message}`;
}

function announcement(call: api.Call): string {
  const took = formatDuration(call.durationMs);
  switch (call.outcome) {
    case "done":
      return `done in ${took}`;
    case "error":
      return `the tool reports an error after ${took}`;
    case "cancelled":
      return "cancelled";
    default:
      return call.error?.message ?? call.outcome;
  }
}

/** Opens a linked resource in its tab and reads it. */
function readLinked(actions: ReturnType<typeof useActions>, serverId: string, uri: string): void {
  actions.selectTab(serverId, "resources");
  actions.selectItem(serverId, "resource", uri);
  void actions.call(serverId, "resource", uri, "");
}
