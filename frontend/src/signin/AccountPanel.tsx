import { useState } from "react";
import type { api } from "../backend";
import { useActions, useAppState } from "../state";
import { Button, Dialog, formatWhen, LinkButton, Note, visibleText } from "../ui";
import { SignInSteps } from "./SignInSteps";
import { useNow } from "./useNow";
import { deniedScopes, expiryWords, hasFailed, headline, isRunning, redirectWord, sourceWord } from "./words";
import "./signin.css";

/** Whom a server knows the person as, and how the last sign-in went. */
export function AccountPanel({ server }: { server: api.Server }) {
  const actions = useActions();
  const { account, signIn } = server;
  return (
    <>
      {account ? <AccountFacts account={account} /> : <p className="t2">Not signed in.</p>}
      <div className="row signin-buttons">
        <Button isDisabled={isRunning(signIn)} onPress={() => actions.signIn(server.id)}>
          {account ? "Sign in again" : "Sign in"}
        </Button>
        {account ? (
          <>
            <Button onPress={() => actions.openDialog({ kind: "signOut", serverId: server.id })}>Sign out</Button>
            <Button
              tone="quiet"
              onPress={() => actions.openDialog({ kind: "forgetRegistration", serverId: server.id })}
            >
              Forget registration
            </Button>
          </>
        ) : null}
      </div>
      {signIn ? <LastAttempt signIn={signIn} /> : null}
    </>
  );
}

function LastAttempt({ signIn }: { signIn: api.SignIn }) {
  const [open, setOpen] = useState(false);
  const now = useNow(isRunning(signIn));
  return (
    <div className="column">
      <p className="t2">
        Last attempt: {headline(signIn, now)}, {formatWhen(signIn.startedAt, new Date(now))}.{" "}
        <LinkButton aria-expanded={open} onPress={() => setOpen(!open)}>
          {open ? "Hide its steps" : "Show its steps"}
        </LinkButton>
      </p>
      {hasFailed(signIn) && signIn.error ? (
        <Note tone={signIn.state === "failed" ? "failed" : "info"}>
          {visibleText(signIn.error.message)} {visibleText(signIn.error.hint)}
        </Note>
      ) : null}
      {open ? <SignInSteps signIn={signIn} /> : null}
    </div>
  );
}

function AccountFacts({ account }: { account: api.Account }) {
  const now = useMinute();
  const denied = deniedScopes(account);
  const rows: [string, string, "mono"?][] = [
    ["Signed in by", account.issuer, "mono"],
    ["For", account.resource, "mono"],
    ["Scopes", (account.scopesGranted ?? []).join(" ") || "not said", "mono"],
    ["Not granted", denied.join(" "), "mono"],
    ["Token expires", expiryWords(account, now)],
    ["Client ID", account.clientId, "mono"],
    ["Client", sourceWord(account.source)],
    ["Comes back by", redirectWord(account.redirect)],
    ["Redirect", account.redirectUri, "mono"],
    ["Kept", account.kept ? "in the vault, also after a restart" : "for this run only: secrets cannot be kept"],
    ["Since", formatWhen(account.updatedAt, new Date(now))],
  ];
  return (
    <dl className="facts-list">
      {rows
        .filter(([, value]) => value !== "")
        .map(([name, value, font]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className={font ? "selectable mono" : "selectable"}>{visibleText(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** The time, precise enough for what is counted in minutes. */
function useMinute(): number {
  const now = useNow(true);
  return Math.floor(now / 30_000) * 30_000;
}

/** Ends a sign-in; both kinds say what they do before they do it. */
export function SignOutDialog({ serverId, forget }: { serverId: string; forget: boolean }) {
  const actions = useActions();
  const server = useAppState((state) => state.servers.find((row) => row.id === serverId));
  const close = () => actions.closeDialog();
  const name = server?.name ?? "this server";
  return (
    <Dialog
      alert
      title={forget ? `Forget the registration for ${name}?` : `Sign out of ${name}?`}
      width={460}
      onClose={close}
      footer={
        <>
          <span className="grow" />
          <Button autoFocus onPress={close}>
            {forget ? "Keep it" : "Stay signed in"}
          </Button>
          <Button
            tone="danger"
            onPress={() => {
              close();
              void (forget ? actions.forgetRegistration(serverId) : actions.signOut(serverId));
            }}
          >
            {forget ? "Forget registration" : "Sign out"}
          </Button>
        </>
      }
    >
      {forget ? (
        <p>
          You are signed out, and the next sign-in registers this app anew at{" "}
          <b className="mono">{visibleText(server?.account?.issuer ?? "the sign-in page")}</b>. The old registration may
          stay in its lists.
        </p>
      ) : (
        <p>
          Its tokens are revoked where the sign-in page can do so, and deleted here. The server is disconnected until
          you sign in again. What this app is registered as is kept.
        </p>
      )}
    </Dialog>
  );
}
