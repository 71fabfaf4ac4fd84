// JSON values as the forms hold them. A number whose text a double cannot give back (9007199254740993, 1.50, 1e999) is kept
// as its text, so that what is shown is what was sent.
import { isLosslessNumber, LosslessNumber, parse } from "lossless-json";

export { isLosslessNumber, LosslessNumber };

export type Json = null | boolean | number | string | LosslessNumber | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** Text typed where JSON was expected and that is not JSON (yet). It lives in a form's value so that no keystroke is lost. */
export class Unparsed {
  readonly text: string;
  readonly message: string;
  constructor(text: string, message: string) {
    this.text = text;
    this.message = message;
  }
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Reads a number as JSON writes it; undefined if the text is none. */
export function parseNumber(text: string): number | LosslessNumber | undefined {
  const trimmed = text.trim();
  if (!jsonNumber.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return String(value) === trimmed ? value : new LosslessNumber(trimmed);
}

/** Parses JSON text. Throws a SyntaxError (or RangeError, for absurd nesting) if it is not JSON. */
export function parseJson(text: string): Json {
  return parse(text, undefined, {
    parseNumber: (digits) => parseNumber(digits),
    // The last one wins, as in JSON.parse and in the programs that write such documents.
    onDuplicateKey: ({ newValue }) => newValue,
  }) as Json;
}

/** JSON text without blanks; see formatJson for people. What is not JSON yet stands in it as it was typed. */
export function stringifyJson(value: unknown): string {
  if (isLosslessNumber(value)) return value.value;
  if (value instanceof Unparsed) return value.text;
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(",")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyJson(member)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !isLosslessNumber(value) &&
    !(value instanceof Unparsed)
  );
}

/** A copy with plain doubles, for code that only compares and measures. */
export function toPlain(value: unknown): unknown {
  if (isLosslessNumber(value)) return Number(value.value);
  if (value instanceof Unparsed) return value.text;
  if (Array.isArray(value)) return value.map(toPlain);
  if (isObject(value)) {
    const plain: Record<string, unknown> = {};
    // defineProperty: a member named __proto__ is data here, not a prototype.
    for (const [name, member] of Object.entries(value)) setMember(plain, name, toPlain(member));
    return plain;
  }
  return value;
}

/** Sets an own member whatever its name is. */
export function setMember<T>(target: Record<string, T>, name: string, value: T): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Deep equality by value; 1 and 1.0 are the same number, 9007199254740993 and 9007199254740992 are not. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (isNumeric(a) && isNumeric(b)) {
    const [x, y] = [String(a), String(b)];
    if (x === y) return true;
    if (/^-?\d+$/.test(x) && /^-?\d+$/.test(y)) return BigInt(x) === BigInt(y);
    return Number(x) === Number(y);
  }
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  if (isObject(a) && isObject(b)) {
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && equalJson(a[name], b[name]))
    );
  }
  return false;
}

export function isNumeric(value: unknown): value is number | LosslessNumber {
  return typeof value === "number" || isLosslessNumber(value);
}

/** One JSON Pointer (RFC 6901) step further. */
export function childPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
