import type { api } from "../backend";
import { useActions, useAppState } from "../state";
import { Button } from "../ui";

/** Under a call that needs an address to be visited first (-32042): where the question is, what came of it, and the call once more. */
export function VisitNotice({ call, onRunAgain }: { call: api.Call; onRunAgain(): void }) {
  const actions = useActions();
  const open = useAppState((state) => state.asks.find((ask) => ask.callEnded && ask.callId === call.id));
  const outcome = useAppState((state) => state.visits[call.id]);
  if (call.error?.code !== "url_elicitation_required") return null;
  return (
    <div className="result-grant">
      {open ? (
        <>
          <Button tone="primary" onPress={() => actions.setInbox({ open: true, askId: open.id })}>
            Look at the address
          </Button>
          <Button onPress={onRunAgain}>Run again</Button>
        </>
      ) : (
        <Button tone="primary" onPress={onRunAgain}>
          Run again
        </Button>
      )}
      <span className="t2">{outcome ?? "The call is not run again by itself."}</span>
    </div>
  );
}
