import type { api } from "../backend";
import { Note } from "../ui";

/** Why something failed, where it failed: the sentence, the next step, exit status and the last lines of stderr. */
export function FailureView({ failure }: { failure: api.Failure }) {
  const stderr = failure.stderr ?? [];
  return (
    <section className="failure" aria-label="What went wrong">
      <Note tone="failed">
        <p className="strong">{failure.message}</p>
        {failure.hint && <p>{failure.hint}</p>}
        {failure.exitCode !== undefined && <p className="t2">The process ended with status {failure.exitCode}.</p>}
      </Note>
      {(failure.fields ?? []).length > 0 && <FieldErrors errors={failure.fields ?? []} />}
      {stderr.length > 0 && (
        <>
          <h3>The last it wrote to stderr</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
          <pre className="pre stderr" tabIndex={0}>
            {stderr.join("\n")}
          </pre>
        </>
      )}
    </section>
  );
}

export function FieldErrors({ errors }: { errors: readonly api.FieldError[] }) {
  return (
    <ul className="field-errors small">
      {errors.map((error) => (
        <li key={`${error.pointer} ${error.message}`}>
          {error.pointer && <span className="mono">{error.pointer}</span>} {error.message}
        </li>
      ))}
    </ul>
  );
}
