import { useMemo, useState } from "react";
import { JsonViewer } from "../json/JsonViewer";
import { Segmented } from "../ui";
import { Markdown } from "./Markdown";
import { shapeOf } from "./read";

type View = "text" | "markdown" | "json";

/** More than this goes to the virtualised viewer; as paragraphs it would freeze the window. */
const longText = 30_000;

/** A text: plain at first. What looks like Markdown or JSON can be read as that; JSON is laid out from the start. */
export function TextBlock({ text, mimeType = "", label }: { text: string; mimeType?: string; label: string }) {
  const shape = useMemo(() => shapeOf(text, mimeType), [text, mimeType]);
  const [view, setView] = useState<View>(shape === "json" ? "json" : "text");
  const shown: View =
    shape === "plain" || (view === "json" && shape !== "json") || (view === "markdown" && shape !== "markdown")
      ? "text"
      : view;
  return (
    <div className="text-block">
      {shape !== "plain" && (
        <div className="text-views">
          <Segmented<View>
            size="small"
            label={`${label} as`}
            value={shown}
            onChange={setView}
            options={[
              { key: "text", label: "Text" },
              shape === "json" ? { key: "json", label: "JSON" } : { key: "markdown", label: "Markdown" },
            ]}
          />
        </div>
      )}
      {text === "" ? (
        <p className="t3">An empty text.</p>
      ) : shown === "markdown" ? (
        <Markdown text={text} label={label} />
      ) : shown === "json" ? (
        <JsonViewer text={text} label={label} />
      ) : text.length > longText ? (
        <JsonViewer text={text} label={label} plain />
      ) : (
        <p className="plain-text selectable">{text}</p>
      )}
    </div>
  );
}
