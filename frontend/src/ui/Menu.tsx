import type { ReactElement, ReactNode } from "react";
import { Menu as AriaMenu, MenuItem as AriaMenuItem, MenuTrigger, Popover, Separator } from "react-aria-components";

export interface MenuEntry {
  key: string;
  label: string;
  icon?: ReactNode;
  hint?: string;
  danger?: boolean;
  disabled?: boolean;
  /** A line above it. */
  divided?: boolean;
  run(): void;
}

/** A button with a list of things to do. The trigger must be a Button. */
export function Menu({ label, trigger, entries }: { label: string; trigger: ReactElement; entries: MenuEntry[] }) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" placement="bottom end" offset={4}>
        <AriaMenu
          aria-label={label}
          className="menu"
          disabledKeys={entries.filter((entry) => entry.disabled).map((entry) => entry.key)}
          onAction={(key) => entries.find((entry) => entry.key === key)?.run()}
        >
          {entries.flatMap((entry) => [
            ...(entry.divided ? [<Separator key={`${entry.key}-line`} className="menu-separator" />] : []),
            <AriaMenuItem
              key={entry.key}
              id={entry.key}
              textValue={entry.label}
              className="menu-item"
              data-tone={entry.danger ? "danger" : undefined}
            >
              {entry.icon}
              <span className="grow">{entry.label}</span>
              {entry.hint ? <span className="t3 small">{entry.hint}</span> : null}
            </AriaMenuItem>,
          ])}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
