import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { useActions, useAppState, useBackend } from "../state";
import { Button, Dialog, Note } from "../ui";
import { Entry } from "./Entry";

const origins: Record<string, string> = {
  link: "A link proposed this entry. Jackfield does not know who made it.",
  import: "This entry was imported from a file. Nobody has approved it yet.",
};

/** Shows what an entry would run that the person did not type, and takes their word for exactly that. */
export function ReviewDialog({ serverId }: { serverId: string }) {
  const actions = useActions();
  const backend = useBackend();
  const server = useAppState((state) => state.servers.find((row) => row.id === serverId));
  const [config, setConfig] = useState<api.Config>();
  const [failure, setFailure] = useState<api.Failure>();
  const [busy, setBusy] = useState(false);
  const review = server?.review;
  const hash = review?.hash;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another hash is another command, which has to be shown.
  useEffect(() => {
    let current = true;
    backend.serverConfig(serverId).then(
      (loaded) => current && setConfig(loaded),
      (thrown) => current && setFailure(failureOf(thrown)),
    );
    return () => {
      current = false;
    };
  }, [backend, serverId, hash]);
  const close = () => actions.closeDialog();
  if (!server || !review) return null;
  const approve = async () => {
    setBusy(true);
    setFailure(undefined);
    try {
      await backend.approve(serverId, review.hash);
      await backend.setServerEnabled(serverId, true);
      close();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog
      alert
      title={`Run ${server.name}?`}
      width={620}
      onClose={close}
      footer={
        <>
          <span className="grow t3 small">If any of it changes, Jackfield asks again.</span>
          <Button autoFocus onPress={close}>
            Cancel
          </Button>
          <Button tone="danger" isDisabled={!config || busy} onPress={() => void approve()}>
            Approve and connect
          </Button>
        </>
      }
    >
      <p>{origins[review.source] ?? "You did not type this entry."}</p>
      {config ? <Entry config={config} /> : null}
      {failure ? (
        <div role="alert">
          <Note tone="failed">
            {failure.message} {failure.hint}
          </Note>
        </div>
      ) : null}
    </Dialog>
  );
}
