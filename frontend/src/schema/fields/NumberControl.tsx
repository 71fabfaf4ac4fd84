import { isNumeric, parseNumber } from "../../json/value";
import { type ControlProps, useForm } from "../context";
import type { NumberNode } from "../node";

/** A number as text, so that every digit stays. What is not a number stays too, and the validator names it. */
export function NumberControl({ node, value, onChange, id, describedBy, invalid, required }: ControlProps<NumberNode>) {
  const { readOnly } = useForm();
  const text = value === undefined ? "" : String(value);
  const step = (by: number) => {
    const now = value === undefined ? 0 : Number(value);
    if (!isNumeric(value ?? 0) || !Number.isSafeInteger(Math.trunc(now))) return;
    const size = node.multipleOf ?? 1;
    const next = Number((now + by * size).toPrecision(15));
    if ((node.minimum === undefined || next >= node.minimum) && (node.maximum === undefined || next <= node.maximum))
      onChange(next);
  };
  return (
    <input
      id={id}
      className="input narrow tabular"
      type="text"
      inputMode={node.integer ? "numeric" : "decimal"}
      autoComplete="off"
      readOnly={readOnly}
      value={text}
      placeholder={required ? undefined : "not sent"}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      aria-required={required || undefined}
      onChange={(event) => {
        const typed = event.target.value;
        onChange(typed.trim() === "" ? undefined : (parseNumber(typed) ?? typed));
      }}
      onKeyDown={(event) => {
        if ((event.key !== "ArrowUp" && event.key !== "ArrowDown") || event.altKey || event.ctrlKey || event.metaKey)
          return;
        event.preventDefault();
        step((event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1));
      }}
    />
  );
}
