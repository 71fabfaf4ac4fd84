import { useLayoutEffect, useRef } from "react";
import { type ControlProps, useForm } from "../context";
import { formatOf } from "../formats";
import type { StringNode } from "../node";

/** Text. One line until it holds a line break; pasted line breaks are kept. An emptied optional field is not sent. */
export function StringControl({ node, value, onChange, id, describedBy, invalid, required }: ControlProps<StringNode>) {
  const { readOnly } = useForm();
  const text = typeof value === "string" ? value : value === undefined ? "" : String(value);
  const lines = text.split("\n").length;
  const multiline = node.multiline === true || lines > 1;
  const box = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const caret = useRef<number | undefined>(undefined);

  // The input turned into a text area under the person's hands: focus and caret move along.
  useLayoutEffect(() => {
    if (caret.current === undefined) return;
    box.current?.focus();
    box.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const change = (next: string) => onChange(next === "" ? undefined : next);
  const insert = (piece: string) => {
    const at = box.current?.selectionStart ?? text.length;
    const end = box.current?.selectionEnd ?? at;
    caret.current = at + piece.length;
    change(text.slice(0, at) + piece + text.slice(end));
  };

  const shared = {
    id,
    ref: box,
    className:
      node.format === undefined
        ? "input"
        : narrow.has(node.format)
          ? "input narrow"
          : wide.has(node.format)
            ? "input moment"
            : "input",
    value: text,
    readOnly,
    "aria-describedby": describedBy,
    "aria-invalid": invalid || undefined,
    "aria-required": required || undefined,
    placeholder: value === "" ? "empty text" : (formatOf(node.format)?.example ?? (required ? undefined : "not sent")),
    autoComplete: "off",
    autoCapitalize: "off",
    autoCorrect: "off",
    spellCheck: false,
  };
  if (multiline)
    return (
      <textarea
        {...shared}
        rows={Math.min(Math.max(lines, node.multiline ? 3 : 2), 14)}
        onChange={(event) => change(event.target.value)}
      />
    );
  return (
    <div className="row">
      <input
        {...shared}
        type={node.format === "password" ? "password" : "text"}
        inputMode={node.format === "email" ? "email" : node.format === "uri" ? "url" : "text"}
        onChange={(event) => change(event.target.value)}
        onBlur={() => {
          const complete = node.format === "date-time" ? completeDateTime(text) : undefined;
          if (complete && complete !== text) change(complete);
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData("text/plain").replaceAll("\r\n", "\n");
          if (!pasted.includes("\n") || node.format !== undefined) return;
          event.preventDefault();
          insert(pasted);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !event.shiftKey || node.format !== undefined) return;
          event.preventDefault();
          insert("\n");
        }}
      />
      {(node.format === "date" || node.format === "date-time") && text === "" && !readOnly && (
        <button
          type="button"
          className="link small"
          onClick={() => change(node.format === "date" ? localIso(new Date()).slice(0, 10) : localIso(new Date()))}
        >
          {node.format === "date" ? "today" : "now"}
        </button>
      )}
    </div>
  );
}

const narrow = new Set(["date", "time", "ipv4", "duration"]);
const wide = new Set(["date-time", "uuid"]);

function pad(n: number): string {
  return String(n).padStart(2, "0");
}

/** A moment in local time with its offset: what a person means by "now". */
export function localIso(date: Date): string {
  const offset = -date.getTimezoneOffset();
  const zone =
    offset === 0
      ? "Z"
      : `${offset < 0 ? "-" : "+"}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}${zone}`;
}

/** Completes what people type, "2026-12-04 19:05", to what the format wants; undefined if it is not such a text. */
export function completeDateTime(text: string): string | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour = "0", minute = "00", second = "00"] = match;
  const date = new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  // A date that rolls over (30 February) is left for the validator to name.
  return date.getDate() === Number(day) && date.getHours() === Number(hour) ? localIso(date) : undefined;
}
