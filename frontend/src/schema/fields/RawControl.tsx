import { useState } from "react";
import { checkJson, formatJson } from "../../json/scan";
import { parseJson, stringifyJson, Unparsed } from "../../json/value";
import { type ControlProps, useForm } from "../context";
import type { FormValue } from "../initial";

/** A JSON box, where no control fits. While one types, the text is left alone; what is not JSON is kept and named. */
export function RawControl({ node, value, onChange, id, describedBy, invalid, required }: ControlProps) {
  const { readOnly } = useForm();
  const [draft, setDraft] = useState<string | undefined>(undefined);
  const text =
    draft ?? (value === undefined ? "" : value instanceof Unparsed ? value.text : formatJson(stringifyJson(value)));
  const reason = node.kind === "raw" && node.reason !== "Any value." ? node.reason : undefined;
  return (
    <>
      <textarea
        id={id}
        className="input mono"
        rows={Math.min(Math.max(text.split("\n").length, 1), 14)}
        readOnly={readOnly}
        value={text}
        placeholder={required ? 'JSON, for example "text", 12 or {"a": 1}' : "not sent"}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        aria-required={required || undefined}
        spellCheck={false}
        onChange={(event) => {
          setDraft(event.target.value);
          onChange(parseRaw(event.target.value));
        }}
        onBlur={() => setDraft(undefined)}
      />
      {reason && <p className="hint small t3">{reason} It is sent as the JSON that you write here.</p>}
    </>
  );
}

export function parseRaw(text: string): FormValue {
  if (text.trim() === "") return undefined;
  const error = checkJson(text);
  if (error)
    return new Unparsed(
      text,
      /^[\w\s.,-]*$/.test(text) ? `${error.message} Text is written in double quotes.` : error.message,
    );
  try {
    return parseJson(text);
  } catch {
    return new Unparsed(text, "This JSON is nested too deeply.");
  }
}
