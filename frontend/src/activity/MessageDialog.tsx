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
  const [failure, setFailure] = useState<api.Failure>();

  useEffect(() => {
    let stale = false;
    backend.traceBody(message.n).then(
      (text) => stale || setBody(text),
      (thrown) => stale || setFailure(failureOf(thrown)),
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
      {body === undefined ? null : <Body text={body} />}
    </Dialog>
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
