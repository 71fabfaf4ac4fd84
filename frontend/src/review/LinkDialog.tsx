import { useState } from "react";
import { type api, failureOf } from "../backend";
import { ConfigForm } from "../servers/ConfigForm";
import { checkConfig, fieldPointers, invalidConfig, messagesByField, tidy } from "../servers/config";
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
  const [config, setConfig] = useState(link.config);
  const [editing, setEditing] = useState(false);
  const [failure, setFailure] = useState<api.Failure | undefined>(link.error);
  const [saving, setSaving] = useState(false);
  const close = () => actions.dropLink();
  const change = (next: api.Config) => {
    setConfig(next);
    setFailure(undefined);
  };
  // What is added has been seen whole as it is, also after an edit.
  const review = () => {
    const faults = checkConfig(config);
    setFailure(faults.length > 0 ? invalidConfig(faults) : undefined);
    if (faults.length > 0) return;
    setConfig(tidy(config));
    setEditing(false);
  };
  const add = async () => {
    setSaving(true);
    try {
      const id = await backend.addLinked(config);
      actions.selectServer(id);
      close();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setSaving(false);
    }
  };
  const buttons = link.error ? null : editing ? (
    <Button tone="primary" onPress={review}>
      Review
    </Button>
  ) : (
    <>
      <Button onPress={() => setEditing(true)}>Edit</Button>
      <Button tone="primary" isDisabled={saving} onPress={() => void add()}>
        Add, disabled
      </Button>
    </>
  );
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
          {buttons}
        </>
      }
    >
      {link.error ? null : (
        <p>Something on this computer or a web page opened this link. Jackfield does not know who made it.</p>
      )}
      {link.error ? null : editing ? (
        <ConfigForm config={config} onChange={change} errors={messagesByField(failure, fieldPointers)} />
      ) : (
        <Entry config={config} />
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
