import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { useBackend } from "../state";

export type ResultText =
  | { state: "none" }
  | { state: "loading" }
  | { state: "ready"; text: string }
  | { state: "failed"; failure: api.Failure };

/** The raw text of a call's result; a large one is fetched from its address when it is looked at. */
export function useResultText(call: api.Call): ResultText {
  const backend = useBackend();
  const { resultUrl } = call;
  const [fetched, setFetched] = useState<{ url: string; result: ResultText } | undefined>(undefined);
  useEffect(() => {
    if (resultUrl === "") return;
    let gone = false;
    backend.fetchText(resultUrl).then(
      (text) => gone || setFetched({ url: resultUrl, result: { state: "ready", text } }),
      (thrown) => gone || setFetched({ url: resultUrl, result: { state: "failed", failure: failureOf(thrown) } }),
    );
    return () => {
      gone = true;
    };
  }, [backend, resultUrl]);
  if (resultUrl !== "") return fetched?.url === resultUrl ? fetched.result : { state: "loading" };
  return call.result === "" ? { state: "none" } : { state: "ready", text: call.result };
}
