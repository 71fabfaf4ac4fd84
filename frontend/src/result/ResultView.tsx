// The outcome of one call: header with the verdict, then the content, the JSON laid out, or the bytes as they came.
import { Check, ChevronDown, CircleSlash, Clock, X } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import type { api } from "../backend";
import { JsonViewer } from "../json/JsonViewer";
import { GrantButton } from "../signin/GrantButton";
import { type CallKind, useActions } from "../state";
import { Button, formatBytes, formatDuration, Menu, type MenuEntry, Note, plural, Segmented } from "../ui";
import { Blocks, OneBlock, ResourceBlock } from "./Blocks";
import { FailureView, FieldErrors } from "./FailureView";
import { readPromptResult, readResourceResult, readToolResult, type ToolResult } from "./read";
import { useResultText } from "./useResultText";
import { VisitNotice } from "./VisitNotice";
import "./result.css";

type View = "result" | "json" | "raw";

export interface ResultViewProps {
  /** An ended call. */
  call: api.Call;
  /** JSON text of the tool's output schema, "" if it has none. */
  outputSchema?: string;
  onRead?: (uri: string) => void;
  /** Runs the same call once more, with whatever is asked before. */
  onRunAgain?: (args: string) => void;
}

export function ResultView({ call, outputSchema = "", onRead, onRunAgain }: ResultViewProps) {
  const [view, setView] = useState<View>("result");
  const result = useResultText(call);
  const actions = useActions();
  const text = result.state === "ready" ? result.text : "";

  const runAgain = () => {
    if (onRunAgain) onRunAgain(call.arguments);
    else void actions.call(call.serverId, call.kind as CallKind, call.name, call.arguments);
  };

  const entries: MenuEntry[] = [
    { key: "result", label: "Result as JSON", disabled: text === "", run: () => void actions.copy(text, "Result") },
    {
      key: "text",
      label: "Text of the result",
      disabled: textOf(text) === "",
      run: () => void actions.copy(textOf(text), "Text"),
    },
    {
      key: "arguments",
      label: "Arguments as JSON",
      disabled: call.arguments === "",
      run: () => void actions.copy(call.arguments, "Arguments"),
    },
  ];

  return (
    <div className="result-view">
      <header className="result-head">
        <Verdict call={call} />
        <span className="t3 grow clip">{facts(call)}</span>
        {text !== "" && (
          <Segmented<View>
            size="small"
            label="Show the result as"
            value={view}
            onChange={setView}
            options={[
              { key: "result", label: "Result" },
              { key: "json", label: "JSON" },
              { key: "raw", label: "Raw" },
            ]}
          />
        )}
        {text !== "" && (
          <Menu
            label="Copy"
            trigger={
              <Button tone="quiet" size="small">
                Copy <ChevronDown size={12} aria-hidden="true" />
              </Button>
            }
            entries={entries}
          />
        )}
      </header>
      {call.problems.map((problem) => (
        <Note key={`${problem.code} ${problem.subject} ${problem.message}`} tone="needs">
          {problem.subject && <b>{problem.subject}: </b>}
          {problem.message}
        </Note>
      ))}
      {call.error && <FailureView failure={call.error} />}
      {call.error && <GrantButton call={call} onRunAgain={runAgain} />}
      {call.error && <VisitNotice call={call} onRunAgain={runAgain} />}
      {result.state === "loading" && <p className="t3">Loading {formatBytes(call.size)}…</p>}
      {result.state === "failed" && <FailureView failure={result.failure} />}
      {result.state === "none" && !call.error && call.outcome === "done" && <p className="t2">The result is empty.</p>}
      {text !== "" &&
        (view === "result" ? (
          <Rendered call={call} text={text} outputSchema={outputSchema} onRead={onRead} />
        ) : (
          <JsonViewer
            text={text}
            label={view === "json" ? "Result as JSON" : "Result as it was received"}
            raw={view === "raw"}
            fill
          />
        ))}
    </div>
  );
}

function Rendered({
  call,
  text,
  outputSchema,
  onRead,
}: {
  call: api.Call;
  text: string;
  outputSchema: string;
  onRead?: ((uri: string) => void) | undefined;
}): ReactNode {
  const read = useMemo(
    () =>
      call.kind === "prompt"
        ? { kind: "prompt" as const, value: readPromptResult(text) }
        : call.kind === "resource"
          ? { kind: "resource" as const, value: readResourceResult(text) }
          : { kind: "tool" as const, value: readToolResult(text) },
    [call.kind, text],
  );
  if (read.value === undefined)
    return (
      <>
        <Note tone="needs">This is not what such a request should answer. It is shown as it came.</Note>
        <JsonViewer text={text} label="Result" fill />
      </>
    );
  if (read.kind === "tool")
    return <ToolContent result={read.value} call={call} outputSchema={outputSchema} onRead={onRead} />;
  if (read.kind === "prompt")
    return (
      <>
        {read.value.description && <p className="t2">{read.value.description}</p>}
        {read.value.messages.length === 0 && <p className="t2">The prompt has no messages.</p>}
        <ol className="messages">
          {read.value.messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
            <li key={index} data-role={message.role}>
              <h3>{message.role || "no role given"}</h3>
              <OneBlock block={message.block} place={index + 1} />
            </li>
          ))}
        </ol>
      </>
    );
  const several = read.value.length > 1;
  return (
    <>
      {read.value.length === 0 && <p className="t2">The resource has no contents.</p>}
      {read.value.map((contents, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <ResourceBlock key={index} resource={contents} heading={several || contents.uri !== call.name} />
      ))}
    </>
  );
}

function ToolContent({
  result,
  call,
  outputSchema,
  onRead,
}: {
  result: ToolResult;
  call: api.Call;
  outputSchema: string;
  onRead?: ((uri: string) => void) | undefined;
}) {
  const empty = result.blocks.length === 0 && result.structured === undefined && result.further.length === 0;
  // Servers repeat structured content as text, for clients that know only that.
  const repeated = result.structured !== undefined && result.blocks.length === 1 && isRepeat(result);
  return (
    <>
      {empty && (
        <p className="t2">
          {result.isError ? "The tool gave no reason." : "The result is empty: the tool answered without content."}
        </p>
      )}
      {!repeated && <Blocks blocks={result.blocks} onRead={onRead} />}
      {result.structured !== undefined && (
        <section className="result-part">
          <h3>
            Structured content
            {outputSchema !== "" && call.violations.length === 0 && (
              <span className="ready-text"> · matches the output schema</span>
            )}
            {call.violations.length > 0 && (
              <span className="failed-text"> · {plural(call.violations.length, "violation")} of the output schema</span>
            )}
            {repeated && <span className="t3"> · also sent as text</span>}
          </h3>
          {call.violations.length > 0 && <FieldErrors errors={call.violations} />}
          <JsonViewer text={result.structured} label="Structured content" />
        </section>
      )}
      {result.structured === undefined && outputSchema !== "" && !result.isError && !empty && (
        <Note tone="needs">This tool has an output schema but sent no structured content.</Note>
      )}
      {result.further.map((member) => (
        <section key={member.name} className="result-part">
          <h3>{member.name}</h3>
          <JsonViewer text={member.json} label={member.name} />
        </section>
      ))}
    </>
  );
}

function isRepeat(result: ToolResult): boolean {
  const [block] = result.blocks;
  if (block?.kind !== "text" || result.structured === undefined) return false;
  const squeeze = (text: string) => text.replace(/\s+/g, "");
  return block.text.length < 200_000 && squeeze(block.text) === squeeze(result.structured);
}

function Verdict({ call }: { call: api.Call }) {
  const [icon, words, tone] = verdictOf(call);
  return (
    <span className="verdict" data-tone={tone}>
      {icon}
      <b>{words}</b>
    </span>
  );
}

function verdictOf(call: api.Call): [ReactNode, string, string] {
  switch (call.outcome) {
    case "done":
      return [<Check key="i" size={14} aria-hidden="true" />, "Done", "ready"];
    case "error":
      return [
        <X key="i" size={14} aria-hidden="true" />,
        call.kind === "tool" ? "Tool error" : "Server error",
        "failed",
      ];
    case "timeout":
      return [<Clock key="i" size={14} aria-hidden="true" />, "Timed out", "failed"];
    case "cancelled":
      return [<CircleSlash key="i" size={14} aria-hidden="true" />, "Cancelled", "off"];
    default:
      return [<X key="i" size={14} aria-hidden="true" />, "Failed", "failed"];
  }
}

function facts(call: api.Call): string {
  const asked = call.asks.map(
    (ask) => `you ${ask.action === "accept" ? "accepted" : ask.action === "decline" ? "declined" : "cancelled"}`,
  );
  return [formatDuration(call.durationMs), call.size > 0 ? formatBytes(call.size) : "", ...asked]
    .filter(Boolean)
    .join(" · ");
}

function textOf(text: string): string {
  const blocks = readToolResult(text)?.blocks ?? [];
  return blocks
    .flatMap((block) =>
      block.kind === "text"
        ? [block.text]
        : block.kind === "resource" && block.resource.text !== undefined
          ? [block.resource.text]
          : [],
    )
    .join("\n");
}
