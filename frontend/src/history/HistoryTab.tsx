import { ArrowUpRight, Pin, PinOff } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { ListBox, ListBoxItem } from "react-aria-components";
import { type api, failureOf } from "../backend";
import { JsonViewer } from "../json/JsonViewer";
import { type CallKind, useActions, useAppState, useBackend, useServerView } from "../state";
import { Button, Checkbox, formatBytes, formatDuration, formatWhen, Note, SearchField } from "../ui";
import { argumentSummary, outcomeMark, outcomeWords } from "./outcome";
import "./history.css";

const pageSize = 50;

export function HistoryTab({ server }: { server: api.Server }) {
  const actions = useActions();
  const { text, selected } = useServerView(server.id).history;
  const [pinnedOnly, setPinnedOnly] = useState(false);
  const { calls, failure, more, loadMore, reload } = useHistory(server.id, text, pinnedOnly);
  const shown = calls.find((call) => call.id === selected) ?? calls[0];
  const now = new Date();
  return (
    <div className="split">
      <div className="split-list">
        <SearchField
          label="Search the history"
          shortcut="/"
          slash
          value={text}
          onChange={(next) => actions.setHistory(server.id, { text: next })}
        />
        <Checkbox isSelected={pinnedOnly} onChange={setPinnedOnly}>
          Pinned only
        </Checkbox>
        {failure ? (
          <Note tone="failed">
            {failure.message} {failure.hint}
          </Note>
        ) : null}
        <ListBox
          aria-label="Calls, newest first"
          className="history-list"
          items={calls}
          selectionMode="single"
          selectionBehavior="replace"
          selectedKeys={shown ? [shown.id] : []}
          onSelectionChange={(keys) => {
            const [key] = keys;
            if (typeof key === "string") actions.setHistory(server.id, { selected: key });
          }}
          renderEmptyState={() => (
            <p className="side-empty">
              {text
                ? `No call matches “${text}”.`
                : pinnedOnly
                  ? "No call is pinned. A pinned call stays whatever the limits of the history say."
                  : "No calls yet. What you run here is kept, with its result."}
            </p>
          )}
        >
          {(call) => (
            <ListBoxItem id={call.id} textValue={`${call.name}, ${outcomeWords(call)}`} className="history-row">
              <span className="outcome" data-outcome={call.outcome} aria-hidden="true">
                {outcomeMark(call.outcome)}
              </span>
              <span className="history-name clip">
                {call.name}
                {call.pinned ? <Pin size={11} className="pin-mark" aria-label="Pinned" role="img" /> : null}
              </span>
              <span className="t3 small">{formatWhen(call.startedAt, now)}</span>
              <span className="history-args clip t2 small">{argumentSummary(call.arguments)}</span>
              <span className="t3 small">{formatDuration(call.durationMs)}</span>
            </ListBoxItem>
          )}
        </ListBox>
        {more ? (
          <Button tone="quiet" size="small" onPress={loadMore}>
            Load older calls
          </Button>
        ) : null}
      </div>
      {shown ? <HistoryDetail key={shown.id} call={shown} onPinned={reload} /> : <section className="split-detail" />}
    </div>
  );
}

/** Calls of one server, newest first, loaded again when one ends. */
function useHistory(serverId: string, text: string, pinned: boolean) {
  const backend = useBackend();
  const ended = useAppState(
    (state) =>
      Object.values(state.calls).filter((call) => call.serverId === serverId && call.outcome !== "running").length,
  );
  const [state, setState] = useState<{ calls: api.Call[]; failure?: api.Failure; more: boolean }>({
    calls: [],
    more: false,
  });
  const generation = useRef(0);

  const load = useCallback(
    async (before: string, known: api.Call[]) => {
      generation.current += 1;
      const mine = generation.current;
      try {
        const page = await backend.history({ serverId, kind: "", name: "", text, pinned, before, limit: pageSize });
        if (mine === generation.current) setState({ calls: [...known, ...page], more: page.length === pageSize });
      } catch (thrown) {
        if (mine === generation.current) setState((old) => ({ ...old, failure: failureOf(thrown) }));
      }
    },
    [backend, serverId, text, pinned],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: an ended call is the reason to load again, not an input.
  useEffect(() => {
    const timer = setTimeout(() => void load("", []), text === "" ? 0 : 150);
    return () => clearTimeout(timer);
  }, [load, ended, text]);

  return {
    ...state,
    loadMore: () => void load(state.calls.at(-1)?.id ?? "", state.calls),
    reload: () => void load("", []),
  };
}

function HistoryDetail({ call: row, onPinned }: { call: api.Call; onPinned: () => void }) {
  const actions = useActions();
  const { call, result, failure } = useWholeCall(row);
  const running = call.outcome === "running";
  return (
    <section className="split-detail" aria-label={`Call of ${call.name}`}>
      <header className="detail-head">
        <div className="grow">
          <h2 className="clip" title={call.name}>
            {call.name}
          </h2>
          <p className="t2">
            <span className="outcome" data-outcome={call.outcome}>
              {outcomeMark(call.outcome)} {outcomeWords(call)}
            </span>
            {[
              running ? "" : formatDuration(call.durationMs),
              call.size > 0 ? formatBytes(call.size) : "",
              new Date(call.startedAt).toLocaleString("en-GB"),
            ]
              .filter(Boolean)
              .map((fact) => ` · ${fact}`)
              .join("")}
          </p>
        </div>
        <Button
          tone="quiet"
          isDisabled={running}
          onPress={() => void actions.pinCall(row.id, !row.pinned).then(onPinned)}
        >
          {row.pinned ? <PinOff size={14} aria-hidden="true" /> : <Pin size={14} aria-hidden="true" />}
          {row.pinned ? "Unpin" : "Pin"}
        </Button>
        {running ? null : (
          <Button
            tone="quiet"
            onPress={() =>
              actions.openDialog({
                kind: "saveCall",
                serverId: call.serverId,
                callKind: call.kind as CallKind,
                item: call.name,
                arguments: call.arguments,
              })
            }
          >
            Save as…
          </Button>
        )}
        <Button onPress={() => actions.refill(call.serverId, call.kind as CallKind, call.name, call.arguments)}>
          <ArrowUpRight size={14} aria-hidden="true" />
          Open in the form
        </Button>
      </header>
      <div className="detail-body">
        {call.error ? (
          <Note tone="failed">
            {call.error.message} {call.error.hint}
          </Note>
        ) : null}
        {failure ? (
          <Note tone="failed">
            {failure.message} {failure.hint}
          </Note>
        ) : null}
        {call.problems.map((problem) => (
          <Note key={`${problem.code}${problem.subject}`} tone="needs">
            {problem.message}
          </Note>
        ))}
        <h3>Arguments</h3>
        <JsonViewer text={call.arguments || "{}"} label="Arguments" />
        {result ? (
          <>
            <h3>Result</h3>
            <JsonViewer text={result} label="Result" />
          </>
        ) : null}
      </div>
    </section>
  );
}

/** The list may leave results out; the whole call has them, or says where they are. */
function useWholeCall(row: api.Call) {
  const backend = useBackend();
  const [state, setState] = useState<{ call: api.Call; result: string; failure?: api.Failure }>({
    call: row,
    result: row.result,
  });
  useEffect(() => {
    let stale = false;
    const load = async () => {
      const call = await backend.historyCall(row.id);
      const result = call.resultUrl ? await backend.fetchText(call.resultUrl) : call.result;
      if (!stale) setState({ call, result });
    };
    load().catch((thrown) => {
      if (!stale) setState((old) => ({ ...old, failure: failureOf(thrown) }));
    });
    return () => {
      stale = true;
    };
  }, [backend, row.id]);
  return state;
}
