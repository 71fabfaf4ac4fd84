import { useState } from "react";
import type { api } from "../backend";
import { LinkButton } from "../ui";
import { FailureActions, LastWords, StepList } from "./FailureDetails";

/** A failure above lists that are still known: it takes one line and opens on request. */
export function FailureBanner({ server, failure }: { server: api.Server; failure: api.Failure }) {
  const [open, setOpen] = useState(false);
  return (
    <section className="failure-banner" aria-label="What went wrong" data-state={server.state}>
      <div className="row">
        <span className="grow">
          <span className="strong">{failure.message}</span> <span className="t2">{failure.hint}</span>
        </span>
        <LinkButton aria-expanded={open} onPress={() => setOpen(!open)}>
          {open ? "Hide details" : "Show details"}
        </LinkButton>
      </div>
      {open ? (
        <div className="column">
          <LastWords server={server} failure={failure} />
          <StepList server={server} />
          <FailureActions server={server} failure={failure} />
        </div>
      ) : null}
    </section>
  );
}
