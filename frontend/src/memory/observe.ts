/** What the in-memory twin knows of diagnoses, saved calls and the limits of the history. */
import { type api, BackendError } from "../backend";
import type { MemoryServer } from "./world";

type Status = "ok" | "warning" | "failed" | "skipped";

export class MemoryObserver {
  #saved: api.SavedCall[] = [];
  #retention: api.Retention = { calls: 2000, days: 0, megabytes: 2048 };

  diagnosis({ row, outcome }: MemoryServer): api.Diagnosis {
    const remote = row.transport !== "stdio" && row.transport !== "builtin";
    const failed = failedStep(row, outcome);
    const error =
      row.error ??
      (failed === "auth"
        ? { code: "auth_required", message: "The server wants a sign-in.", hint: "Sign in to it." }
        : undefined);
    const steps: api.Step[] = [];
    let over = false;
    const add = (name: string, title: string, detail: string, durationMs = 0, status: Status = "ok") => {
      if (over) steps.push({ name, title, status: "skipped", durationMs: 0, detail: "Not reached", hint: "" });
      else if (name === failed) {
        over = true;
        steps.push({
          name,
          title,
          status: "failed",
          durationMs,
          detail: error?.message ?? "",
          hint: error?.hint ?? "",
        });
      } else steps.push({ name, title, status, durationMs, detail, hint: "" });
    };
    add("settings", "Settings", row.endpoint);
    if (remote) {
      add("resolve", "Name resolution", "93.184.216.34", 3.2);
      add("tcp", "TCP", "93.184.216.34:443", 18.4);
      add("tls", "TLS", "TLS 1.3, certificate until 2027-03-01", 24.1);
      add("http", "HTTP", "HTTP 200 OK, application/json", 81);
    } else if (row.transport === "stdio") {
      add("command", "Command", `/usr/bin/${row.command}`, 0.2);
      add("start", "Start", "Process 4711", 9.5);
    }
    const modern = row.era === "modern";
    add("era", "Era", `${modern ? "Modern" : "Legacy"}: MCP ${row.protocolVersion}`, 12);
    if (remote) add("auth", "Sign-in", "Not asked for");
    else add("auth", "Sign-in", "Only servers on the network ask for it", 0, "skipped");
    if (modern) add("initialize", "Initialize", "This revision has none; server/discover told as much", 0, "skipped");
    else add("initialize", "Initialize", `${row.serverInfo.name} ${row.serverInfo.version}`, 20);
    add("capabilities", "Capabilities", row.capabilities.join(", "));
    const lists = [
      ["tools", "Tools", row.counts.tools],
      ["prompts", "Prompts", row.counts.prompts],
      ["resources", "Resources", row.counts.resources],
      ["templates", "Resource templates", row.counts.templates],
    ] as const;
    for (const [name, title, count] of lists) add(name, title, String(count), 9);
    return {
      serverId: row.id,
      steps,
      failed,
      error: failed ? error : undefined,
      era: row.era,
      protocolVersion: row.protocolVersion,
      stderr: row.error?.stderr ?? [],
      problems: row.problems,
      durationMs: 184,
    };
  }

  saved(): api.SavedCall[] {
    return [...this.#saved].sort((a, b) => a.name.localeCompare(b.name));
  }

  save(saved: api.SavedCall): void {
    const name = saved.name.trim();
    this.#saved = [...this.#saved.filter((known) => !same(known.name, name)), { ...saved, name }];
  }

  forget(name: string): void {
    const left = this.#saved.filter((known) => !same(known.name, name));
    if (left.length === this.#saved.length) {
      throw new BackendError({
        code: "unknown_item",
        message: "This entry is not there any more.",
        hint: "It may have been removed by the command line.",
      });
    }
    this.#saved = left;
  }

  forgetServer(id: string): void {
    this.#saved = this.#saved.filter((saved) => saved.serverId !== id);
  }

  retention(): api.Retention {
    return this.#retention;
  }

  setRetention(retention: api.Retention): number {
    this.#retention = retention;
    return 0;
  }
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.trim().toLowerCase();

function failedStep(row: api.Server, outcome: MemoryServer["outcome"]): string {
  if (row.state === "ready") return "";
  if (outcome === "signIn") return "auth";
  if (outcome === "exits") return "start";
  return outcome === "unreachable" ? "tcp" : "";
}
