import { type ReactNode, useState } from "react";
import { type api, failureOf } from "../backend";
import { useActions, useBackend } from "../state";
import { Button, Dialog, TextField } from "../ui";
import "./vault.css";

const minPassphrase = 8;

/** Opens a vault that a passphrase protects. */
export function UnlockDialog() {
  const backend = useBackend();
  const [passphrase, setPassphrase] = useState("");
  return (
    <PassphraseForm
      title="Unlock your sign-ins and secrets"
      action="Unlock"
      send={() => backend.unlockVault(passphrase)}
      ready={passphrase !== ""}
    >
      {(fault) => (
        <TextField
          label="Passphrase"
          type="password"
          autoFocus
          value={passphrase}
          error={fault}
          onChange={setPassphrase}
        />
      )}
    </PassphraseForm>
  );
}

/** Sets the passphrase, or another one. */
export function SetPassphraseDialog() {
  const backend = useBackend();
  const [first, setFirst] = useState("");
  const [second, setSecond] = useState("");
  const short = first.length > 0 && [...first].length < minPassphrase;
  const differs = second.length > 0 && !first.startsWith(second) && first !== second;
  return (
    <PassphraseForm
      title="Protect secrets with a passphrase"
      action="Set passphrase"
      send={() => backend.setVaultMode("passphrase", first)}
      ready={first === second && [...first].length >= minPassphrase}
    >
      {(fault) => (
        <>
          <p className="t2">
            Jackfield asks for it at each start. Nobody can recover it: without it, you sign in everywhere again.
          </p>
          <TextField
            label="Passphrase"
            type="password"
            autoFocus
            value={first}
            error={short ? `At least ${minPassphrase} characters.` : fault}
            onChange={setFirst}
          />
          <TextField
            label="The same again"
            type="password"
            value={second}
            error={differs ? "The two are not the same." : undefined}
            onChange={setSecond}
          />
        </>
      )}
    </PassphraseForm>
  );
}

interface PassphraseFormProps {
  title: string;
  action: string;
  ready: boolean;
  send(): Promise<api.Vault>;
  children(fault: string | undefined): ReactNode;
}

function PassphraseForm({ title, action, ready, send, children }: PassphraseFormProps) {
  const actions = useActions();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const close = () => actions.closeDialog();
  const submit = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      actions.setVault(await send());
      close();
    } catch (thrown) {
      const failure = failureOf(thrown);
      setFault(`${failure.message} ${failure.hint}`.trim());
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} width={440} onClose={close}>
      <form
        className="column vault-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !busy) void submit();
        }}
      >
        {children(fault)}
        <div className="row">
          <span className="grow" />
          <Button onPress={close}>Cancel</Button>
          <Button type="submit" tone="primary" isDisabled={!ready || busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The one way to lose what is sealed. It wants a word, so that no key pressed too often does it. */
export function ForgetVaultDialog() {
  const actions = useActions();
  const backend = useBackend();
  const [typed, setTyped] = useState("");
  return (
    <PassphraseForm
      title="Forget every stored secret?"
      action="Forget all"
      ready={typed.trim().toLowerCase() === "forget"}
      send={async () => {
        const vault = await backend.forgetVault();
        actions.announce("Every stored secret was deleted.");
        return vault;
      }}
    >
      {(fault) => (
        <>
          <p>
            All sign-ins, client secrets and secret headers are deleted, also those that another keyring could still
            open. You sign in and enter them again. This cannot be undone.
          </p>
          <TextField label="Type forget" autoFocus value={typed} error={fault} onChange={setTyped} />
        </>
      )}
    </PassphraseForm>
  );
}
