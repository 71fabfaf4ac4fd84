import { useEffect, useRef, useState } from "react";
import { formatJson, Layout } from "./scan";
import "./json.css";

export interface JsonViewerProps {
  text: string;
  /** Its name for screen readers. */
  label: string;
  /** Show the text as it is, not laid out. */
  raw?: boolean;
  /** Text that is not JSON: no colours. */
  plain?: boolean;
  /** Fill the height of the parent instead of growing with the text. */
  fill?: boolean;
}

/** Longer documents are laid out in steps, so that the window stays alive meanwhile. */
const steppedFrom = 300_000;
const tokensPerStep = 20_000;

/** Shows JSON: read-only, foldable, searchable (Ctrl/Cmd+F), digits as they were sent; ten megabytes are fine. */
export function JsonViewer({ text, label, raw = false, plain = false, fill = false }: JsonViewerProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [broken, setBroken] = useState(false);
  const [progress, setProgress] = useState<number | undefined>(undefined);
  useEffect(() => {
    let gone = false;
    let destroy = () => {};
    const show = (shown: string) => {
      setProgress(undefined);
      import("./codemirror").then(
        ({ createViewer }) => {
          if (gone || !parent.current) return;
          const view = createViewer(parent.current, shown, label, !plain);
          destroy = () => view.destroy();
        },
        () => setBroken(true),
      );
    };
    if (raw || plain) show(text);
    else if (text.length < steppedFrom) show(formatJson(text));
    else {
      const layout = new Layout(text);
      const step = () => {
        if (gone) return;
        if (layout.step(tokensPerStep)) {
          show(layout.text);
          return;
        }
        setProgress(layout.progress);
        setTimeout(step);
      };
      step();
    }
    return () => {
      gone = true;
      destroy();
    };
  }, [text, label, raw, plain]);
  if (broken) return <pre className="pre">{text.slice(0, 100_000)}</pre>;
  return (
    <div ref={parent} className="json-viewer" data-fill={fill || undefined}>
      {progress !== undefined && <p className="json-wait t3 small">Laying it out: {Math.round(progress * 100)} %</p>}
    </div>
  );
}
