import { useContext, useMemo, useState } from "react";
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  Input,
  ListBox,
  ListBoxItem,
  ListLayout,
  Popover,
  Text,
  Virtualizer,
} from "react-aria-components";

interface Props {
  id?: string;
  labelledBy?: string;
  label?: string;
  describedBy?: string | undefined;
  invalid?: boolean;
  options: readonly { label: string; description?: string }[];
  selected: number;
  /** What to show when the value is none of the options. */
  stray?: string | undefined;
  onSelect: (index: number | undefined) => void;
  clearable: boolean;
  disabled?: boolean;
}

/** A longer set: a field that filters its list while one types. Virtualised, so that thousands of choices open at once. */
export function Picker({
  id,
  labelledBy,
  label,
  describedBy,
  invalid = false,
  options,
  selected,
  stray,
  onSelect,
  clearable,
  disabled = false,
}: Props) {
  const items = useMemo(() => options.map((option, index) => ({ id: index, ...option })), [options]);
  const text = selected < 0 ? (stray ?? "") : (options[selected]?.label ?? "");
  // What is being typed; the value speaks as soon as it changes, from here or from outside.
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const [told, setTold] = useState(text);
  if (told !== text) {
    setTold(text);
    setTyped(undefined);
  }
  return (
    <ComboBox
      id={id}
      className="picker"
      aria-labelledby={labelledBy}
      aria-label={label}
      aria-describedby={describedBy}
      isInvalid={invalid}
      isDisabled={disabled}
      menuTrigger="input"
      defaultItems={items}
      inputValue={typed ?? text}
      onInputChange={(next) => {
        setTyped(next);
        if (next === "" && clearable && selected >= 0) onSelect(undefined);
      }}
      onBlur={() => setTyped(undefined)}
      selectedKey={selected < 0 ? null : selected}
      onSelectionChange={(key) => {
        setTyped(undefined);
        if (key === null) {
          if (clearable) onSelect(undefined);
        } else if (key !== selected) onSelect(Number(key));
      }}
    >
      <div className="picker-box">
        <OpeningInput id={id} placeholder={clearable ? "not sent" : "Pick one"} />
        <Button className="picker-button" aria-label="Show the choices">
          ▾
        </Button>
      </div>
      <Popover className="popover picker-popover" offset={2}>
        <Virtualizer layout={ListLayout} layoutOptions={{ rowHeight: 28 }}>
          <ListBox className="menu" renderEmptyState={() => <p className="small t3 menu-empty">Nothing fits.</p>}>
            {(item: (typeof items)[number]) => (
              <ListBoxItem id={item.id} textValue={item.label} className="menu-item">
                <Text slot="label" className="clip">
                  {item.label}
                </Text>
                {item.description && (
                  <Text slot="description" className="small t3 clip">
                    {item.description}
                  </Text>
                )}
              </ListBoxItem>
            )}
          </ListBox>
        </Virtualizer>
      </Popover>
    </ComboBox>
  );
}

/** Opens its list on a click, as a select does; getting the focus alone opens nothing. */
function OpeningInput({ id, placeholder }: { id: string | undefined; placeholder: string }) {
  const state = useContext(ComboBoxStateContext);
  return (
    <Input
      className="input"
      id={id}
      placeholder={placeholder}
      spellCheck={false}
      onClick={() => {
        if (state && !state.isOpen) state.open(null, "manual");
      }}
    />
  );
}
