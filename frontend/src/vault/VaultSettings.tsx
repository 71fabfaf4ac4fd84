import { useActions, useAppState } from "../state";
import { Button, Checkbox } from "../ui";
import "./vault.css";

/** Where secrets are, and what can be done about it. */
export function VaultSettings() {
  const actions = useActions();
  const vault = useAppState((state) => state.vault);
  const scheme = useAppState((state) => state.scheme);
  const open = vault.state === "open";
  return (
    <section className="vault-settings" aria-labelledby="vault-title">
      <h3 id="vault-title">Secrets</h3>
      <p>{vault.detail}</p>
      {vault.hint ? <p className="t2">{vault.hint}</p> : null}
      <div className="row vault-buttons">
        {vault.state === "locked" ? (
          <Button tone="primary" onPress={() => actions.openDialog({ kind: "unlock" })}>
            Unlock
          </Button>
        ) : null}
        {open || vault.state === "locked" || vault.state === "opening" ? null : (
          <Button onPress={() => actions.retryVault()}>Try again</Button>
        )}
        {open || vault.state === "session" ? (
          <Button onPress={() => actions.openDialog({ kind: "passphrase" })}>
            {vault.mode === "passphrase" && open ? "Change the passphrase" : "Protect with a passphrase"}
          </Button>
        ) : null}
        {open && vault.mode === "passphrase" ? (
          <Button onPress={() => actions.moveToKeyring()}>Use the keyring</Button>
        ) : null}
        {open ? <Button onPress={() => actions.rotateVault()}>New key</Button> : null}
        {vault.sealed > 0 || vault.state === "locked" ? (
          <Button tone="quiet" onPress={() => actions.openDialog({ kind: "forgetVault" })}>
            Forget all
          </Button>
        ) : null}
      </div>
      <Checkbox
        isSelected={scheme.registered}
        isDisabled={!scheme.supported}
        onChange={(registered) => actions.setScheme(registered)}
      >
        Open jackfield:// links with Jackfield
      </Checkbox>
      {scheme.detail ? <p className="field-hint">{scheme.detail}</p> : null}
    </section>
  );
}
