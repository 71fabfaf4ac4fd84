import { AppWindow, X } from "lucide-react";
import { AskPanel } from "../ask/AskPanel";
import { useActions, useAppState, useBackend } from "../state";
import { Button, IconButton, Jack } from "../ui";
import "./inbox.css";

/** The open asks, beside the work: it takes no focus and hides nothing that the person needs to answer. */
export function Inbox() {
  const actions = useActions();
  const asks = useAppState((state) => state.asks);
  const wanted = useAppState((state) => state.inbox.askId);
  const ask = asks.find((open) => open.id === wanted) ?? asks[0];
  return (
    <section className="inbox" aria-label="Inbox" data-pane="">
      <header className="inbox-head">
        <h2 className="grow">Inbox</h2>
        {ask ? <ShowWindow askId={ask.id} /> : null}
        <IconButton label="Close the inbox" size="small" onPress={() => actions.setInbox({ open: false })}>
          <X size={16} aria-hidden="true" />
        </IconButton>
      </header>
      {asks.length > 1 ? (
        <ul className="inbox-list" aria-label="Open questions">
          {asks.map((open) => (
            <li key={open.id}>
              <Button
                tone="quiet"
                className="inbox-item"
                aria-pressed={open.id === ask?.id}
                onPress={() => actions.setInbox({ askId: open.id })}
              >
                <Jack state="needs" />
                <span className="clip">{open.serverName}</span>
                <span className="clip t3 small">{open.callName}</span>
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {ask ? (
        <div className="inbox-ask">
          <AskPanel key={ask.id} ask={ask} />
        </div>
      ) : (
        <div className="empty">
          <p>Nothing waits for you.</p>
          <p className="t3">
            When a server needs an answer to go on, its question appears here and in a window of its own.
          </p>
        </div>
      )}
    </section>
  );
}

function ShowWindow({ askId }: { askId: string }) {
  const backend = useBackend();
  const actions = useActions();
  const windows = useAppState((state) => state.settings.askWindow !== "inline");
  if (!windows) return null;
  return (
    <IconButton
      label="Show its window"
      size="small"
      onPress={() => {
        backend.showAsk(askId).catch((thrown: unknown) => actions.report("The window could not be shown", thrown));
      }}
    >
      <AppWindow size={14} aria-hidden="true" />
    </IconButton>
  );
}
