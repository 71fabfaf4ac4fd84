import { parseJson } from "../json/value";
import type { Schema } from "../schema/node";
import { isSchema } from "../schema/normalise";

/** A schema from its JSON text; an absent one asks for nothing, an unreadable one is undefined. */
export function parseSchema(text: string): Schema | undefined {
  if (text === "") return {};
  try {
    const schema = parseJson(text);
    return isSchema(schema) ? schema : undefined;
  } catch {
    return undefined;
  }
}
