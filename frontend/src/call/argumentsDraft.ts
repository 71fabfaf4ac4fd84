// Arguments between form and JSON text. The text in the store is what outlives the form: every tool keeps its own.
import { checkJson, formatJson } from "../json/scan";
import { isObject, parseJson, stringifyJson } from "../json/value";
import { type FormValue, initialValue } from "../schema/initial";
import type { Node } from "../schema/node";

/** The value a form starts with: the draft if it is an object, the schema's defaults if there is no draft. */
export function readDraft(text: string, node: Node): { value: FormValue } | { fault: string } {
  if (text.trim() === "") return { value: initialValue(node, true) ?? {} };
  const error = checkJson(text);
  if (error) return { fault: error.message };
  try {
    const value = parseJson(text);
    return isObject(value) ? { value } : { fault: "Arguments are a JSON object: they begin with { and end with }." };
  } catch {
    return { fault: "This JSON is nested too deeply for the form." };
  }
}

/** The draft's text for a form's value, laid out for the JSON tab. What is not JSON yet stays in it as it was typed. */
export function draftText(value: FormValue): string {
  return value === undefined ? "{}" : formatJson(stringifyJson(value));
}

/** The text that is sent from the form. */
export function sentText(value: FormValue): string {
  return value === undefined ? "{}" : stringifyJson(value);
}
