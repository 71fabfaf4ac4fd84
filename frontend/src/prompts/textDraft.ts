// Arguments of prompts and variables of templates are texts by name; the draft is a JSON object of them.
import { isObject, parseJson, setMember, stringifyJson } from "../json/value";

export type Texts = Readonly<Record<string, string>>;

export function readTexts(draft: string): Texts {
  if (draft.trim() === "") return {};
  try {
    const value = parseJson(draft);
    if (!isObject(value)) return {};
    const texts: Record<string, string> = {};
    for (const [name, text] of Object.entries(value))
      setMember(texts, name, typeof text === "string" ? text : stringifyJson(text));
    return texts;
  } catch {
    return {};
  }
}

/** An emptied text is not sent. */
export function writeTexts(texts: Texts, name: string, text: string): string {
  const next: Record<string, string> = {};
  for (const [key, kept] of Object.entries(texts)) if (key !== name) setMember(next, key, kept);
  if (text !== "") setMember(next, name, text);
  return stringifyJson(next);
}

export function missing(texts: Texts, required: readonly string[]): string[] {
  return required.filter((name) => !Object.hasOwn(texts, name) || texts[name] === "");
}
