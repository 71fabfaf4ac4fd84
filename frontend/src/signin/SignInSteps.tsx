import { Check, ChevronRight, CircleDashed, CircleDot, CircleSlash, X } from "lucide-react";
import { useState } from "react";
import type { api } from "../backend";
import { formatDuration, LinkButton, plural, visibleText } from "../ui";
import { useNow } from "./useNow";
import { isRunning, stepName, stepTime, stepWord } from "./words";

const icons: Record<string, typeof Check> = {
  done: Check,
  failed: X,
  working: CircleDot,
  waiting: CircleDashed,
  skipped: CircleSlash,
};
const outcomes: Record<string, string> = { done: "done", failed: "failed", working: "current" };

/** The steps of an attempt, each with what was sent and received for it. */
export function SignInSteps({ signIn }: { signIn: api.SignIn }) {
  const now = useNow(isRunning(signIn));
  return (
    <table className="steps signin-steps" aria-label="Steps of signing in">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Outcome</span>
          </th>
          <th scope="col">Step</th>
          <th scope="col">What happened</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {(signIn.steps ?? []).map((step) => (
          <StepRows key={step.name} step={step} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function StepRows({ step, now }: { step: api.SignInStep; now: number }) {
  const [open, setOpen] = useState(false);
  const Icon = icons[step.state] ?? CircleDashed;
  const exchanges = step.exchanges ?? [];
  const name = stepName(step.name);
  return (
    <>
      <tr data-outcome={outcomes[step.state] ?? "open"}>
        <td>
          <Icon size={14} aria-hidden="true" />
          <span className="visually-hidden">{stepWord(step.state)}</span>
        </td>
        <td>
          {exchanges.length > 0 ? (
            <LinkButton
              className="signin-step"
              aria-expanded={open}
              aria-label={`${name}, ${plural(exchanges.length, "request")}`}
              onPress={() => setOpen(!open)}
            >
              {name}
              <ChevronRight size={12} aria-hidden="true" />
            </LinkButton>
          ) : (
            name
          )}
        </td>
        <td className="t2">{visibleText(step.detail)}</td>
        <td className="t3 signin-time">{stepTime(step, now)}</td>
      </tr>
      {open ? (
        <tr className="signin-exchanges">
          <td colSpan={4}>
            {exchanges.map((exchange, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: exchanges are told apart by their order only.
              <Exchange key={index} exchange={exchange} />
            ))}
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** One request and its answer as text: nothing in it can be followed, loaded or run. */
function Exchange({ exchange }: { exchange: api.HTTPExchange }) {
  const outcome = exchange.error || (exchange.status > 0 ? String(exchange.status) : "no answer");
  const title = `${exchange.method} ${exchange.url}`;
  return (
    <section className="signin-exchange" aria-label={visibleText(title)}>
      <p className="mono selectable">
        <span className="strong">{exchange.method}</span> {visibleText(exchange.url)}
      </p>
      <p className="small">
        <span className={exchange.error || exchange.status >= 400 ? "signin-fault" : "t2"}>{visibleText(outcome)}</span>
        <span className="t3"> · {formatDuration(exchange.tookMs)}</span>
      </p>
      {exchange.sent ? <Body label="Sent" text={exchange.sent} /> : null}
      {exchange.received ? <Body label="Received" text={exchange.received} /> : null}
    </section>
  );
}

function Body({ label, text }: { label: string; text: string }) {
  return (
    <>
      <h3>{label}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <pre className="pre signin-body" tabIndex={0}>
        {visibleText(text)}
      </pre>
    </>
  );
}
