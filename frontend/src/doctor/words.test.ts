import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import { diagnosisReport, statusWords } from "./words";

const diagnosis: api.Diagnosis = {
  serverId: "s",
  failed: "start",
  error: { code: "exited", message: "Exited with status 3.", hint: "Look.", exitCode: 3 },
  era: "",
  protocolVersion: "",
  durationMs: 20,
  stderr: ["no such file"],
  problems: [{ code: "noise", serverId: "s", subject: "stdout", message: "A banner." }],
  steps: [
    { name: "command", title: "Command", status: "ok", durationMs: 1.5, detail: "/bin/x", hint: "" },
    { name: "start", title: "Start", status: "failed", durationMs: 0, detail: "Exited with status 3.", hint: "Look." },
    { name: "era", title: "Era", status: "skipped", durationMs: 0, detail: "Not reached", hint: "" },
  ],
};

describe("the report of a diagnosis", () => {
  it("holds every step, its hint, the exit status, the error output and the problems", () => {
    const report = diagnosisReport("Files", diagnosis).split("\n");
    expect(report[0]).toBe("Diagnosis of Files");
    expect(report[1]).toMatch(/^ok {6}Command \(.+\): \/bin\/x$/);
    expect(report.slice(2)).toEqual([
      "failed  Start: Exited with status 3.",
      "    Look.",
      "skipped Era: Not reached",
      "exit status: 3",
      "stderr:",
      "no such file",
      "problem: noise stdout: A banner.",
    ]);
  });

  it("says a status in words, also one of a newer program", () => {
    expect(statusWords("skipped")).toBe("left out");
    expect(statusWords("odd")).toBe("odd");
  });
});
