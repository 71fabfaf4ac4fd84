// What a form shows: a small closed set of nodes that normalise.ts makes of any JSON Schema.
import type { Json } from "../json/value";

/** A JSON Schema as it was sent. Servers send all sorts of things; nothing about it is certain. */
export type Schema = { [keyword: string]: unknown } | boolean;

interface Common {
  title?: string;
  description?: string;
  /** Filled in when the form starts. */
  default?: Json;
  examples?: Json[];
  /** null is a value of its own here, beside not sending the field. */
  nullable?: boolean;
  deprecated?: boolean;
  readOnly?: boolean;
}

export interface Option {
  value: Json;
  label: string;
  description?: string;
}

export interface StringNode extends Common {
  kind: "string";
  format?: string;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  multiline?: boolean;
}

export interface NumberNode extends Common {
  kind: "number";
  integer: boolean;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
}

export interface BooleanNode extends Common {
  kind: "boolean";
}

/** One of a fixed set of values: enum, const, titled oneOf. */
export interface ChoiceNode extends Common {
  kind: "choice";
  options: Option[];
}

/** Several of a fixed set of values. */
export interface ChoicesNode extends Common {
  kind: "choices";
  options: Option[];
  minItems?: number;
  maxItems?: number;
}

export interface ListNode extends Common {
  kind: "list";
  item: Node;
  minItems?: number;
  maxItems?: number;
  unique: boolean;
}

/** prefixItems: fixed rows, then rest (null: nothing may follow). */
export interface TupleNode extends Common {
  kind: "tuple";
  items: Node[];
  rest: Node | null;
  minItems: number;
}

export interface Field {
  name: string;
  node: Node;
  required: boolean;
}

export interface ObjectNode extends Common {
  kind: "object";
  fields: Field[];
  /** Members beyond the fields: null if none may be added by hand. */
  rest: Node | null;
  minProperties?: number;
}

export interface Branch {
  label: string;
  node: Node;
}

/** anyOf / oneOf: the person picks one. */
export interface UnionNode extends Common {
  kind: "union";
  branches: Branch[];
}

/** No control fits: a JSON box, with the reason. */
export interface RawNode extends Common {
  kind: "raw";
  reason: string;
}

export type Node =
  | StringNode
  | NumberNode
  | BooleanNode
  | ChoiceNode
  | ChoicesNode
  | ListNode
  | TupleNode
  | ObjectNode
  | UnionNode
  | RawNode;
