// One or several of a fixed set. A short set is written out, a longer one is a list that filters while typing.
import { equalJson, type Json } from "../../json/value";
import { type ControlProps, useForm } from "../context";
import type { ChoiceNode, ChoicesNode, Option } from "../node";
import { Picker } from "./Picker";
import { Segments } from "./Segments";

export function ChoiceControl({
  node,
  value,
  onChange,
  id,
  labelId,
  describedBy,
  invalid,
  required,
}: ControlProps<ChoiceNode>) {
  const { readOnly } = useForm();
  const options: Option[] =
    node.nullable && !node.options.some((option) => option.value === null)
      ? [...node.options, { value: null, label: "null" }]
      : node.options;
  const selected = options.findIndex((option) => value !== undefined && equalJson(option.value, value));
  const described = selected < 0 ? undefined : options[selected]?.description;
  const select = (index: number | undefined) => onChange(index === undefined ? undefined : options[index]?.value);
  const only = options.length === 1 && required && selected === 0 ? options[0] : undefined;
  return (
    <>
      {only ? (
        <output id={id} aria-labelledby={labelId} className="mono t2 only-value">
          {only.label}
        </output>
      ) : fitsSegments(options) ? (
        <Segments
          id={id}
          labelledBy={labelId}
          describedBy={describedBy}
          invalid={invalid}
          options={options}
          selected={selected}
          onSelect={select}
          disabled={readOnly}
        />
      ) : (
        <Picker
          id={id}
          labelledBy={labelId}
          describedBy={describedBy}
          invalid={invalid}
          options={options}
          selected={selected}
          // A value outside of the set (from JSON, from an old call) is shown, not swallowed.
          stray={
            selected < 0 && value !== undefined
              ? String(typeof value === "object" ? JSON.stringify(value) : value)
              : undefined
          }
          onSelect={select}
          clearable={!required}
          disabled={readOnly}
        />
      )}
      {described && <p className="hint small t2">{described}</p>}
    </>
  );
}

export function fitsSegments(options: readonly { label: string }[]): boolean {
  return options.length <= 6 && options.reduce((sum, option) => sum + option.label.length + 3, 0) <= 46;
}

export function ChoicesControl({ node, value, onChange, labelId, describedBy, id }: ControlProps<ChoicesNode>) {
  const { readOnly } = useForm();
  const chosen: Json[] = Array.isArray(value) ? value : [];
  const isOn = (option: Option) => chosen.some((item) => equalJson(item, option.value));
  const stray = chosen.filter((item) => !node.options.some((option) => equalJson(option.value, item)));
  const toggle = (option: Option) => {
    const on = isOn(option);
    // In the order of the schema, whatever the order of the clicks was.
    const next = node.options.filter((other) => (other === option ? !on : isOn(other))).map((other) => other.value);
    onChange([...next, ...stray]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Field
    <div role="group" id={id} aria-labelledby={labelId} aria-describedby={describedBy} className="chips">
      {node.options.map((option) => (
        <button
          key={option.label}
          type="button"
          className={isOn(option) ? "chip on" : "chip"}
          aria-pressed={isOn(option)}
          title={option.description}
          disabled={readOnly}
          onClick={() => toggle(option)}
        >
          {option.label}
        </button>
      ))}
      {stray.map((item) => (
        <button
          key={JSON.stringify(item)}
          type="button"
          className="chip on wrong"
          aria-pressed
          onClick={() => onChange(chosen.filter((other) => other !== item))}
        >
          {String(item)} <span aria-hidden>✕</span>
        </button>
      ))}
    </div>
  );
}
