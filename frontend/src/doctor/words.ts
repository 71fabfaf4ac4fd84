/** Pure: a diagnosis in words. */
import type { api } from "../backend";
import { formatDuration } from "../ui/format";

const words: Record<string, string> = {
  ok: "went well",
  warning: "went well, with a problem",
  failed: "failed",
  skipped: "left out",
};

export const statusWords = (status: string): string => words[status] ?? status;

/** All of it as text, for a bug report. It holds no header and no environment. */
export function diagnosisReport(name: string, diagnosis: api.Diagnosis): string {
  const lines = diagnosis.steps.map((step) => {
    const took = step.durationMs > 0 ? ` (${formatDuration(step.durationMs)})` : "";
    const hint = step.hint ? `\n    ${step.hint}` : "";
    return `${step.status.padEnd(7)} ${step.title}${took}: ${step.detail}${hint}`;
  });
  const failure = diagnosis.error;
  return [
    `Diagnosis of ${name}`,
    ...lines,
    failure?.exitCode === undefined ? "" : `exit status: ${failure.exitCode}`,
    ...(diagnosis.stderr.length > 0 ? ["stderr:", ...diagnosis.stderr] : []),
    ...diagnosis.problems.map((problem) => `problem: ${problem.code} ${problem.subject}: ${problem.message}`),
  ]
    .filter(Boolean)
    .join("\n");
}
