import { useState } from "react";
import { childPointer, type Json, parseNumber } from "../../json/value";
import { type ControlProps, useForm } from "../context";
import type { ListNode, Node } from "../node";

/** Lists of short scalars are typed as chips. */
export function isChips(node: Node): boolean {
  return (
    node.kind === "list" &&
    !node.item.nullable &&
    (node.item.kind === "number" || (node.item.kind === "string" && !node.item.multiline))
  );
}

/** Type and Enter adds one, Backspace in the empty field takes the last one back, a click on a chip edits it. */
export function ChipsControl({
  node,
  value,
  onChange,
  pointer,
  id,
  describedBy,
  invalid,
  name,
}: ControlProps<ListNode>) {
  const { errors, readOnly } = useForm();
  const [text, setText] = useState("");
  const items: Json[] = Array.isArray(value) ? value : [];
  const toItem = (typed: string): Json => (node.item.kind === "number" ? (parseNumber(typed) ?? typed) : typed);
  const add = (typed: string) => {
    const pieces = typed
      .split(/\r?\n/)
      .map((piece) => (node.item.kind === "number" ? piece.trim() : piece))
      .filter((piece) => piece !== "");
    setText("");
    if (pieces.length > 0) onChange([...items, ...pieces.map(toItem)]);
  };
  const remove = (index: number) => onChange(items.filter((_, at) => at !== index));
  return (
    <div className="chips in-chips">
      {items.map((item, index) => {
        const wrong = errors.has(childPointer(pointer, index));
        const label =
          item === "" ? "empty text" : typeof item === "object" && item !== null ? JSON.stringify(item) : String(item);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: chips have no identity but their place
          <span key={index} className={wrong ? "chip on wrong" : "chip on"}>
            <button
              type="button"
              className="chip-text clip"
              title={`${label}\nClick to edit`}
              aria-label={`Edit ${label}`}
              disabled={readOnly}
              onClick={() => {
                const rest = items.filter((_, at) => at !== index);
                onChange(text === "" ? rest : [...rest, toItem(text)]);
                setText(typeof item === "string" ? item : label);
                document.getElementById(id)?.focus();
              }}
            >
              {label}
            </button>
            {!readOnly && (
              <button
                type="button"
                className="chip-remove"
                aria-label={`Remove ${label}`}
                onClick={() => remove(index)}
              >
                ✕
              </button>
            )}
          </span>
        );
      })}
      {!readOnly && (
        <input
          id={id}
          className="chip-input"
          value={text}
          placeholder={items.length === 0 ? "+ add" : "+"}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          autoComplete="off"
          spellCheck={false}
          aria-label={`Add to ${name}`}
          onChange={(event) => setText(event.target.value)}
          // Typed but not confirmed is meant all the same.
          onBlur={() => add(text)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData("text/plain");
            if (!/\n/.test(pasted)) return;
            event.preventDefault();
            add(text + pasted);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) {
              event.preventDefault();
              add(text);
            } else if (event.key === "Enter") add(text);
            else if (event.key === "Backspace" && text === "" && items.length > 0) {
              event.preventDefault();
              remove(items.length - 1);
            }
          }}
        />
      )}
    </div>
  );
}
