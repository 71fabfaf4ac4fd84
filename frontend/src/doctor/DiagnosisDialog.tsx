import { Check, CircleAlert, Minus, X } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { type api, failureOf } from "../backend";
import { useActions, useAppState, useBackend } from "../state";
import { Button, Dialog, formatDuration, Note, visibleText } from "../ui";
import { diagnosisReport, statusWords } from "./words";
import "./doctor.css";

const icons = { ok: Check, warning: CircleAlert, failed: X, skipped: Minus };

/** Goes through a connection step by step and shows where it fails. */
export function DiagnosisDialog({ serverId }: { serverId: string }) {
  const actions = useActions();
  const server = useAppState((state) => state.servers.find((row) => row.id === serverId));
  const { diagnosis, failure, running, again } = useDiagnosis(serverId);
  const name = server?.name ?? "";
  return (
    <Dialog
      title={`Diagnosis of ${name}`}
      width={760}
      onClose={() => actions.closeDialog()}
      footer={
        <>
          <Button isDisabled={running} onPress={again}>
            Run again
          </Button>
          <span className="grow" />
          <Button
            isDisabled={!diagnosis}
            onPress={() => diagnosis && actions.copy(diagnosisReport(name, diagnosis), "The report was")}
          >
            Copy as report
          </Button>
          <Button onPress={() => actions.closeDialog()}>Close</Button>
        </>
      }
    >
      <p className="t2" role="status">
        {running
          ? "Opening a connection beside the live one, step by step. This ends with the limits of the server, after a minute at most."
          : diagnosis
            ? verdict(diagnosis)
            : ""}
      </p>
      {failure ? (
        <Note tone="failed">
          {failure.message} {failure.hint}
        </Note>
      ) : null}
      {diagnosis && !running ? <Steps diagnosis={diagnosis} /> : null}
    </Dialog>
  );
}

function verdict(diagnosis: api.Diagnosis): string {
  const took = formatDuration(diagnosis.durationMs);
  const failed = diagnosis.steps.find((step) => step.name === diagnosis.failed);
  return failed ? `It fails at ${failed.title}, after ${took}.` : `Every step went well, in ${took}.`;
}

function Steps({ diagnosis }: { diagnosis: api.Diagnosis }) {
  return (
    <>
      <table className="diagnosis" aria-label="Steps of the diagnosis">
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Outcome</span>
            </th>
            <th scope="col">Step</th>
            <th scope="col">Time</th>
            <th scope="col">What was found</th>
          </tr>
        </thead>
        <tbody>
          {diagnosis.steps.map((step) => (
            <StepRow key={step.name} step={step} />
          ))}
        </tbody>
      </table>
      {diagnosis.stderr.length > 0 ? (
        <>
          <h3>Last lines of its error output</h3>
          <pre className="pre">{diagnosis.stderr.map(visibleText).join("\n")}</pre>
        </>
      ) : null}
      {diagnosis.problems.map((problem) => (
        <Note key={`${problem.code}${problem.subject}`} tone="needs">
          {problem.message}
        </Note>
      ))}
    </>
  );
}

function StepRow({ step }: { step: api.Step }) {
  const status = step.status as keyof typeof icons;
  const Icon = icons[status] ?? Minus;
  return (
    <tr data-status={step.status}>
      <td>
        <Icon size={14} aria-hidden="true" />
        <span className="visually-hidden">{statusWords(step.status)}</span>
      </td>
      <td>{step.title}</td>
      <td className="tabular t3">{step.durationMs > 0 ? formatDuration(step.durationMs) : ""}</td>
      <td>
        <span className="selectable">{visibleText(step.detail)}</span>
        {step.hint ? <p className="t2 selectable">{visibleText(step.hint)}</p> : null}
      </td>
    </tr>
  );
}

function useDiagnosis(serverId: string) {
  const backend = useBackend();
  const [state, setState] = useState<{ diagnosis?: api.Diagnosis; failure?: api.Failure; running: boolean }>({
    running: true,
  });
  const generation = useRef(0);
  const run = useCallback(() => {
    generation.current += 1;
    const mine = generation.current;
    const put = (next: { diagnosis?: api.Diagnosis; failure?: api.Failure }) =>
      mine === generation.current && setState({ ...next, running: false });
    setState({ running: true });
    backend.diagnose(serverId).then(
      (diagnosis) => put({ diagnosis }),
      (thrown) => put({ failure: failureOf(thrown) }),
    );
  }, [backend, serverId]);
  useEffect(() => {
    run();
    return () => {
      generation.current += 1;
    };
  }, [run]);
  return { ...state, again: run };
}
