import { useEffect, useRef, useState } from "react";
import { formatJson } from "./scan";
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

/** Shows JSON: read-only, foldable, searchable (Ctrl/Cmd+F), digits as they were sent; ten megabytes are fine. */
export function JsonViewer({ text, label, raw = false, plain = false, fill = false }: JsonViewerProps) {
  const parent = useRef<HTMLDivElement>(null);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    let gone = false;
    let destroy = () => {};
    import("./codemirror").then(
      ({ createViewer }) => {
        if (gone || !parent.current) return;
        const view = createViewer(parent.current, raw || plain ? text : formatJson(text), label, !plain);
        destroy = () => view.destroy();
      },
      () => setBroken(true),
    );
    return () => {
      gone = true;
      destroy();
    };
  }, [text, label, raw, plain]);
  if (broken) return <pre className="pre">{text.slice(0, 100_000)}</pre>;
  return <div ref={parent} className="json-viewer" data-fill={fill || undefined} />;
}
