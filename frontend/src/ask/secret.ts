// A form that asks for a secret breaks the specification (elicitation, security considerations): servers must send the person
// to a page of their own for that. It is not refused, but it is said.
import type { Node } from "../schema/node";

const secret =
  /pass(word|phrase|wd|code)|secret|api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|token|credential|\bcvv\b|\bcvc\b|\bpin\b|\botp\b|one[\s_-]?time|card[\s_-]?number|seed phrase/i;

/** The labels of fields that seem to ask for a secret. */
export function secretFields(node: Node): string[] {
  if (node.kind !== "object") return [];
  return node.fields
    .filter(
      ({ name, node: field }) =>
        (field.kind === "string" && field.format === "password") ||
        [name, field.title ?? "", field.description ?? ""].some((text) =>
          secret.test(text.replace(/([a-z])([A-Z])/g, "$1 $2")),
        ),
    )
    .map(({ name, node: field }) => field.title ?? name);
}
