import { useActions, useAppState } from "../state";
import { Button, Dialog } from "../ui";

export function RemoveDialog({ serverId }: { serverId: string }) {
  const actions = useActions();
  const name = useAppState((state) => state.servers.find((server) => server.id === serverId)?.name ?? "");
  const close = () => actions.closeDialog();
  return (
    <Dialog
      alert
      title={`Remove ${name}?`}
      width={440}
      onClose={close}
      footer={
        <>
          <span className="grow" />
          <Button onPress={close} autoFocus>
            Keep it
          </Button>
          <Button
            tone="danger"
            onPress={() => {
              close();
              void actions.remove(serverId);
            }}
          >
            Remove
          </Button>
        </>
      }
    >
      <p>Its connection is closed, and its settings, secrets and call history are deleted. This cannot be undone.</p>
    </Dialog>
  );
}
