// What a person sees of an ask, in the prompt window and in the inbox: who asks, why, the form or the address, three answers.
import { useEffect, useId, useMemo, useRef, useState } from "react";
import { type api, failureOf } from "../backend";
import { parseSchema } from "../call/parseSchema";
import { JsonViewer } from "../json/JsonViewer";
import { equalJson, stringifyJson } from "../json/value";
import { AddressText } from "../result/AddressText";
import { readAddress } from "../result/address";
import type { FieldError } from "../schema/errors";
import { type FormValue, initialValue } from "../schema/initial";
import { normalise } from "../schema/normalise";
import { SchemaForm, type SchemaFormHandle } from "../schema/SchemaForm";
import { Button, commandKey, formatDuration, hasCommandKey, Jack, Kbd, LinkButton, Note } from "../ui";
import { SamplingRequest } from "./SamplingRequest";
import { secretFields } from "./secret";
import "./ask.css";

export interface AskFormProps {
  ask: api.Ask;
  /** Asks that wait after this one. */
  behind?: number;
  /** Rejects with a BackendError if the answer does not fit; the form then stays. */
  answer: (answer: api.Answer) => Promise<void>;
  onDone?: () => void;
  /** A window of its own: takes the focus. */
  standalone?: boolean;
}

export function AskForm({ ask, behind = 0, answer, onDone, standalone = false }: AskFormProps) {
  const schema = useMemo(() => parseSchema(ask.schema), [ask.schema]);
  const node = useMemo(() => normalise(schema), [schema]);
  const initial = useMemo<FormValue>(() => initialValue(node, true) ?? {}, [node]);
  const [value, setValue] = useState<FormValue>(initial);
  const [errors, setErrors] = useState<readonly FieldError[]>(none);
  const [failure, setFailure] = useState<api.Failure | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [showArguments, setShowArguments] = useState(false);
  const form = useRef<SchemaFormHandle>(null);
  const accept = useRef<HTMLButtonElement>(null);
  const keep = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  // The only heading of its window, one of several in the inbox.
  const Title = standalone ? "h1" : "h2";
  const isForm = ask.mode !== "url";
  const isSampling = ask.mode === "sampling";
  const address = useMemo(() => readAddress(ask.url), [ask.url]);
  const secrets = useMemo(() => (isForm && !isSampling ? secretFields(node) : []), [isForm, isSampling, node]);
  const filled = isForm && !equalJson(value, initial);
  const fieldless = isForm && node.kind === "object" && node.fields.length === 0;

  useEffect(() => {
    if (!standalone) return;
    if (isForm && !fieldless) form.current?.focus();
    else accept.current?.focus();
  }, [standalone, isForm, fieldless]);
  // The question takes the focus and gives it back to where the person was.
  useEffect(() => {
    if (!leaving) return;
    const before = document.activeElement;
    keep.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, [leaving]);

  const give = async (action: "accept" | "decline" | "cancel") => {
    if (busy) return;
    if (action === "accept" && isForm && !form.current?.check()) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await answer({ action, content: action === "accept" && isForm ? stringifyJson(value ?? {}) : "" });
      onDone?.();
    } catch (thrown) {
      const failed = failureOf(thrown);
      const fields = failed.fields ?? [];
      setErrors(fields);
      setFailure(fields.length > 0 ? undefined : failed);
      setBusy(false);
      return;
    }
    setBusy(false);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape") {
      // Escape inside of a dialog closes it as well; here it is an answer, or the question whether it is meant.
      event.preventDefault();
      event.stopPropagation();
      if (leaving) setLeaving(false);
      else if (filled) setLeaving(true);
      else void give("cancel");
    }
  };
  const onAcceptKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !hasCommandKey(event) || event.isComposing || leaving) return;
    if (!isForm && !address.opens) return;
    event.preventDefault();
    event.stopPropagation();
    const target = event.target as HTMLElement;
    // A chip that is typed but not confirmed is committed on blur.
    if (target.classList.contains("chip-input")) {
      target.blur();
      setTimeout(() => accept.current?.click());
    } else void give("accept");
  };

  // In a window of its own the keys count also while nothing has the focus.
  const latestKeys = useRef(onKeyDown);
  useEffect(() => {
    latestKeys.current = (event) => {
      onAcceptKey(event);
      onKeyDown(event);
    };
  });
  useEffect(() => {
    if (!standalone) return;
    const listen = (event: KeyboardEvent) => {
      if (event.target === document.body) latestKeys.current(event);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [standalone]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears the keys of the controls inside
    <div
      className="ask"
      data-standalone={standalone || undefined}
      // Before the controls, some of which keep Enter for themselves.
      onKeyDownCapture={(event) => onAcceptKey(event.nativeEvent)}
      onKeyDown={(event) => {
        if (!event.defaultPrevented) onKeyDown(event.nativeEvent);
      }}
    >
      <header className="ask-head">
        <div className="row">
          <Jack state="ready" />
          <Title id={titleId} className="ask-title grow clip">
            {ask.serverName} asks
          </Title>
          <Waiting since={ask.openedAt} behind={behind} />
        </div>
        <p className="t2 ask-why">
          {ask.endpoint}
          {ask.callName ? (
            <>
              {ask.callEnded ? ", before it runs " : ", while running "}
              <b>{ask.callName}</b> for you.{" "}
              {ask.arguments && ask.arguments !== "{}" && (
                <LinkButton aria-expanded={showArguments} onPress={() => setShowArguments(!showArguments)}>
                  {showArguments ? "Hide its arguments" : "Show its arguments"}
                </LinkButton>
              )}
            </>
          ) : (
            ". It does not say which call this belongs to."
          )}
        </p>
        {showArguments && <JsonViewer text={ask.arguments} label={`Arguments of ${ask.callName}`} />}
      </header>
      <section className="ask-body" aria-labelledby={titleId}>
        {ask.message && <p className="ask-message selectable">{ask.message}</p>}
        {isSampling && <SamplingRequest params={ask.sampling} />}
        {secrets.length > 0 && (
          <Note tone="needs">
            {secrets.length === 1 ? `“${secrets[0]}” looks` : `${secrets.map((name) => `“${name}”`).join(", ")} look`}{" "}
            like a secret. A server must not ask for one in a form: what you type goes to it, and through this program,
            as plain text.
          </Note>
        )}
        {isForm ? (
          <>
            <SchemaForm
              ref={form}
              label={`Answer for ${ask.serverName}`}
              node={node}
              schema={schema}
              value={value}
              onChange={(next) => {
                setValue(next);
                setErrors(none);
                setFailure(undefined);
              }}
              backendErrors={errors}
              fold={false}
            />
            {fieldless && <p className="t3">There is nothing to fill in: accept or decline.</p>}
          </>
        ) : (
          <>
            <AddressText address={address} />
            <p className="t2">
              Accepting opens this page in your browser. Nothing of it is opened or fetched before.
              {ask.callEnded ? " The call has ended; when you are done there, run it again." : ""}
            </p>
          </>
        )}
        {failure && (
          <Note tone="failed">
            <span className="strong">{failure.message}</span> {failure.hint}
          </Note>
        )}
      </section>
      <footer className="ask-foot">
        {leaving ? (
          <>
            <span className="grow" role="alert">
              Cancel the request? What you filled in is lost.
            </span>
            <Button ref={keep} onPress={() => setLeaving(false)}>
              Go on filling in
            </Button>
            <Button tone="danger" isDisabled={busy} onPress={() => void give("cancel")}>
              Cancel the request
            </Button>
          </>
        ) : (
          <>
            <Button tone="quiet" isDisabled={busy} onPress={() => void give("decline")}>
              Decline
            </Button>
            <span className="grow t3 small ask-esc">Esc cancels the request</span>
            <Button isDisabled={busy} onPress={() => void give("cancel")}>
              Cancel
            </Button>
            <Button
              tone="primary"
              ref={accept}
              isDisabled={busy || (!isForm && !address.opens)}
              onPress={() => void give("accept")}
              aria-keyshortcuts="Control+Enter Meta+Enter"
            >
              {isSampling ? "Send" : isForm ? "Accept" : "Open in browser"} <Kbd>{commandKey("↵")}</Kbd>
            </Button>
          </>
        )}
      </footer>
    </div>
  );
}

const none: readonly FieldError[] = [];

function Waiting({ since, behind }: { since: string; behind: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const ms = Math.floor((now - Date.parse(since)) / 1000) * 1000;
  const words = [ms >= 1000 ? `waiting ${formatDuration(ms)}` : "", behind > 0 ? `${behind} more behind this` : ""]
    .filter(Boolean)
    .join(" · ");
  return <span className="t3 small tabular">{words}</span>;
}
