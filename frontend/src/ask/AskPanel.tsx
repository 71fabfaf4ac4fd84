import type { api } from "../backend";
import { useBackend } from "../state";
import { AskForm } from "./AskForm";

/** One ask of the inbox. Whoever answers first, this panel or the ask's own window, closes the other. */
export function AskPanel({ ask, behind = 0, onDone }: { ask: api.Ask; behind?: number; onDone?: () => void }) {
  const backend = useBackend();
  return (
    <AskForm
      key={ask.id}
      ask={ask}
      behind={behind}
      answer={(answer) => backend.answerAsk(ask.id, answer)}
      {...(onDone && { onDone })}
    />
  );
}
