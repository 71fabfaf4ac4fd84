import { Check, CircleDashed, CircleDot, X } from "lucide-react";
import type { api } from "../backend";
import { useActions } from "../state";
import { Button, visibleText } from "../ui";
import { connectionSteps, type Step } from "./steps";

const icons = { done: Check, failed: X, current: CircleDot, open: CircleDashed };
const words = { done: "done", failed: "failed", current: "under way", open: "not reached" };

export function StepList({ server }: { server: api.Server }) {
  return (
    <table className="steps" aria-label="Steps of connecting">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Outcome</span>
          </th>
          <th scope="col">Step</th>
          <th scope="col">What happened</th>
        </tr>
      </thead>
      <tbody>
        {connectionSteps(server).map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </tbody>
    </table>
  );
}

function StepRow({ step }: { step: Step }) {
  const Icon = icons[step.outcome];
  return (
    <tr data-outcome={step.outcome}>
      <td>
        <Icon size={14} aria-hidden="true" />
        <span className="visually-hidden">{words[step.outcome]}</span>
      </td>
      <td>{step.name}</td>
      <td className="t2">{step.detail}</td>
    </tr>
  );
}

/** The last lines of a program, with the command that started it and how it ended. */
export function LastWords({ server, failure }: { server: api.Server; failure: api.Failure }) {
  const lines = failure.stderr ?? [];
  if (server.transport !== "stdio") return null;
  const command = [server.command, ...server.args].map(quoted).join(" ");
  return (
    <section aria-label="Last words of the program">
      <pre className="pre">
        {[`$ ${command}`, ...lines, ...(lines.length === 0 ? ["(it wrote nothing to standard error)"] : [])]
          .map(visibleText)
          .join("\n")}
      </pre>
      {failure.exitCode === undefined ? null : <p className="t2 small">Exit status {failure.exitCode}.</p>}
    </section>
  );
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word));

/** All of it as text, for a bug report. It holds no header and no environment. */
export function failureReport(server: api.Server, failure: api.Failure): string {
  return [
    `${server.name}: ${server.detail}`,
    `${failure.code}: ${failure.message}`,
    failure.hint,
    server.transport === "stdio"
      ? `command: ${[server.command, ...server.args].join(" ")}`
      : `endpoint: ${server.endpoint}`,
    failure.exitCode === undefined ? "" : `exit status: ${failure.exitCode}`,
    ...(failure.stderr ?? []),
  ]
    .filter(Boolean)
    .join("\n");
}

export function FailureActions({ server, failure }: { server: api.Server; failure: api.Failure }) {
  const actions = useActions();
  return (
    <div className="row">
      <Button onPress={() => actions.openDialog({ kind: "edit", serverId: server.id })}>
        {server.transport === "stdio" ? "Edit command" : "Edit server"}
      </Button>
      <Button onPress={() => actions.openDialog({ kind: "diagnosis", serverId: server.id })}>Diagnose</Button>
      <Button tone="quiet" onPress={() => actions.copy(failureReport(server, failure), "The report was")}>
        Copy as report
      </Button>
    </div>
  );
}
