import { Plus, X } from "lucide-react";
import type { api } from "../backend";
import { Checkbox, IconButton, LinkButton } from "../ui";

export interface VariableListProps {
  /** "Headers" or "Environment". */
  title: string;
  /** "header" or "variable". */
  noun: string;
  rows: api.Variable[];
  onChange(rows: api.Variable[]): void;
  error?: string;
}

/** Headers or environment variables, with the secret ones kept out of sight. */
export function VariableList({ title, noun, rows, onChange, error }: VariableListProps) {
  const change = (at: number, patch: Partial<api.Variable>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <fieldset className="variables">
      <legend className="field-label">{title}</legend>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place.
        <div className="variable" key={index}>
          <input
            className="input mono"
            aria-label={`Name of ${noun} ${index + 1}`}
            value={row.name}
            placeholder="Name"
            spellCheck={false}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          <input
            className="input mono"
            aria-label={`Value of ${row.name || `${noun} ${index + 1}`}`}
            type={row.secret ? "password" : "text"}
            value={row.value}
            placeholder={row.secret && row.hasValue ? "stored, leave empty to keep it" : "Value"}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => change(index, { value: event.target.value })}
          />
          <Checkbox isSelected={row.secret} onChange={(secret) => change(index, { secret })}>
            Secret
          </Checkbox>
          <IconButton
            label={`Remove ${row.name || `${noun} ${index + 1}`}`}
            size="small"
            onPress={() => onChange(rows.filter((_, at) => at !== index))}
          >
            <X size={14} aria-hidden="true" />
          </IconButton>
        </div>
      ))}
      <LinkButton
        className="t2 small"
        onPress={() => onChange([...rows, { name: "", value: "", secret: false, hasValue: false }])}
      >
        <Plus size={11} aria-hidden="true" /> Add {noun === "header" ? "a header" : "a variable"}
      </LinkButton>
      {error ? <p className="field-error">{error}</p> : null}
    </fieldset>
  );
}
