import { useEffect, useState } from "react";
import type { api } from "../backend";
import { useActions, useBackend } from "../state";
import { type Scope, traceFilter } from "./lines";

const none: api.Message[] = [];
const typingPause = 200;

/** The messages that hold the text of the filter anywhere, asked for a moment after typing. */
export function useFound({ serverId, filter, which }: Scope): api.Message[] {
  const backend = useBackend();
  const actions = useActions();
  const [found, setFound] = useState(none);
  const text = filter.trim();
  useEffect(() => {
    setFound(none);
    if (text === "") return;
    let stale = false;
    const timer = setTimeout(() => {
      backend.trace(traceFilter({ serverId, filter: text, which })).then(
        (messages) => stale || setFound(messages),
        (thrown) => stale || actions.report("The messages could not be searched", thrown),
      );
    }, typingPause);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [backend, actions, serverId, text, which]);
  return found;
}
