/** The keyboard of the whole window. Keys of a form or a list belong to it; these work from everywhere. */
import { useEffect } from "react";
import { type TabKey, useActions, useAppState } from "../state";
import { commandKey, hasCommandKey } from "../ui";

export const tabKeys: TabKey[] = ["tools", "prompts", "resources", "history", "details"];

export const shortcuts: { keys: string; what: string }[] = [
  { keys: commandKey("K"), what: "Find a server, tool, prompt, resource or command" },
  { keys: "/", what: "Search the list in view" },
  { keys: commandKey("↵"), what: "Run what the form shows" },
  { keys: "Alt 1 … 5", what: "Tools, prompts, resources, history, details" },
  { keys: "F6", what: "Next part of the window (with Shift: the one before)" },
  { keys: commandKey("J"), what: "Open or fold the activity drawer" },
  { keys: commandKey("I"), what: "Open or close the inbox" },
  { keys: commandKey("N"), what: "Add a server" },
  { keys: commandKey(","), what: "Settings" },
  { keys: "?", what: "This list" },
];

function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const focusable =
  'input:not([disabled]), textarea:not([disabled]), button:not([disabled]), [tabindex]:not([tabindex="-1"]), [contenteditable="true"]';

/** Moves the focus to the first thing that can take it in the next part of the window. */
export function focusNextPane(backwards: boolean): void {
  const panes = [...document.querySelectorAll<HTMLElement>("[data-pane]")].filter((pane) => pane.offsetParent !== null);
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const step = backwards ? -1 : 1;
  for (let tries = 1; tries <= panes.length; tries++) {
    const from = at < 0 && backwards ? 0 : at;
    const pane = panes[(from + step * tries + panes.length * 2) % panes.length];
    const candidates = pane?.querySelectorAll<HTMLElement>(focusable) ?? [];
    const target = [...candidates].find((element) => element.offsetParent !== null);
    if (target) {
      target.focus();
      return;
    }
  }
}

export function useWindowKeys(): void {
  const actions = useActions();
  const serverId = useAppState((state) => state.selectedServer);
  const drawerOpen = useAppState((state) => state.drawer.open);
  const inboxOpen = useAppState((state) => state.inbox.open);
  const dialogOpen = useAppState((state) => state.dialog.kind !== "none");
  useEffect(() => {
    const commands: Record<string, () => void> = {
      k: () => actions.openDialog({ kind: "palette" }),
      j: () => actions.setDrawer({ open: !drawerOpen }),
      i: () => actions.setInbox({ open: !inboxOpen }),
      n: () => actions.openDialog({ kind: "add" }),
      ",": () => actions.openDialog({ kind: "settings" }),
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || dialogOpen) return;
      const take = (run: () => void) => {
        event.preventDefault();
        run();
      };
      if (event.key === "F6") return take(() => focusNextPane(event.shiftKey));
      const command = commands[event.key.toLowerCase()];
      if (command && hasCommandKey(event) && !event.altKey && !event.shiftKey) return take(command);
      const digit = /^Digit([1-5])$/.exec(event.code)?.[1];
      if (digit && event.altKey && !event.ctrlKey && !event.metaKey) {
        const tab = tabKeys[Number(digit) - 1];
        if (tab && serverId) return take(() => actions.selectTab(serverId, tab));
      }
      if (typing(event.target) || hasCommandKey(event) || event.altKey) return;
      if (event.key === "/") {
        const search = [...document.querySelectorAll<HTMLInputElement>("[data-slash]")].find(
          (input) => input.offsetParent !== null,
        );
        if (search) take(() => search.select());
      }
      if (event.key === "?") take(() => actions.openDialog({ kind: "keys" }));
    };
    // On the way down: lists and fields keep the keys that they see to themselves.
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, [actions, serverId, drawerOpen, inboxOpen, dialogOpen]);
}
