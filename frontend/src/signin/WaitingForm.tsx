import { useState } from "react";
import { type api, failureOf } from "../backend";
import { emptyInput, useActions, useBackend } from "../state";
import { Button, TextField, visibleText } from "../ui";
import { addressFault } from "./words";

/** While the browser has the word: everything that helps when it does not come back. */
export function WaitingForm({ server, signIn }: { server: api.Server; signIn: api.SignIn }) {
  const actions = useActions();
  const [pasting, setPasting] = useState(false);
  return (
    <>
      <p className="t2">
        {signIn.opened ? "Your browser shows" : "Your browser could not be opened. Copy the link and open"}{" "}
        <b className="mono signin-host">{visibleText(signIn.host)}</b>
        {signIn.opened ? ". Come back here when it says so." : " yourself; then come back here."}
      </p>
      <div className="row signin-buttons">
        <Button onPress={() => actions.tellSignIn(server.id, { openAgain: true })}>
          {signIn.opened ? "Open browser again" : "Open browser"}
        </Button>
        <Button onPress={() => actions.copy(signIn.url, "The link was")}>Copy link</Button>
        <Button tone="quiet" aria-expanded={pasting} onPress={() => setPasting(!pasting)}>
          Paste the address you ended up at
        </Button>
        <Button tone="quiet" onPress={() => actions.tellSignIn(server.id, { browserError: true })}>
          The browser shows an error
        </Button>
        <span className="signin-end">
          <Button onPress={() => actions.cancelSignIn(server.id)}>Cancel</Button>
        </span>
      </div>
      {pasting ? <AddressForm serverId={server.id} /> : null}
    </>
  );
}

function AddressForm({ serverId }: { serverId: string }) {
  const backend = useBackend();
  const [address, setAddress] = useState("");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    const known = addressFault(address);
    setFault(known);
    if (known) return;
    setBusy(true);
    try {
      await backend.signInInput(serverId, { ...emptyInput, address: address.trim() });
    } catch (thrown) {
      const failure = failureOf(thrown);
      setFault(`${failure.message} ${failure.hint}`.trim());
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="signin-address"
      aria-label="The address you ended up at"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div className="grow">
        <TextField
          label="Address"
          mono
          autoFocus
          value={address}
          placeholder="jackfield://oauth/callback?code=…"
          hint="From the address bar of the page that could not be shown, or of the link it wanted to open."
          error={fault}
          onChange={(text) => {
            setAddress(text);
            setFault("");
          }}
        />
      </div>
      <Button type="submit" isDisabled={busy}>
        Use it
      </Button>
    </form>
  );
}
