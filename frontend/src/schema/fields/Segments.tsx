import { Radio, RadioGroup } from "react-aria-components";

interface Props {
  id?: string;
  labelledBy?: string;
  label?: string;
  describedBy?: string | undefined;
  invalid?: boolean;
  options: readonly { label: string; description?: string }[];
  /** Index, or -1. */
  selected: number;
  onSelect: (index: number) => void;
  disabled?: boolean;
  small?: boolean;
}

/** A few choices written out side by side: a radio group. */
export function Segments({
  id,
  labelledBy,
  label,
  describedBy,
  invalid = false,
  options,
  selected,
  onSelect,
  disabled = false,
  small = false,
}: Props) {
  return (
    <RadioGroup
      id={id}
      className="segmented"
      data-size={small ? "small" : "normal"}
      orientation="horizontal"
      aria-labelledby={labelledBy}
      aria-label={label}
      aria-describedby={describedBy}
      isInvalid={invalid}
      isDisabled={disabled}
      value={selected < 0 ? null : String(selected)}
      onChange={(value) => onSelect(Number(value))}
    >
      {options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place is the value
        <Radio key={index} value={String(index)} className="segment">
          {option.label}
        </Radio>
      ))}
    </RadioGroup>
  );
}
