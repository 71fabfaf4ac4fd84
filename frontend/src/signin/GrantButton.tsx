import type { api } from "../backend";
import { useActions, useAppState } from "../state";
import { Button, Note, visibleText } from "../ui";
import { useNow } from "./useNow";
import { grantedSince, hasFailed, headline, isRunning } from "./words";
import "./signin.css";

const labels: Record<string, string> = { auth_required: "Sign in", insufficient_scope: "Grant access" };

export interface GrantButtonProps {
  call: api.Call;
  onRunAgain(): void;
}

/** Under a call that failed for want of rights: get them, then run it again. The second is up to the person as well. */
export function GrantButton({ call, onRunAgain }: GrantButtonProps) {
  const actions = useActions();
  const server = useAppState((state) => state.servers.find((row) => row.id === call.serverId));
  const label = labels[call.error?.code ?? ""];
  const signIn = server?.signIn;
  const now = useNow(isRunning(signIn));
  if (!label || !server) return null;
  const later = signIn && Date.parse(signIn.startedAt) >= Date.parse(call.startedAt);
  if (grantedSince(server, call)) {
    return (
      <div className="result-grant">
        <Button tone="primary" onPress={onRunAgain}>
          Run again
        </Button>
        <span className="t2">You are signed in. The call was not run again by itself.</span>
      </div>
    );
  }
  return (
    <div className="result-grant">
      {isRunning(signIn) ? (
        <span className="t2">{headline(signIn, now)}</span>
      ) : (
        <Button tone="primary" onPress={() => actions.signIn(server.id)}>
          {label}
        </Button>
      )}
      {later && hasFailed(signIn) ? (
        <Note tone="failed">{visibleText(signIn.error?.message ?? signIn.detail)}</Note>
      ) : null}
    </div>
  );
}
