import { useEffect, useId, useRef, useState } from "react";
import type { EditorView } from "./codemirror";
import { checkJson } from "./scan";
import "./json.css";

export interface JsonEditorProps {
  text: string;
  onChange: (text: string) => void;
  onRun: () => void;
  label: string;
  /** What is wrong beyond the syntax, from the form's checks or from the back end. */
  errors?: readonly string[];
}

/** Edits JSON text. The text is kept whatever it is; the first error is named with its place. */
export function JsonEditor({ text, onChange, onRun, label, errors = [] }: JsonEditorProps) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const [ready, setReady] = useState(false);
  const [broken, setBroken] = useState(false);
  const latest = useRef({ text, onChange, onRun });
  latest.current = { text, onChange, onRun };
  const statusId = useId();
  const error = checkJson(text);

  useEffect(() => {
    let gone = false;
    import("./codemirror").then(
      ({ createEditor }) => {
        if (gone || !parent.current) return;
        view.current = createEditor(parent.current, {
          text: latest.current.text,
          label,
          describedBy: statusId,
          onChange: (next) => latest.current.onChange(next),
          onRun: () => latest.current.onRun(),
        });
        setReady(true);
      },
      () => setBroken(true),
    );
    return () => {
      gone = true;
      view.current?.destroy();
      view.current = undefined;
      setReady(false);
    };
  }, [label, statusId]);

  useEffect(() => {
    if (!ready || !view.current) return;
    const current = view.current;
    void import("./codemirror").then(({ replaceText, showFault }) => {
      if (view.current !== current) return;
      replaceText(current, latest.current.text);
      showFault(current, error && latest.current.text.trim() !== "" ? error.offset : undefined);
    });
  }, [ready, error]);

  useEffect(() => {
    if (!ready || !view.current || view.current.state.doc.toString() === text) return;
    const current = view.current;
    void import("./codemirror").then(
      ({ replaceText }) => view.current === current && replaceText(current, latest.current.text),
    );
  }, [ready, text]);

  return (
    <div className="json-editor">
      {broken ? (
        <textarea
          className="input mono"
          aria-label={label}
          rows={16}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      ) : (
        <div
          ref={parent}
          className="json-editor-box"
          data-invalid={error !== undefined || errors.length > 0 || undefined}
        />
      )}
      <div id={statusId} className="small json-status" aria-live="polite">
        {error ? (
          <p className="err">{error.message}</p>
        ) : errors.length > 0 ? (
          errors.slice(0, 8).map((message) => (
            <p key={message} className="err">
              {message}
            </p>
          ))
        ) : (
          <p className="t3">Sent exactly as it stands here.</p>
        )}
      </div>
    </div>
  );
}
