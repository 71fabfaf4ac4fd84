import { type ControlProps, useForm } from "../context";
import type { BooleanNode } from "../node";

interface Props extends ControlProps<BooleanNode> {
  hint: string;
  hintId: string;
  title: string | undefined;
}

/** A box to tick, its words beside it. An optional one that was never touched is not sent, and says so. */
export function BooleanControl({
  value,
  onChange,
  id,
  labelId,
  describedBy,
  invalid,
  required,
  name,
  hint,
  hintId,
  title,
}: Props) {
  const { readOnly } = useForm();
  return (
    <label className="check-label" id={labelId} htmlFor={id}>
      <input
        id={id}
        type="checkbox"
        className="check"
        checked={value === true}
        disabled={readOnly}
        data-unset={value === undefined || undefined}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="label-text" title={title}>
        {name}
      </span>
      {(hint || (value === undefined && !required)) && (
        <span className="small t3" id={hintId}>
          {[hint, value === undefined && !required ? "not sent" : ""].filter(Boolean).join(" · ")}
        </span>
      )}
    </label>
  );
}
