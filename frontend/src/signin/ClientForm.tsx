import { useState } from "react";
import { type api, failureOf } from "../backend";
import { emptyInput, useActions, useBackend } from "../state";
import { Button, Field, Note, TextField, visibleText } from "../ui";

/** Nobody lets this app register itself: the person brings a client ID that they registered by hand. */
export function ClientForm({ server, signIn }: { server: api.Server; signIn: api.SignIn }) {
  const backend = useBackend();
  const actions = useActions();
  const [clientId, setClientId] = useState("");
  const [clientSecret, setClientSecret] = useState("");
  const [missing, setMissing] = useState(false);
  const [failure, setFailure] = useState<api.Failure>();
  const [busy, setBusy] = useState(false);

  const send = async () => {
    setMissing(clientId.trim() === "");
    if (clientId.trim() === "") return;
    setBusy(true);
    setFailure(undefined);
    try {
      await backend.signInInput(server.id, { ...emptyInput, clientId: clientId.trim(), clientSecret });
    } catch (thrown) {
      setFailure(failureOf(thrown));
    } finally {
      setBusy(false);
    }
  };

  return (
    <form
      className="signin-client"
      aria-label="Client of this app"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <div>
        <h2>
          <span className="mono">{visibleText(signIn.host || signIn.issuer)}</span> does not let this app register
          itself
        </h2>
        <p className="t2">
          Register an app there by hand, with exactly this redirect address, and put its client ID here.
        </p>
      </div>
      <Field label="Redirect address to register" hint="Exactly as it is, without a slash at the end.">
        {({ id, describedBy }) => (
          <div className="row">
            <input id={id} aria-describedby={describedBy} className="input mono" readOnly value={signIn.redirectUri} />
            <Button onPress={() => actions.copy(signIn.redirectUri, "The redirect address was")}>Copy</Button>
          </div>
        )}
      </Field>
      <TextField
        label="Client ID"
        mono
        autoFocus
        value={clientId}
        error={missing ? "This is required." : undefined}
        onChange={(text) => {
          setClientId(text);
          setMissing(false);
        }}
      />
      <TextField
        label="Client secret"
        note="optional"
        mono
        type="password"
        value={clientSecret}
        hint="Kept in the vault and shown nowhere."
        onChange={setClientSecret}
      />
      {failure ? (
        <div role="alert">
          <Note tone="failed">
            {failure.message} {failure.hint}
          </Note>
        </div>
      ) : null}
      <div className="row signin-buttons">
        <Button type="submit" tone="primary" isDisabled={busy}>
          Go on
        </Button>
        <span className="grow" />
        <Button onPress={() => actions.cancelSignIn(server.id)}>Cancel</Button>
      </div>
    </form>
  );
}
