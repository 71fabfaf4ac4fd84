import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { JsonViewer } from "../json/JsonViewer";
import { useActions, useAppState, useBackend } from "../state";
import { Button, Dialog, formatBytes, formatClock, formatDuration, Note, visibleText } from "../ui";
import { directionWords, messageWord } from "./lines";

/** One message, whole. */
export function MessageDialog({ message }: { message: api.Message }) {
  const backend = useBackend();
  const actions = useActions();
  const server = useAppState((state) => state.servers.find((row) => row.id === message.serverId)?.name ?? "");
  const [body, setBody] = useState<string>();
  const [http, setHTTP] = useState<api.HTTPHead>();
  const pair = useAppState((state) => pairOf(state.messages, message));
  const [failure, setFailure] = useState<api.Failure>();

  useEffect(() => {
    let stale = false;
    backend.traceBody(message.n).then(
      (text) => stale || setBody(text),
      (thrown) => stale || setFailure(failureOf(thrown)),
    );
    // Without its head a message is shown all the same; what is wrong with it is told with its body.
    backend.traceDetail(message.n).then(
      (detail) => stale || setHTTP(detail.http),
      () => stale || setHTTP(undefined),
    );
    return () => {
      stale = true;
    };
  }, [backend, message.n]);

  const facts = [
    server,
    directionWords(message.dir),
    formatClock(message.time),
    formatBytes(message.bytes),
    message.latencyMs > 0 ? `after ${formatDuration(message.latencyMs)}` : "",
    message.http > 0 ? `HTTP ${message.http}` : "",
    message.era ? `${message.era} era` : "",
  ];
  return (
    <Dialog
      title={
        message.method && message.kind !== "request"
          ? `${message.method}, ${messageWord(message)}`
          : messageWord(message)
      }
      width={820}
      onClose={() => actions.closeDialog()}
      footer={
        <>
          {pair ? (
            <Button tone="quiet" onPress={() => actions.openDialog({ kind: "message", message: pair })}>
              {message.kind === "request" ? "Show its answer" : "Show its request"}
            </Button>
          ) : null}
          <span className="grow" />
          <Button isDisabled={body === undefined} onPress={() => actions.copy(body ?? "", "The message was")}>
            Copy
          </Button>
          <Button onPress={() => actions.closeDialog()}>Close</Button>
        </>
      }
    >
      <p className="t2">{facts.filter(Boolean).join(" · ")}</p>
      {message.problem ? (
        <Note tone="needs">Problem: {message.problem}. The Problems list says what was done.</Note>
      ) : null}
      {failure ? (
        <Note tone="failed">
          {failure.message} {failure.hint}
        </Note>
      ) : null}
      {http ? <HeadLines head={http} /> : null}
      {body === undefined ? null : <Body text={body} />}
    </Dialog>
  );
}

/** The other half of a request and its answer. A request in the list may be older than its answer. */
function pairOf(messages: api.Message[], message: api.Message): api.Message | undefined {
  return messages.find((other) => other.n === message.pair || (message.kind === "request" && other.pair === message.n));
}

function HeadLines({ head }: { head: api.HTTPHead }) {
  return (
    <details>
      <summary>
        {head.method} {visibleText(head.url)} · {head.status > 0 ? `HTTP ${head.status}` : head.error || "no answer"}
      </summary>
      <Lines label="Request headers" lines={head.requestHeaders} />
      <Lines label="Response headers" lines={head.responseHeaders} />
    </details>
  );
}

function Lines({ label, lines }: { label: string; lines: api.Header[] }) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{label}</h3>
      <dl className="head-lines mono small selectable">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: headers may repeat, and this list never changes
          <div key={index} style={{ display: "contents" }}>
            <dt>{visibleText(line.name)}</dt>
            <dd>{visibleText(line.value)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Body({ text }: { text: string }) {
  const json = /^\s*[[{]/.test(text);
  return json ? (
    <div className="message-body">
      <JsonViewer text={text} label="The whole message" />
    </div>
  ) : (
    <pre className="pre">{visibleText(text)}</pre>
  );
}
