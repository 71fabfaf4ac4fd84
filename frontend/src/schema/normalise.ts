// normalise turns any JSON Schema into nodes that a form can show. It is pure and never throws: what it cannot show becomes a
// JSON box for that one field. Tolerated on purpose, because servers send it: a missing type, `properties: []`, boolean schemas,
// enumNames, nullable unions, draft-07 `items: [..]` and `definitions`, OpenAPI's `nullable`, broken and circular $refs.
import { isLosslessNumber, isObject, type Json, stringifyJson } from "../json/value";
import type { Branch, Field, Node, Option, Schema } from "./node";

/** Deeper than this a form is no longer readable. */
const maxDepth = 8;
/** A schema with more nodes than this is shown as JSON from there on, so that opening a tool never freezes. */
const maxNodes = 1500;
const maxRefs = 30;

type Keywords = { [keyword: string]: unknown };

interface Context {
  root: Schema;
  left: { nodes: number };
  depth: number;
  /** $refs being expanded on the way here, to see a cycle. */
  path: readonly string[];
}

export function normalise(schema: unknown): Node {
  if (!isSchema(schema)) return { kind: "raw", reason: "The schema is not an object." };
  const context: Context = { root: schema, left: { nodes: maxNodes }, depth: 0, path: [] };
  const node = visit(schema, context);
  // Arguments are always an object, so a schema that says nothing asks for an empty one.
  if (node.kind === "raw" && isEmptySchema(schema))
    return { kind: "object", fields: [], rest: { kind: "raw", reason: "Any value." } };
  return node;
}

function isEmptySchema(schema: Schema): boolean {
  return (
    schema === true ||
    (isKeywords(schema) &&
      !("$ref" in schema) &&
      !("anyOf" in schema) &&
      !("oneOf" in schema) &&
      schema.type === undefined)
  );
}

function visit(schema: Schema, context: Context): Node {
  if (schema === true) return { kind: "raw", reason: "Any value." };
  if (schema === false) return { kind: "raw", reason: "The schema allows no value here." };
  if (--context.left.nodes < 0) return { kind: "raw", reason: "The schema is too large for a form." };
  if (context.depth > maxDepth) return { kind: "raw", reason: "The schema is nested too deeply for a form." };

  const resolved = resolve(schema, context);
  if ("reason" in resolved) return withCommon({ kind: "raw", reason: resolved.reason }, schema);
  const { keywords } = resolved;
  const inner: Context = { ...context, path: resolved.path };

  const union = unionOf(keywords, inner);
  if (union) return withCommon(union, keywords);
  return withCommon(simple(keywords, inner), keywords);
}

// --- $ref and allOf ---

function resolve(
  schema: Keywords,
  context: Context,
): { keywords: Keywords; path: readonly string[] } | { reason: string } {
  let keywords = schema;
  let path = context.path;
  for (let hops = 0; typeof keywords.$ref === "string"; hops++) {
    const { $ref, ...beside } = keywords as { $ref: string };
    if (hops > maxRefs || path.includes($ref)) return { reason: "The schema refers to itself." };
    const target = lookUp(context.root, $ref);
    if (target === undefined) return { reason: `The schema refers to ${$ref}, which is not in it.` };
    path = [...path, $ref];
    if (target === true) keywords = beside;
    else if (target === false) return { reason: "The schema allows no value here." };
    else keywords = merge(target, beside);
  }
  if (Array.isArray(keywords.allOf)) {
    const { allOf, ...beside } = keywords;
    let merged: Keywords = {};
    for (const part of allOf as unknown[]) {
      if (!isKeywords(part)) continue;
      const inner = resolve(part, { ...context, path });
      if ("reason" in inner) return inner;
      path = inner.path.length > path.length ? inner.path : path;
      merged = merge(merged, inner.keywords);
    }
    keywords = merge(merged, beside);
  }
  return { keywords, path };
}

/** Both hold: objects are joined, of the rest the nearer one (over) wins. */
function merge(under: Keywords, over: Keywords): Keywords {
  const merged: Keywords = { ...under, ...over };
  if (isKeywords(under.properties) && isKeywords(over.properties))
    merged.properties = { ...(under.properties as object), ...(over.properties as object) };
  const required = [...stringsOf(under.required), ...stringsOf(over.required)];
  if (required.length > 0) merged.required = [...new Set(required)];
  return merged;
}

function lookUp(root: Schema, ref: string): Schema | undefined {
  if (ref === "#") return root;
  if (!isKeywords(root)) return undefined;
  if (ref.startsWith("#/")) {
    let at: unknown = root;
    for (const step of ref.slice(2).split("/")) {
      const name = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
      if (Array.isArray(at)) at = at[Number(name)];
      else if (isKeywords(at) && Object.hasOwn(at, name)) at = at[name];
      else return undefined;
    }
    return isSchema(at) ? at : undefined;
  }
  // A plain-name fragment or an $id: only the definitions are searched, nothing is ever fetched.
  for (const holder of [root.$defs, root.definitions]) {
    if (!isKeywords(holder)) continue;
    for (const definition of Object.values(holder)) {
      if (!isKeywords(definition)) continue;
      if (
        definition.$id === ref ||
        `#${String(definition.$anchor)}` === ref ||
        definition.$id === ref.replace(/^#/, "")
      )
        return definition;
    }
  }
  return undefined;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

// --- unions ---

function unionOf(keywords: Keywords, context: Context): Node | undefined {
  const key = Array.isArray(keywords.oneOf) ? "oneOf" : Array.isArray(keywords.anyOf) ? "anyOf" : undefined;
  if (!key) return undefined;
  const { [key]: list, ...beside } = keywords;
  const all = (list as unknown[]).filter(isSchema);
  const branches = all.filter((branch) => !isNullSchema(branch) && branch !== false);
  const nullable = branches.length < all.length && all.some(isNullSchema);
  if (branches.length === 0) return undefined;

  const options = optionsOf(branches);
  if (options) return { kind: "choice", options, ...(nullable && { nullable }) };

  // `anyOf: [{required: ["a"]}, {required: ["b"]}]` says which members must be there, not what they look like.
  if (
    isKeywords(beside.properties) &&
    branches.every(
      (branch) => isKeywords(branch) && !("properties" in branch) && !("type" in branch) && !("$ref" in branch),
    )
  )
    return undefined;

  if (branches.length === 1) {
    const only = branches[0] as Schema;
    const node = only === true ? visit(true, context) : visit(mergeBranch(beside, only as Keywords), deeper(context));
    return nullable ? { ...node, nullable: true } : node;
  }
  const made: Branch[] = branches.map((branch, index) => {
    const node =
      branch === true ? visit(true, context) : visit(mergeBranch(beside, branch as Keywords), deeper(context));
    // The union's own title and description stand above the picker; a branch repeats them only if they are its own.
    const named = own(branch, context);
    const { title: _title, description: _description, ...rest } = node;
    const titled = {
      ...rest,
      ...(named.title && { title: named.title }),
      ...(named.description && { description: named.description }),
    } as Node;
    return { label: branchLabel(titled, index), node: titled };
  });
  return { kind: "union", branches: distinct(made), ...(nullable && { nullable }) };
}

/** What stands beside the union holds in every branch, except its name and its default. */
function mergeBranch(beside: Keywords, branch: Keywords): Keywords {
  const { title: _t, description: _d, default: _f, examples: _e, $schema: _s, $id: _i, ...shared } = beside;
  if (typeof branch.$ref === "string" && Object.keys(shared).every((key) => key === "$defs" || key === "definitions"))
    return branch;
  return typeof branch.$ref === "string" ? { allOf: [shared, branch], title: branch.title } : merge(shared, branch);
}

function own(branch: Schema, context: Context): { title?: string; description?: string } {
  if (!isKeywords(branch)) return {};
  const resolved = resolve(branch, context);
  const keywords = "reason" in resolved ? branch : resolved.keywords;
  return { title: text(keywords.title), description: text(keywords.description) };
}

function distinct(branches: Branch[]): Branch[] {
  return branches.map((branch, index) =>
    branches.some((other, at) => at !== index && other.label === branch.label)
      ? { ...branch, label: `${branch.label} ${index + 1}` }
      : branch,
  );
}

const kindNames: Record<Node["kind"], string> = {
  string: "text",
  number: "number",
  boolean: "yes or no",
  choice: "one of",
  choices: "several of",
  list: "list",
  tuple: "fixed list",
  object: "object",
  union: "one of",
  raw: "JSON",
};

function branchLabel(node: Node, index: number): string {
  if (node.title) return node.title;
  if (node.kind === "object") {
    // The usual discriminator: one member with a single possible value.
    for (const field of node.fields)
      if (field.node.kind === "choice" && field.node.options.length === 1)
        return (field.node.options[0] as Option).label;
    const required = node.fields.filter((field) => field.required).map((field) => field.name);
    if (required.length > 0) return `with ${required.slice(0, 2).join(", ")}`;
  }
  if (node.kind === "choice" && node.options.length <= 3)
    return node.options.map((option) => option.label).join(" or ");
  if (node.kind === "number" && node.integer) return "integer";
  if (node.kind === "list") return `list of ${node.item.title ?? plural(kindNames[node.item.kind])}`;
  return kindNames[node.kind] ?? `variant ${index + 1}`;
}

function plural(kind: string): string {
  return kind === "text" ? "texts" : kind === "JSON" ? "JSON values" : kind.includes(" ") ? kind : `${kind}s`;
}

function isNullSchema(schema: Schema): boolean {
  if (!isKeywords(schema)) return false;
  if (schema.type === "null") return true;
  if (Array.isArray(schema.type) && schema.type.length === 1 && schema.type[0] === "null") return true;
  return (
    ("const" in schema && schema.const === null) ||
    (Array.isArray(schema.enum) && schema.enum.length === 1 && schema.enum[0] === null)
  );
}

// --- one schema without a union ---

function simple(keywords: Keywords, context: Context): Node {
  const types = (
    Array.isArray(keywords.type) ? keywords.type : keywords.type === undefined ? [] : [keywords.type]
  ).filter((type): type is string => typeof type === "string");
  const named = types.filter((type) => type !== "null");
  const nullable = types.length > named.length || keywords.nullable === true;

  const choice = choiceOf(keywords);
  if (choice) return { ...choice, ...((nullable || choice.nullable) && { nullable: true }) };

  if (named.length > 1) {
    const branches = named.map((type) => {
      const node = ofType(type, keywords, context);
      return { label: branchLabel({ ...node, title: undefined }, 0), node };
    });
    return { kind: "union", branches: distinct(branches), ...(nullable && { nullable }) };
  }
  const type = named[0] ?? (types.length > 0 ? "null" : inferType(keywords));
  const node = ofType(type, keywords, context);
  return nullable && type !== "null" ? { ...node, nullable: true } : node;
}

function inferType(keywords: Keywords): string {
  const has = (...names: string[]) => names.some((name) => name in keywords);
  if (has("properties", "additionalProperties", "patternProperties", "propertyNames", "required", "minProperties"))
    return "object";
  if (has("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains")) return "array";
  if (has("pattern", "minLength", "maxLength", "format", "contentMediaType")) return "string";
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number";
  const sample =
    "default" in keywords ? keywords.default : Array.isArray(keywords.examples) ? keywords.examples[0] : undefined;
  if (typeof sample === "string" || typeof sample === "number" || typeof sample === "boolean") return typeof sample;
  return "any";
}

function ofType(type: string, keywords: Keywords, context: Context): Node {
  switch (type) {
    case "string": {
      const format = text(keywords.format);
      const maxLength = count(keywords.maxLength);
      return strip({
        kind: "string",
        format,
        minLength: count(keywords.minLength),
        maxLength,
        pattern: text(keywords.pattern),
        multiline:
          format === undefined &&
          (keywords.contentMediaType !== undefined || (maxLength ?? 0) > 300 || looksLong(keywords))
            ? true
            : undefined,
      });
    }
    case "number":
    case "integer": {
      // Draft 4 wrote exclusiveMinimum as a boolean beside minimum.
      const exclusiveMin = keywords.exclusiveMinimum === true;
      const exclusiveMax = keywords.exclusiveMaximum === true;
      return strip({
        kind: "number",
        integer: type === "integer",
        minimum: exclusiveMin ? undefined : numeric(keywords.minimum),
        maximum: exclusiveMax ? undefined : numeric(keywords.maximum),
        exclusiveMinimum: exclusiveMin ? numeric(keywords.minimum) : numeric(keywords.exclusiveMinimum),
        exclusiveMaximum: exclusiveMax ? numeric(keywords.maximum) : numeric(keywords.exclusiveMaximum),
        multipleOf: numeric(keywords.multipleOf),
      });
    }
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "choice", options: [{ value: null, label: "null" }] };
    case "array":
      return arrayOf(keywords, context);
    case "object":
      return objectOf(keywords, context);
    case "any":
      return { kind: "raw", reason: "Any value." };
    default:
      return { kind: "raw", reason: `There is no JSON type “${type}”.` };
  }
}

function arrayOf(keywords: Keywords, context: Context): Node {
  const bounds = strip({ minItems: count(keywords.minItems), maxItems: count(keywords.maxItems) });
  const prefix = Array.isArray(keywords.prefixItems)
    ? keywords.prefixItems
    : Array.isArray(keywords.items)
      ? keywords.items
      : undefined;
  const rest = Array.isArray(keywords.prefixItems)
    ? keywords.items
    : Array.isArray(keywords.items)
      ? keywords.additionalItems
      : keywords.items;
  if (prefix) {
    const items = prefix.map((item) =>
      isSchema(item) ? visit(item, deeper(context)) : ({ kind: "raw", reason: "Any value." } as Node),
    );
    return {
      kind: "tuple",
      items,
      rest: rest === false || rest === undefined || !isSchema(rest) ? null : visit(rest, deeper(context)),
      minItems: bounds.minItems ?? items.length,
    };
  }
  const item = isSchema(rest) ? visit(rest, deeper(context)) : ({ kind: "raw", reason: "Any value." } as Node);
  const unique = keywords.uniqueItems === true;
  // A set over a fixed choice is a group of boxes to tick.
  if (item.kind === "choice" && !item.nullable && (unique || item.options.length <= 12) && item.options.length > 0)
    return { kind: "choices", options: item.options, ...bounds };
  return { kind: "list", item, unique, ...bounds };
}

function objectOf(keywords: Keywords, context: Context): Node {
  // PHP encodes an empty map as [].
  const properties = isKeywords(keywords.properties) ? keywords.properties : {};
  const required = new Set(stringsOf(keywords.required));
  const fields: Field[] = Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.has(name),
    node: isSchema(schema)
      ? visit(schema, deeper(context))
      : { kind: "raw", reason: "The schema of this field is not a schema." },
  }));
  // Required but not described: it still has to be filled in.
  for (const name of required)
    if (!Object.hasOwn(properties, name))
      fields.push({
        name,
        required: true,
        node: { kind: "raw", reason: "The schema requires this field without describing it." },
      });
  const additional = keywords.additionalProperties;
  const pattern = isKeywords(keywords.patternProperties) ? Object.values(keywords.patternProperties)[0] : undefined;
  let rest: Node | null = null;
  if (isKeywords(additional)) rest = visit(additional, deeper(context));
  else if (isSchema(pattern)) rest = visit(pattern, deeper(context));
  else if (additional === true || (additional === undefined && fields.length === 0 && context.depth > 0))
    rest = { kind: "raw", reason: "Any value." };
  return strip({ kind: "object" as const, fields, rest, minProperties: count(keywords.minProperties) });
}

// --- choices ---

function choiceOf(keywords: Keywords): (Node & { kind: "choice" }) | undefined {
  if ("const" in keywords)
    return { kind: "choice", options: [{ value: keywords.const as Json, label: label(keywords.const) }] };
  if (!Array.isArray(keywords.enum) || keywords.enum.length === 0) return undefined;
  const names = Array.isArray(keywords.enumNames) ? keywords.enumNames : [];
  const options: Option[] = [];
  const values: unknown[] = keywords.enum;
  const nullable = values.length > 1 && values.includes(null);
  for (const [index, value] of values.entries())
    if (value !== null || !nullable) options.push({ value: value as Json, label: text(names[index]) ?? label(value) });
  return nullable ? { kind: "choice", options, nullable } : { kind: "choice", options };
}

/** oneOf of constants, each with its own title: a choice with names. */
function optionsOf(branches: Schema[]): Option[] | undefined {
  const options: Option[] = [];
  for (const branch of branches) {
    if (!isKeywords(branch)) return undefined;
    if ("const" in branch) {
      options.push(
        strip({
          value: branch.const as Json,
          label: text(branch.title) ?? label(branch.const),
          description: text(branch.description),
        }),
      );
      continue;
    }
    if (Array.isArray(branch.enum) && branch.enum.length > 0 && !("properties" in branch)) {
      const choice = choiceOf(branch);
      if (!choice) return undefined;
      if (branch.enum.length === 1 && text(branch.title))
        options.push({ value: branch.enum[0] as Json, label: text(branch.title) as string });
      else options.push(...choice.options);
      continue;
    }
    return undefined;
  }
  return options;
}

function label(value: unknown): string {
  return typeof value === "string" ? value || "(empty text)" : stringifyJson(value);
}

// --- small things ---

function withCommon<T extends Node>(node: T, keywords: Keywords): T {
  return strip({
    ...node,
    title: node.title ?? text(keywords.title),
    description: node.description ?? text(keywords.description),
    default: "default" in keywords ? (keywords.default as Json) : node.default,
    examples: Array.isArray(keywords.examples) ? (keywords.examples as Json[]) : node.examples,
    deprecated: keywords.deprecated === true || node.deprecated || undefined,
    readOnly: keywords.readOnly === true || node.readOnly || undefined,
  });
}

function deeper(context: Context): Context {
  return { ...context, depth: context.depth + 1 };
}

function looksLong(keywords: Keywords): boolean {
  return typeof keywords.default === "string" && keywords.default.includes("\n");
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numeric(value: unknown): number | undefined {
  if (isLosslessNumber(value)) return Number(value.value);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function count(value: unknown): number | undefined {
  const n = numeric(value);
  return n !== undefined && n >= 0 ? n : undefined;
}

function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function isKeywords(value: unknown): value is Keywords {
  return isObject(value);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === "boolean" || isKeywords(value);
}

function strip<T extends object>(value: T): T {
  for (const key of Object.keys(value) as (keyof T)[]) if (value[key] === undefined) delete value[key];
  return value;
}
