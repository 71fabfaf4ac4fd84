import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button as AriaButton, Disclosure, DisclosurePanel } from "react-aria-components";
import type { api } from "../backend";
import { useActions } from "../state";
import { Button, LinkButton, Note, Select, visibleText } from "../ui";
import { ClientForm } from "./ClientForm";
import { SignInSteps } from "./SignInSteps";
import { WaitingForm } from "./WaitingForm";
import { hasFailed, isRunning, type RedirectKind, redirectKinds, redirectOf } from "./words";
import "./signin.css";

/** In the place of lists that are not known yet: what the person has to do to sign in, and how it goes. */
export function SignInPage({ server }: { server: api.Server }) {
  return (
    <section className="connection-page signin" aria-label={`Sign-in to ${server.name}`}>
      <Part server={server} />
      {server.signIn ? <SignInSteps signIn={server.signIn} /> : null}
    </section>
  );
}

/** The same above lists that are known: they stay in sight, the steps open on request. */
export function SignInBanner({ server }: { server: api.Server }) {
  const [open, setOpen] = useState(false);
  return (
    <section className="failure-banner signin" data-state="authenticating" aria-label={`Sign-in to ${server.name}`}>
      <Part server={server} />
      {server.signIn ? (
        <LinkButton className="small" aria-expanded={open} onPress={() => setOpen(!open)}>
          {open ? "Hide the steps" : "Show the steps"}
        </LinkButton>
      ) : null}
      {open && server.signIn ? <SignInSteps signIn={server.signIn} /> : null}
    </section>
  );
}

function Part({ server }: { server: api.Server }) {
  const { signIn } = server;
  if (isRunning(signIn)) {
    if (signIn.state === "confirm") return <ConfirmPart server={server} signIn={signIn} />;
    if (signIn.state === "client") return <ClientForm key={signIn.id} server={server} signIn={signIn} />;
    if (signIn.state === "waiting") return <WaitingForm key={signIn.id} server={server} signIn={signIn} />;
    return <WorkingPart server={server} signIn={signIn} />;
  }
  if (hasFailed(signIn)) return <FailedPart server={server} signIn={signIn} />;
  return <IdlePart server={server} />;
}

function IdlePart({ server }: { server: api.Server }) {
  const actions = useActions();
  return (
    <>
      <div>
        <h2>{visibleText(server.error?.message ?? `${server.name} wants to know who you are.`)}</h2>
        <p className="t2">{visibleText(server.error?.hint ?? "Sign in to go on.")}</p>
      </div>
      <div className="row signin-buttons">
        <Button tone="primary" onPress={() => actions.signIn(server.id)}>
          Sign in
        </Button>
        <Button tone="quiet" onPress={() => actions.openDialog({ kind: "edit", serverId: server.id })}>
          Edit server
        </Button>
        <span className="t3 small">Your browser opens the page of whoever signs you in.</span>
      </div>
    </>
  );
}

function WorkingPart({ server, signIn }: { server: api.Server; signIn: api.SignIn }) {
  const actions = useActions();
  return (
    <>
      <p className="t2">{visibleText(signIn.detail)}</p>
      <div className="row signin-buttons">
        <span className="signin-end">
          <Button onPress={() => actions.cancelSignIn(server.id)}>Cancel</Button>
        </span>
      </div>
    </>
  );
}

/** The one who signs in is not the one who is asked: the person has to know before anything opens. */
function ConfirmPart({ server, signIn }: { server: api.Server; signIn: api.SignIn }) {
  const actions = useActions();
  return (
    <>
      <div>
        <h2 className="signin-hosts">
          <b className="mono">{visibleText(signIn.host)}</b> will sign you in to{" "}
          <b className="mono">{visibleText(server.endpoint)}</b>
        </h2>
        <p className="t2">
          These are two different hosts. That is common, but the server chose the other one: go on only if you expect to
          sign in there.
        </p>
      </div>
      <div className="row signin-buttons">
        <span className="grow" />
        <Button autoFocus onPress={() => actions.cancelSignIn(server.id)}>
          Cancel
        </Button>
        <Button tone="primary" onPress={() => actions.tellSignIn(server.id, { confirm: true })}>
          Continue
        </Button>
      </div>
    </>
  );
}

function FailedPart({ server, signIn }: { server: api.Server; signIn: api.SignIn }) {
  const actions = useActions();
  const [redirect, setRedirect] = useState<RedirectKind>("auto");
  const failure = signIn.error;
  const cancelled = signIn.state === "cancelled";
  return (
    <>
      <div role={cancelled ? undefined : "alert"}>
        <Note tone={cancelled ? "info" : "failed"}>
          <p className="strong">{visibleText(failure?.message ?? signIn.detail)}</p>
          <p>{visibleText(failure?.hint ?? "Try again when you want to.")}</p>
        </Note>
      </div>
      <div className="row signin-buttons">
        <Button tone="primary" onPress={() => actions.signIn(server.id, { redirect: redirectOf(redirect) })}>
          Try again
        </Button>
        <Button onPress={() => actions.signIn(server.id, { redirect: redirectOf(redirect), newClient: true })}>
          Register again
        </Button>
        <Button tone="quiet" onPress={() => actions.openDialog({ kind: "edit", serverId: server.id })}>
          Edit server
        </Button>
      </div>
      <Disclosure className="more">
        <AriaButton slot="trigger" className="link more-trigger">
          <ChevronRight size={14} aria-hidden="true" />
          How the browser comes back
        </AriaButton>
        <DisclosurePanel>
          <div className="signin-redirect">
            <Select
              label="For the next try"
              value={redirect}
              options={redirectKinds}
              onChange={(kind) => setRedirect(kind as RedirectKind)}
            />
            <p className="field-hint">
              Some sign-in pages accept only one of these. Choose another if the browser showed an error or never came
              back.
            </p>
          </div>
        </DisclosurePanel>
      </Disclosure>
    </>
  );
}
