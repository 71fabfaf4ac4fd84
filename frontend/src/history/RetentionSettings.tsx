import "./history.css";
import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { useActions, useBackend } from "../state";
import { Button, TextField } from "../ui";
import { parseRetention } from "./retention";

const fields = [
  { key: "calls", label: "Calls of each server" },
  { key: "days", label: "Days" },
  { key: "megabytes", label: "Megabytes of all" },
] as const;

/** How much of the history is kept. A smaller limit deletes, so that this has a button, unlike the other settings. */
export function RetentionSettings() {
  const backend = useBackend();
  const actions = useActions();
  const [stored, setStored] = useState<api.Retention>();
  const [texts, setTexts] = useState({ calls: "", days: "", megabytes: "" });
  const [said, setSaid] = useState("");
  const take = (retention: api.Retention) => {
    setStored(retention);
    setTexts({
      calls: String(retention.calls),
      days: String(retention.days),
      megabytes: String(retention.megabytes),
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once
  useEffect(() => {
    let gone = false;
    backend.retention().then(
      (retention) => gone || take(retention),
      (thrown) => gone || setSaid(failureOf(thrown).message),
    );
    return () => {
      gone = true;
    };
  }, [backend]);
  const next = parseRetention(texts);
  const changed = stored && next && fields.some(({ key }) => next[key] !== stored[key]);
  const save = async () => {
    if (!next) return;
    try {
      const deleted = await backend.setRetention(next);
      take(next);
      setSaid(deleted === 1 ? "1 call was deleted." : `${deleted} calls were deleted.`);
    } catch (thrown) {
      actions.report("The limits of the history could not be set", thrown);
    }
  };
  return (
    <fieldset className="retention">
      <legend>History keeps at most</legend>
      <div className="retention-fields">
        {fields.map(({ key, label }) => (
          <TextField
            key={key}
            label={label}
            type="number"
            value={texts[key]}
            onChange={(text) => setTexts((before) => ({ ...before, [key]: text }))}
          />
        ))}
        <Button isDisabled={!changed} onPress={() => void save()}>
          Apply
        </Button>
      </div>
      <p className="field-hint" role="status">
        {said || "0 means no limit. Calls beyond a limit are deleted; pinned ones never are."}
      </p>
    </fieldset>
  );
}
