import { useState } from "react";
import { type api, failureOf } from "../backend";
import { useActions, useAppState, useBackend } from "../state";
import { Button, Dialog, Note } from "../ui";
import { Entry } from "./Entry";

/** A jackfield://add link that was opened. Whoever made it is not known; nothing is stored before the person says so. */
export function LinkDialog() {
  const link = useAppState((state) => state.links[0]);
  return link ? <Shown key={JSON.stringify(link)} link={link} /> : null;
}

function Shown({ link }: { link: api.Link }) {
  const actions = useActions();
  const backend = useBackend();
  const [failure, setFailure] = useState<api.Failure | undefined>(link.error);
  const [saving, setSaving] = useState(false);
  const close = () => actions.dropLink();
  const add = async () => {
    setSaving(true);
    try {
      const id = await backend.addLinked(link.config);
      actions.selectServer(id);
      close();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setSaving(false);
    }
  };
  return (
    <Dialog
      alert
      title={link.error ? "A link that cannot be used" : "A link wants to add a server"}
      width={620}
      onClose={close}
      footer={
        <>
          <span className="grow t3 small">
            {link.error ? "" : "It is stored disabled, and connected only when you say so."}
          </span>
          <Button autoFocus onPress={close}>
            {link.error ? "Close" : "Cancel"}
          </Button>
          {link.error ? null : (
            <Button tone="primary" isDisabled={saving} onPress={() => void add()}>
              Add, disabled
            </Button>
          )}
        </>
      }
    >
      {link.error ? null : (
        <>
          <p>Something on this computer or a web page opened this link. Jackfield does not know who made it.</p>
          <Entry config={link.config} />
        </>
      )}
      {link.notes.map((note) => (
        <Note key={note}>{note}</Note>
      ))}
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
