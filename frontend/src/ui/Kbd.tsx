import type { ReactNode } from "react";

/** A key as it is printed on the keyboard. Screen readers get the shortcut from aria-keyshortcuts instead. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <span className="kbd" aria-hidden="true">
      {children}
    </span>
  );
}

const mac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** "⌘K" or "Ctrl K": how a shortcut with the platform's command key is printed. */
export const commandKey = (key: string): string => (mac ? `⌘${key}` : `Ctrl ${key}`);

/** True when the platform's command key is held. */
export const hasCommandKey = (event: { metaKey: boolean; ctrlKey: boolean }): boolean =>
  mac ? event.metaKey : event.ctrlKey;
