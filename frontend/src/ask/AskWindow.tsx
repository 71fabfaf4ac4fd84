import { useEffect, useState } from "react";
import { type api, failureOf, type PromptBackend } from "../backend";
import { Note } from "../ui";
import { AskForm } from "./AskForm";

/** The page of a prompt window: one ask, one answer. The program closes the window when the answer has arrived. */
export function AskWindow({ backend }: { backend: PromptBackend }) {
  const [shown, setShown] = useState<api.AskWindow | undefined>(undefined);
  const [failure, setFailure] = useState<api.Failure | undefined>(undefined);
  const [answered, setAnswered] = useState(false);
  useEffect(() => {
    let gone = false;
    backend.ask().then(
      (window) => {
        if (gone) return;
        if (window.theme === "light" || window.theme === "dark") document.documentElement.dataset.theme = window.theme;
        document.title = `${window.ask.serverName} asks`;
        setShown(window);
      },
      (thrown) => gone || setFailure(failureOf(thrown)),
    );
    return () => {
      gone = true;
    };
  }, [backend]);

  if (failure)
    return (
      <main className="ask-notice">
        <Note tone="failed">
          <span className="strong">{failure.message}</span> {failure.hint}
        </Note>
      </main>
    );
  if (answered)
    return (
      <main className="ask-notice" role="status">
        <p className="t2">Answered. This window closes by itself.</p>
      </main>
    );
  if (!shown) return <main className="ask-notice" />;
  return (
    <main className="ask-window">
      <AskForm
        ask={shown.ask}
        behind={shown.behind}
        answer={backend.answer}
        onDone={() => setAnswered(true)}
        standalone
      />
    </main>
  );
}
