// What a form starts with, and which branch of a union a value belongs to. Optional fields that nobody touched are left out:
// a server must be able to tell "not sent" from null, "" and [].
import { equalJson, isNumeric, isObject, type Json, type JsonObject, setMember, type Unparsed } from "../json/value";
import type { Node, UnionNode } from "./node";

/** A value in a form: JSON, or text that is not JSON yet. undefined means: not sent. */
export type FormValue = Json | Unparsed | undefined;

/** The value a field starts with. Defaults are filled in even where they are optional, so that they can be seen and changed. */
export function initialValue(node: Node, required: boolean): FormValue {
  if (node.default !== undefined) return node.default;
  if (!required) return undefined;
  switch (node.kind) {
    case "boolean":
      return false; // an empty box reads as no
    case "choice":
      return node.options.length === 1 ? node.options[0]?.value : undefined;
    case "choices":
    case "list":
      return node.minItems ? startItems(node) : [];
    case "tuple":
      return node.items.map((item) => (initialValue(item, true) ?? null) as Json);
    case "object": {
      const value: JsonObject = {};
      for (const field of node.fields) {
        const member = initialValue(field.node, field.required);
        if (member !== undefined) setMember(value, field.name, member as Json);
      }
      return value;
    }
    case "union": {
      const branch = node.branches[0];
      return branch ? initialValue(branch.node, true) : undefined;
    }
    default:
      return undefined;
  }
}

/** What a field holds right after the person chose to send it. */
export function addedValue(node: Node): FormValue {
  return initialValue(node, true);
}

/** A row that was just added to a list: something of the right shape to type over. */
export function emptyItem(node: Node): Json {
  const value = initialValue(node, true);
  if (value !== undefined) return value as Json;
  if (node.kind === "string") return "";
  return null;
}

function startItems(node: Node): Json[] {
  if (node.kind !== "list") return [];
  // Objects need their inner form to be filled in; scalars are simply typed.
  return node.item.kind === "object" || node.item.kind === "tuple"
    ? Array.from({ length: Math.min(node.minItems ?? 0, 20) }, () => emptyItem(node.item))
    : [];
}

/** The branch that a value belongs to: the one the person picked, else the one that fits best, else the first. */
export function branchOf(node: UnionNode, value: FormValue, picked?: number): number {
  if (picked !== undefined && picked < node.branches.length) return picked;
  if (value === undefined) return 0;
  let best = 0;
  let most = -1;
  node.branches.forEach((branch, index) => {
    const score = fitness(branch.node, value);
    if (score > most) [best, most] = [index, score];
  });
  return best;
}

/** How well a value fits a node: -1 not at all; more is better. */
export function fitness(node: Node, value: FormValue): number {
  if (value === undefined) return 0;
  if (value === null)
    return node.nullable || (node.kind === "choice" && node.options.some((option) => option.value === null))
      ? 10
      : node.kind === "raw"
        ? 0
        : -1;
  switch (node.kind) {
    case "string":
      return typeof value === "string" ? 5 : -1;
    case "number":
      return isNumeric(value) ? (node.integer ? (Number.isInteger(Number(value)) ? 6 : -1) : 5) : -1;
    case "boolean":
      return typeof value === "boolean" ? 5 : -1;
    case "choice":
      return node.options.some((option) => equalJson(option.value, value)) ? 10 : -1;
    case "choices":
      return Array.isArray(value) && value.every((item) => node.options.some((option) => equalJson(option.value, item)))
        ? 8
        : -1;
    case "list":
      return Array.isArray(value) ? 5 + Math.min(0, ...value.slice(0, 5).map((item) => fitness(node.item, item))) : -1;
    case "tuple":
      return Array.isArray(value)
        ? 4 + Math.min(0, ...node.items.map((item, index) => fitness(item, value[index])))
        : -1;
    case "object": {
      if (!isObject(value)) return -1;
      let score = 5;
      for (const field of node.fields) {
        if (Object.hasOwn(value, field.name)) {
          const inner = fitness(field.node, value[field.name]);
          // A wrong constant means another branch; a wrong text is only a mistake.
          score += inner < 0 ? (field.node.kind === "choice" ? -100 : -2) : 2 + (field.node.kind === "choice" ? 5 : 0);
        } else if (field.required) score -= 1;
      }
      const known = new Set(node.fields.map((field) => field.name));
      if (!node.rest) for (const name of Object.keys(value)) if (!known.has(name)) score -= 1;
      return Math.max(score, 0);
    }
    case "union":
      return Math.max(-1, ...node.branches.map((branch) => fitness(branch.node, value)));
    default:
      return 1;
  }
}

/** The value after switching to another branch: members of the same name are kept where they fit. */
export function switchBranch(node: UnionNode, value: FormValue, to: number): FormValue {
  const target = node.branches[to]?.node;
  if (!target) return value;
  const start = initialValue(target, true);
  if (target.kind !== "object" || !isObject(value) || !isObject(start))
    return fitness(target, value) >= 0 && value !== undefined && value !== null ? value : start;
  const next: JsonObject = { ...start };
  for (const field of target.fields) {
    if (field.node.kind === "choice" && field.node.options.length === 1) continue;
    if (Object.hasOwn(value, field.name) && fitness(field.node, value[field.name]) >= 0)
      setMember(next, field.name, value[field.name] as Json);
  }
  return next;
}
