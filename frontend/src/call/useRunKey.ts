import { type RefObject, useEffect, useRef } from "react";
import { useAppState } from "../state";
import { hasCommandKey } from "../ui";

/** Ctrl/Cmd+Enter runs, wherever the focus is in the tab or if it is nowhere; a dialog keeps the keys for itself. */
export function useRunKey(within: RefObject<HTMLElement | null>, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  const dialogOpen = useAppState((state) => state.dialog.kind !== "none");
  useEffect(() => {
    if (dialogOpen) return;
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !hasCommandKey(event) || event.isComposing) return;
      const target = event.target as Node | null;
      // The list of the tab belongs to it as much as the form.
      const tab = within.current?.closest(".tab-columns") ?? within.current;
      if (target !== document.body && !tab?.contains(target)) return;
      event.preventDefault();
      event.stopPropagation();
      // What is typed but not confirmed (a chip, a name) is committed on blur: leave the field before running.
      if (target instanceof HTMLInputElement && target.classList.contains("chip-input")) {
        target.blur();
        setTimeout(() => {
          target.focus();
          latest.current();
        });
        return;
      }
      latest.current();
    };
    // Before the controls: a list would take the key as a choice, the editor as a new line.
    window.addEventListener("keydown", listen, true);
    return () => window.removeEventListener("keydown", listen, true);
  }, [within, dialogOpen]);
}
