import type { api } from "../backend";
import { useActions } from "../state";
import { Button } from "../ui";
import { FailureActions, LastWords, StepList } from "./FailureDetails";

/** In the place of lists that are not known yet: how connecting goes, why it failed, or what to do. */
export function ConnectionPage({ server }: { server: api.Server }) {
  if (server.error) return <FailurePage server={server} failure={server.error} />;
  if (server.state === "disconnected") return <DisconnectedPage server={server} />;
  return (
    <div className="connection-page">
      <h2>{server.detail || "Connecting"}</h2>
      <StepList server={server} />
    </div>
  );
}

function FailurePage({ server, failure }: { server: api.Server; failure: api.Failure }) {
  return (
    <div className="connection-page">
      <h2>{failure.message}</h2>
      {failure.hint ? <p className="t2">{failure.hint}</p> : null}
      <LastWords server={server} failure={failure} />
      <StepList server={server} />
      <FailureActions server={server} failure={failure} />
    </div>
  );
}

function DisconnectedPage({ server }: { server: api.Server }) {
  const actions = useActions();
  return (
    <div className="connection-page">
      <h2>{server.enabled ? "Not connected" : "Disabled"}</h2>
      <p className="t2">
        {server.enabled
          ? "Connect it to see what it offers."
          : "A disabled server stays in the list and is not connected at the start. You can still connect it now."}
      </p>
      <div className="row">
        <Button tone="primary" onPress={() => actions.connect(server.id)}>
          Connect
        </Button>
        {server.enabled ? null : <Button onPress={() => actions.setEnabled(server.id, true)}>Enable</Button>}
        <Button tone="quiet" onPress={() => actions.openDialog({ kind: "edit", serverId: server.id })}>
          Edit
        </Button>
      </div>
    </div>
  );
}
