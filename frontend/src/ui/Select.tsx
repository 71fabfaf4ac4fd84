import { Check, ChevronDown } from "lucide-react";
import { Select as AriaSelect, Button, Label, ListBox, ListBoxItem, Popover, SelectValue } from "react-aria-components";

export interface SelectProps<K extends string> {
  label: string;
  /** The label is for screen readers only. */
  hideLabel?: boolean;
  value: K;
  onChange(value: K): void;
  options: readonly { key: K; label: string; hint?: string }[];
}

export function Select<K extends string>({ label, hideLabel, value, onChange, options }: SelectProps<K>) {
  return (
    <AriaSelect
      className="field"
      aria-label={hideLabel ? label : undefined}
      value={value}
      onChange={(key) => {
        const option = options.find((candidate) => candidate.key === key);
        if (option) onChange(option.key);
      }}
    >
      {hideLabel ? null : <Label className="field-label">{label}</Label>}
      <Button className="select-button">
        <SelectValue className="grow clip">{({ selectedText }) => selectedText}</SelectValue>
        <ChevronDown size={14} aria-hidden="true" />
      </Button>
      <Popover className="popover" offset={4}>
        <ListBox className="menu">
          {options.map((option) => (
            <ListBoxItem key={option.key} id={option.key} textValue={option.label} className="menu-item">
              <Check size={14} className="check" aria-hidden="true" />
              <span className="grow">{option.label}</span>
              {option.hint ? <span className="t3 small">{option.hint}</span> : null}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
