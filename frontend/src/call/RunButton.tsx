import type { api } from "../backend";
import { Button, commandKey, Kbd } from "../ui";

interface Props {
  label: string;
  call: api.Call | undefined;
  disabled: boolean;
  /** Why it cannot run. */
  reason?: string;
  onRun: () => void;
  onCancel: (id: string) => void;
}

/** Runs, and turns into Cancel while it runs; same place, same size, so that it never moves under the pointer. */
export function RunButton({ label, call, disabled, reason, onRun, onCancel }: Props) {
  if (call?.outcome === "running")
    return (
      <Button className="run" onPress={() => onCancel(call.id)}>
        Cancel
      </Button>
    );
  return (
    <>
      {disabled && reason && <span className="t3 small run-reason">{reason}</span>}
      <Button
        tone="primary"
        className="run"
        isDisabled={disabled}
        onPress={onRun}
        aria-keyshortcuts="Control+Enter Meta+Enter"
      >
        {label} <Kbd>{commandKey("↵")}</Kbd>
      </Button>
    </>
  );
}
