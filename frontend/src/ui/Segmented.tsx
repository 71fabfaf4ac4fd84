import type { ReactNode } from "react";
import { ToggleButton, ToggleButtonGroup } from "react-aria-components";

export interface SegmentedProps<K extends string> {
  label: string;
  value: K;
  onChange(value: K): void;
  options: readonly { key: K; label: ReactNode; disabled?: boolean }[];
  size?: "normal" | "small";
}

/** One of a few, all of them in sight. */
export function Segmented<K extends string>({ label, value, onChange, options, size = "normal" }: SegmentedProps<K>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className="segmented"
      data-size={size}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys;
        const option = options.find((candidate) => candidate.key === key);
        if (option) onChange(option.key);
      }}
    >
      {options.map((option) => (
        <ToggleButton key={option.key} id={option.key} isDisabled={option.disabled} className="segment">
          {option.label}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
