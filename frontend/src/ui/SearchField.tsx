import { Search, X } from "lucide-react";
import { SearchField as AriaSearchField, Button, Input } from "react-aria-components";
import { Kbd } from "./Kbd";

export interface SearchFieldProps {
  label: string;
  placeholder?: string;
  value: string;
  onChange(value: string): void;
  /** Shown while empty: the key that comes here. */
  shortcut?: string;
  /** Where "/" goes: the search of the list in view, see shell/keys.ts. */
  slash?: boolean;
  icon?: boolean;
}

export function SearchField({ label, placeholder, value, onChange, shortcut, slash, icon }: SearchFieldProps) {
  return (
    <AriaSearchField aria-label={label} value={value} onChange={onChange} className="search">
      {icon ? <Search size={13} aria-hidden="true" /> : null}
      <Input placeholder={placeholder ?? label} data-slash={slash ? "" : undefined} spellCheck={false} />
      {shortcut ? <Kbd>{shortcut}</Kbd> : null}
      <Button className="search-clear" aria-label="Clear">
        <X size={12} aria-hidden="true" />
      </Button>
    </AriaSearchField>
  );
}
