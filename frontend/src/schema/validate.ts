// validate says in sentences what is wrong with a form's value, at the field where it is. It walks the nodes, so that of a union
// only the chosen branch speaks; what nodes do not express (dependentRequired, not, if/then …) is asked of an interpreting
// validator afterwards. The last word has the back end, before anything is sent.
import { type Schema as CfSchema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { childPointer, equalJson, isNumeric, isObject, toPlain, Unparsed } from "../json/value";
import type { FieldError } from "./errors";
import { formatOf } from "./formats";
import { branchOf, type FormValue } from "./initial";
import type { Node, Schema } from "./node";

/** Which branch of a union the person picked, by pointer. */
export type Picks = Readonly<Record<string, number>>;

/** Compiles the checks of one form; the result is pure. */
export function createValidate(
  node: Node,
  schema: Schema | undefined,
): (value: FormValue, picks?: Picks) => FieldError[] {
  let whole: ((value: FormValue) => FieldError[]) | undefined;
  return (value, picks = {}) => {
    const errors: FieldError[] = [];
    check(node, value, "", picks, errors);
    if (errors.length > 0 || schema === undefined) return errors;
    whole ??= createWhole(schema);
    return whole(value);
  };
}

function check(node: Node, value: FormValue, pointer: string, picks: Picks, errors: FieldError[]): void {
  const say = (message: string) => errors.push({ pointer, message });
  if (value === undefined) return;
  if (value instanceof Unparsed) {
    say(value.message);
    return;
  }
  if (value === null && node.nullable) return;
  switch (node.kind) {
    case "string":
      if (typeof value !== "string") say(value === null ? "This is null; text is needed." : "Text is needed here.");
      else for (const message of stringFaults(node, value)) say(message);
      return;
    case "number":
      for (const message of numberFaults(node, value)) say(message);
      return;
    case "boolean":
      if (typeof value !== "boolean") say("Yes or no is needed here.");
      return;
    case "choice":
      if (!node.options.some((option) => equalJson(option.value, value)))
        say(value === null ? "Pick one." : `${show(value)} is not one of the choices.`);
      return;
    case "choices":
      if (!Array.isArray(value)) say("A list is needed here.");
      else {
        for (const message of countFaults(value.length, node)) say(message);
        const unknown = value.find((item) => !node.options.some((option) => equalJson(option.value, item)));
        if (unknown !== undefined) say(`${show(unknown)} is not one of the choices.`);
      }
      return;
    case "list": {
      if (!Array.isArray(value)) {
        say("A list is needed here.");
        return;
      }
      for (const message of countFaults(value.length, node)) say(message);
      if (node.unique) {
        const repeat = firstRepeat(value);
        if (repeat) say(`The items must differ: item ${repeat[1] + 1} repeats item ${repeat[0] + 1}.`);
      }
      for (const [index, item] of value.entries()) check(node.item, item, childPointer(pointer, index), picks, errors);
      return;
    }
    case "tuple":
      if (!Array.isArray(value)) {
        say("A list is needed here.");
        return;
      }
      if (value.length < node.minItems)
        say(`${counted(node.minItems, "item")} needed; there ${value.length === 1 ? "is" : "are"} ${value.length}.`);
      if (node.rest === null && value.length > node.items.length)
        say(`Only ${node.items.length} items fit here; there are ${value.length}.`);
      value.forEach((item, index) => {
        const inner = node.items[index] ?? node.rest;
        if (inner) check(inner, item, childPointer(pointer, index), picks, errors);
      });
      return;
    case "object": {
      if (!isObject(value)) {
        say("An object is needed here.");
        return;
      }
      const known = new Set<string>();
      for (const field of node.fields) {
        known.add(field.name);
        const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
        const at = childPointer(pointer, field.name);
        if (member === undefined) {
          if (field.required) errors.push({ pointer: at, message: "This is required." });
        } else check(field.node, member, at, picks, errors);
      }
      if (node.rest)
        for (const [name, member] of Object.entries(value))
          if (!known.has(name)) check(node.rest, member, childPointer(pointer, name), picks, errors);
      const size = Object.keys(value).length;
      if (node.minProperties !== undefined && size < node.minProperties)
        say(`${counted(node.minProperties, "member")} needed; there ${size === 1 ? "is" : "are"} ${size}.`);
      return;
    }
    case "union": {
      const branch = node.branches[branchOf(node, value, picks[pointer])];
      if (branch) check(branch.node, value, pointer, picks, errors);
      return;
    }
    case "raw":
      holdsUnparsed(value, pointer, errors);
  }
}

/** Half-typed JSON may sit below a node that has no rows of its own. */
function holdsUnparsed(value: unknown, pointer: string, errors: FieldError[]): void {
  if (value instanceof Unparsed) errors.push({ pointer, message: value.message });
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) holdsUnparsed(item, childPointer(pointer, index), errors);
  else if (isObject(value))
    for (const [name, member] of Object.entries(value)) holdsUnparsed(member, childPointer(pointer, name), errors);
}

function stringFaults(node: Node & { kind: "string" }, value: string): string[] {
  const faults: string[] = [];
  const length = [...value].length; // JSON Schema counts characters, not UTF-16 units
  if (node.minLength !== undefined && length < node.minLength)
    faults.push(`${counted(node.minLength, "character")} needed; this has ${length}.`);
  if (node.maxLength !== undefined && length > node.maxLength)
    faults.push(`At most ${node.maxLength} characters fit; this has ${length}.`);
  const format = formatOf(node.format);
  if (format && !format.test(value)) faults.push(format.sentence);
  if (node.pattern !== undefined && isSafePattern(node.pattern) && !matches(node.pattern, value))
    faults.push(`This does not match the pattern ${node.pattern}`);
  return faults;
}

function numberFaults(node: Node & { kind: "number" }, value: FormValue): string[] {
  if (!isNumeric(value)) return [value === null ? "A number is needed here." : `${show(value)} is not a number.`];
  const text = String(value);
  const n = Number(value);
  if (node.integer && !isInteger(text)) return [`${text} is not a whole number.`];
  const faults: string[] = [];
  if (node.minimum !== undefined && n < node.minimum) faults.push(`${text} is less than the minimum, ${node.minimum}.`);
  if (node.maximum !== undefined && n > node.maximum) faults.push(`${text} is more than the maximum, ${node.maximum}.`);
  if (node.exclusiveMinimum !== undefined && n <= node.exclusiveMinimum)
    faults.push(`${text} is not more than ${node.exclusiveMinimum}.`);
  if (node.exclusiveMaximum !== undefined && n >= node.exclusiveMaximum)
    faults.push(`${text} is not less than ${node.exclusiveMaximum}.`);
  if (node.multipleOf !== undefined && node.multipleOf > 0 && !isMultiple(n, node.multipleOf))
    faults.push(`${text} is not a multiple of ${node.multipleOf}.`);
  return faults;
}

function isInteger(text: string): boolean {
  return /^-?\d+(\.0+)?$/.test(text) || Number.isInteger(Number(text));
}

/** 0.3 is a multiple of 0.1 for a person, whatever doubles say. */
function isMultiple(n: number, step: number): boolean {
  const quotient = n / step;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

function countFaults(length: number, bounds: { minItems?: number; maxItems?: number }): string[] {
  if (bounds.minItems !== undefined && length < bounds.minItems)
    return [`${counted(bounds.minItems, "item")} needed; there ${length === 1 ? "is" : "are"} ${length}.`];
  if (bounds.maxItems !== undefined && length > bounds.maxItems)
    return [`At most ${bounds.maxItems} items fit; there are ${length}.`];
  return [];
}

function counted(n: number, thing: string): string {
  return n === 1 ? `At least 1 ${thing} is` : `At least ${n} ${thing}s are`;
}

function firstRepeat(items: readonly unknown[]): [number, number] | undefined {
  for (let b = 1; b < items.length && b < 500; b++)
    for (let a = 0; a < b; a++) if (equalJson(items[a], items[b])) return [a, b];
  return undefined;
}

function show(value: unknown): string {
  const plain = toPlain(value);
  const text = typeof plain === "string" ? plain : (JSON.stringify(plain) ?? "");
  return `“${text.length > 40 ? `${text.slice(0, 40)}…` : text}”`;
}

/** A pattern with a quantifier over a quantified group can take for ever; the back end's engine cannot, so it is left to that. */
export function isSafePattern(pattern: string): boolean {
  return pattern.length < 1000 && !/[+*}]\)?[?]?\)(?:[+*]|\{\d+,)/.test(pattern);
}

function matches(pattern: string, value: string): boolean {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags).test(value);
    } catch {
      // Not an expression of this dialect (for example PCRE): tried without u, then left to the server.
    }
  }
  return true;
}

// --- the rest of JSON Schema ---

const drafts: readonly [RegExp, SchemaDraft][] = [
  [/draft-04/, "4"],
  [/draft-0[67]/, "7"],
  [/2019-09/, "2019-09"],
];

const composite = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "$dynamicRef",
  "allOf",
  "anyOf",
  "oneOf",
  "then",
  "else",
  "if",
  "dependentSchemas",
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "contains",
]);

/** Checks a whole document with the interpreting validator (no code generation: the page's CSP forbids it). */
function createWhole(schema: Schema): (value: FormValue) => FieldError[] {
  const named = isObject(schema) && typeof schema.$schema === "string" ? schema.$schema : "";
  const draft = drafts.find(([pattern]) => pattern.test(named))?.[1] ?? "2020-12";
  let validator: Validator;
  try {
    validator = new Validator(withoutChecked(toPlain(schema)) as CfSchema, draft, false);
  } catch {
    return () => []; // a schema this engine cannot read: the back end decides
  }
  return (value) => {
    let found: { keyword: string; instanceLocation: string; error: string }[];
    try {
      found = validator.validate(toPlain(value)).errors;
    } catch {
      return []; // a foreign or circular $ref: the back end decides
    }
    const leaves = found.filter((error) => !composite.has(error.keyword));
    const told = leaves.length > 0 ? leaves : found.slice(-1);
    return told.slice(0, 20).map((error) => ({ pointer: decode(error.instanceLocation), message: sentence(error) }));
  };
}

/** The engine writes pointers as URI fragments. */
function decode(location: string): string {
  const pointer = location.replace(/^#/, "");
  try {
    return decodeURI(pointer);
  } catch {
    return pointer;
  }
}

function sentence(error: { keyword: string; error: string }): string {
  switch (error.keyword) {
    case "additionalProperties":
    case "unevaluatedProperties":
    case "false":
      return "The schema does not allow this.";
    case "oneOf":
      return "This fits several variants at once; the schema allows only one.";
    case "anyOf":
      return "This fits none of the variants that the schema allows.";
    case "not":
      return "The schema rules this out.";
    case "dependentRequired":
    case "required":
      return error.error
        .replace(/^Instance does not have required property (".*?")\.?$/, "$1 is required.")
        .replace(/^Instance has (".*?") but does not have (".*?")\.?$/, "With $1, $2 is required too.");
    default:
      return error.error;
  }
}

/** The schema without what the nodes have checked already (formats) and what could hang (patterns). */
function withoutChecked(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutChecked);
  if (!isObject(schema)) return schema;
  const kept: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(schema)) {
    if (key === "format" && typeof part === "string") continue;
    if (key === "pattern" && typeof part === "string") continue;
    if (key === "properties" && Array.isArray(part)) continue;
    if (key === "const" || key === "enum" || key === "default" || key === "examples") kept[key] = part;
    else kept[key] = withoutChecked(part);
  }
  return kept;
}
