import { type ReactNode, useId } from "react";

export interface FieldProps {
  label: ReactNode;
  /** Beside the label: "required · at most 120". */
  note?: string;
  hint?: ReactNode;
  error?: string;
  children: (ids: { id: string; describedBy: string | undefined; invalid: boolean }) => ReactNode;
}

/** Label, control, hint and error of one value, tied together for screen readers. */
export function Field({ label, note, hint, error, children }: FieldProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label} {note ? <span className="small">{note}</span> : null}
      </label>
      {children({ id, describedBy: described || undefined, invalid: Boolean(error) })}
      {error ? (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      ) : null}
      {hint ? (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

export interface TextFieldProps {
  label: ReactNode;
  note?: string;
  hint?: ReactNode;
  error?: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  mono?: boolean;
  /** More than one makes it a text area. */
  rows?: number;
  type?: "text" | "password" | "number" | "url";
  autoFocus?: boolean;
  disabled?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { label, note, hint, error, value, onChange, placeholder, mono, rows = 1, type = "text" } = props;
  return (
    <Field label={label} note={note} hint={hint} error={error}>
      {({ id, describedBy, invalid }) => {
        const shared = {
          id,
          "aria-describedby": describedBy,
          "aria-invalid": invalid,
          className: mono ? "input mono" : "input",
          value,
          placeholder,
          disabled: props.disabled,
          spellCheck: false,
          autoComplete: "off",
          autoFocus: props.autoFocus,
        };
        return rows > 1 ? (
          <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input {...shared} type={type} onChange={(event) => onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}
