import { useState } from "react";
import { failureOf } from "../backend";
import { argumentSummary } from "../history/outcome";
import { type CallKind, useActions, useAppState, useBackend } from "../state";
import { Button, Dialog, Note, TextField } from "../ui";

interface Props {
  serverId: string;
  item: string;
  callKind: CallKind;
  arguments: string;
}

/** Keeps a call under a name, to be made again from the palette, from its form, or from the command line. */
export function SaveDialog({ serverId, item, callKind, arguments: text }: Props) {
  const backend = useBackend();
  const actions = useActions();
  const saved = useAppState((state) => state.saved);
  const servers = useAppState((state) => state.servers);
  const [name, setName] = useState("");
  const [failure, setFailure] = useState("");
  const trimmed = name.trim();
  const other = saved.find((known) => known.name.toLowerCase() === trimmed.toLowerCase());
  const place =
    other && `${servers.find((server) => server.id === other.serverId)?.name ?? other.serverId} · ${other.item}`;
  const save = async () => {
    if (!trimmed) return;
    try {
      await backend.saveCall({ name: trimmed, serverId, kind: callKind, item, arguments: text });
    } catch (thrown) {
      const { message, hint } = failureOf(thrown);
      setFailure(`${message} ${hint}`.trim());
      return;
    }
    actions.closeDialog();
    await actions.loadSaved();
    actions.announce(`Saved as ${trimmed}.`);
  };
  return (
    <Dialog
      title="Save this call"
      width={460}
      onClose={() => actions.closeDialog()}
      footer={
        <>
          <span className="grow" />
          <Button onPress={() => actions.closeDialog()}>Cancel</Button>
          <Button tone="primary" isDisabled={!trimmed} onPress={() => void save()}>
            {other ? "Replace" : "Save"}
          </Button>
        </>
      }
    >
      <p className="t2">
        {item} · {argumentSummary(text) || "no arguments"}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          autoFocus
          hint="It is in the palette, beside the form, and on the command line: jackfield call --saved NAME."
        />
      </form>
      {other ? (
        <Note tone="needs">
          “{other.name}” is there already: {place}. It would be replaced.
        </Note>
      ) : null}
      {failure ? <Note tone="failed">{failure}</Note> : null}
    </Dialog>
  );
}
