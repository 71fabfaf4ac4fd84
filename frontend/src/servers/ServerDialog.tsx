import { useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { Entry, ProgramWarning } from "../review/Entry";
import { Exact } from "../review/Exact";
import { useActions, useAppState, useBackend } from "../state";
import { Button, Checkbox, Dialog, LinkButton, Note, TextField } from "../ui";
import { ConfigForm } from "./ConfigForm";
import { checkConfig, emptyConfig, fieldPointers, invalidConfig, isLocal, messagesByField, tidy } from "./config";
import { transportName } from "./groups";

/** Adds servers, or edits the one with this id. */
export function ServerDialog({ serverId }: { serverId?: string }) {
  return serverId === undefined ? <AddDialog /> : <EditDialog serverId={serverId} />;
}

const hint = 'For example https://mcp.example.com/mcp, npx -y server-filesystem ~/notes, or {"mcpServers": {…}}.';

function AddDialog() {
  const backend = useBackend();
  const actions = useActions();
  const [text, setText] = useState("");
  const paste = useParsed(text);
  const [config, setConfig] = useState<api.Config>();
  const [skipped, setSkipped] = useState<Set<number>>(new Set());
  const [failure, setFailure] = useState<api.Failure>();
  const [saving, setSaving] = useState(false);

  const several = paste.parsed && paste.parsed.servers.length > 1 ? paste.parsed.servers : undefined;
  useEffect(() => {
    setFailure(undefined);
    setSkipped(new Set());
    if (paste.parsed) setConfig(paste.parsed.servers.length === 1 ? paste.parsed.servers[0] : undefined);
  }, [paste.parsed]);

  const chosen = several ? several.filter((_, index) => !skipped.has(index)) : config ? [config] : [];
  const save = async () => {
    const faults = several ? [] : chosen.flatMap(checkConfig);
    if (faults.length > 0) {
      setFailure(invalidConfig(faults));
      return;
    }
    setSaving(true);
    setFailure(undefined);
    try {
      let id = "";
      for (const server of chosen) {
        id = await backend.addServer(tidy(server));
        // What is stored must not be stored again when a later one of the block fails.
        if (several) setSkipped((known) => new Set([...known, several.indexOf(server)]));
      }
      actions.selectServer(id);
      actions.closeDialog();
    } catch (thrown) {
      setFailure(failureOf(thrown));
    } finally {
      setSaving(false);
    }
  };

  return (
    <Dialog
      title="Add a server"
      width={620}
      onClose={() => actions.closeDialog()}
      footer={
        <>
          <span className="grow t3 small">It is stored on this computer only, and connected at once.</span>
          <Button onPress={() => actions.closeDialog()}>Cancel</Button>
          <Button tone="primary" isDisabled={chosen.length === 0 || saving} onPress={() => void save()}>
            {chosen.length > 1 ? `Add ${chosen.length} servers` : "Add server"}
          </Button>
        </>
      }
    >
      <TextField
        label="Paste a URL, a command line or a block of JSON"
        mono
        rows={several || text.includes("\n") ? 6 : 3}
        autoFocus
        value={text}
        onChange={setText}
        error={paste.failure ? `${paste.failure.message} ${paste.failure.hint}` : undefined}
        hint={text === "" ? hint : undefined}
      />
      {text === "" && !config ? (
        <LinkButton className="t2" onPress={() => setConfig(emptyConfig)}>
          Or fill in the fields yourself
        </LinkButton>
      ) : null}
      {paste.parsed?.notes.map((note) => (
        <Note key={note}>{note}</Note>
      ))}
      {several ? (
        <ul className="parsed" aria-label="Servers in this block">
          {several.map((server, index) => (
            <li key={server.name}>
              <Checkbox
                isSelected={!skipped.has(index)}
                onChange={(on) => setSkipped((known) => toggled(known, index, !on))}
              >
                <span className="strong">
                  <Exact text={server.name} />
                </span>{" "}
                <span className="t3 small">{transportName(server.transport)}</span>
              </Checkbox>
              <Entry config={server} listed />
            </li>
          ))}
        </ul>
      ) : null}
      {several?.some(isLocal) ? <ProgramWarning several /> : null}
      {config && !several ? (
        <ConfigForm config={config} onChange={setConfig} errors={messagesByField(failure, fieldPointers)} />
      ) : null}
      <SaveFailure failure={failure} />
    </Dialog>
  );
}

function toggled(known: Set<number>, index: number, on: boolean): Set<number> {
  const next = new Set(known);
  if (on) next.add(index);
  else next.delete(index);
  return next;
}

interface PasteState {
  parsed?: api.Parsed;
  failure?: api.Failure;
}

/** What the pasted text means, a moment after the last key; an answer for an older text is dropped. */
function useParsed(text: string): PasteState {
  const backend = useBackend();
  const [state, setState] = useState<PasteState>({});
  useEffect(() => {
    if (text.trim() === "") {
      setState({});
      return;
    }
    let stale = false;
    const timer = setTimeout(() => {
      backend.parseServers(text).then(
        (parsed) => stale || setState({ parsed }),
        (thrown) => stale || setState({ failure: failureOf(thrown) }),
      );
    }, 150);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [backend, text]);
  return state;
}

/** The sentence over all fields, and whatever has no field to stand at. */
function SaveFailure({ failure }: { failure: api.Failure | undefined }) {
  if (!failure) return null;
  const elsewhere = messagesByField(failure, fieldPointers)[""];
  return (
    <div role="alert">
      <Note tone="failed">
        {failure.message} {elsewhere ?? failure.hint}
      </Note>
    </div>
  );
}

function EditDialog({ serverId }: { serverId: string }) {
  const backend = useBackend();
  const actions = useActions();
  const name = useAppState((state) => state.servers.find((server) => server.id === serverId)?.name ?? "");
  const [config, setConfig] = useState<api.Config>();
  const [failure, setFailure] = useState<api.Failure>();
  const [saving, setSaving] = useState(false);

  useEffect(() => {
    let stale = false;
    backend.serverConfig(serverId).then(
      (loaded) => stale || setConfig(loaded),
      (thrown) => stale || setFailure(failureOf(thrown)),
    );
    return () => {
      stale = true;
    };
  }, [backend, serverId]);

  const save = async () => {
    if (!config) return;
    const faults = checkConfig(config);
    if (faults.length > 0) {
      setFailure(invalidConfig(faults));
      return;
    }
    setSaving(true);
    setFailure(undefined);
    try {
      await backend.editServer(serverId, tidy(config));
      actions.closeDialog();
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setSaving(false);
    }
  };

  return (
    <Dialog
      title={`Edit ${name}`}
      width={620}
      onClose={() => actions.closeDialog()}
      footer={
        <>
          <span className="grow t3 small">A change of the address or the command connects again.</span>
          <Button onPress={() => actions.closeDialog()}>Cancel</Button>
          <Button tone="primary" isDisabled={!config || saving} onPress={() => void save()}>
            Save
          </Button>
        </>
      }
    >
      {config ? (
        <ConfigForm config={config} onChange={setConfig} errors={messagesByField(failure, fieldPointers)} />
      ) : null}
      <SaveFailure failure={failure} />
    </Dialog>
  );
}
