import { describe, expect, it } from "vitest";
import { parseJson } from "../json/value";
import { hint } from "./hints";
import { initialValue } from "./initial";
import type { Node, ObjectNode } from "./node";
import { normalise } from "./normalise";

/** A short notation of a node, to compare trees at a glance. */
function sketch(node: Node): string {
  const tail = node.nullable ? "?" : "";
  switch (node.kind) {
    case "choice":
    case "choices":
      return `${node.kind}(${node.options.map((o) => o.label).join("|")})${tail}`;
    case "list":
      return `list(${sketch(node.item)})${tail}`;
    case "tuple":
      return `tuple(${node.items.map(sketch).join(",")}${node.rest ? `,…${sketch(node.rest)}` : ""})${tail}`;
    case "object":
      return `{${node.fields.map((f) => `${f.name}${f.required ? "!" : ""}:${sketch(f.node)}`).join(" ")}${node.rest ? ` …${sketch(node.rest)}` : ""}}${tail}`;
    case "union":
      return `union(${node.branches.map((b) => `${b.label}=${sketch(b.node)}`).join(" | ")})${tail}`;
    case "number":
      return (node.integer ? "integer" : "number") + tail;
    case "string":
      return (node.format ?? "string") + tail;
    default:
      return node.kind + tail;
  }
}

const field = (schema: unknown) => ({ type: "object", properties: { f: schema } });

describe("normalise", () => {
  it.each<[string, unknown, string]>([
    ["plain types", field({ type: "string", format: "email" }), "{f:email}"],
    ["a type inferred from const", field({ const: 3 }), "{f:choice(3)}"],
    ["a type inferred from enum", field({ enum: ["a", 1, true] }), "{f:choice(a|1|true)}"],
    ["a type inferred from bounds", field({ minimum: 1 }), "{f:number}"],
    ["a type inferred from properties", { properties: { a: { type: "string" } } }, "{a:string}"],
    ["a type inferred from a default", field({ default: "x" }), "{f:string}"],
    ["null beside a type in a list", field({ type: ["string", "null"] }), "{f:string?}"],
    ["several types", field({ type: ["string", "integer"] }), "{f:union(text=string | integer=integer)}"],
    ["a nullable anyOf", field({ anyOf: [{ type: "integer" }, { type: "null" }] }), "{f:integer?}"],
    ["a nullable enum in anyOf", field({ anyOf: [{ enum: ["a", "b"] }, { type: "null" }] }), "{f:choice(a|b)?}"],
    ["null inside an enum", field({ enum: ["a", null] }), "{f:choice(a)?}"],
    ["OpenAPI nullable", field({ type: "string", nullable: true }), "{f:string?}"],
    ["only null", field({ type: "null" }), "{f:choice(null)}"],
    [
      "titled constants without a type",
      field({
        oneOf: [
          { const: "r", title: "Red" },
          { const: "g", title: "Green" },
        ],
      }),
      "{f:choice(Red|Green)}",
    ],
    ["enumNames", field({ type: "string", enum: ["a", "b"], enumNames: ["Apple", "Bean"] }), "{f:choice(Apple|Bean)}"],
    [
      "several of titled constants",
      field({
        type: "array",
        items: {
          anyOf: [
            { const: "r", title: "Red" },
            { const: "g", title: "Green" },
          ],
        },
      }),
      "{f:choices(Red|Green)}",
    ],
    [
      "several of an enum",
      field({ type: "array", uniqueItems: true, items: { enum: ["a", "b"] } }),
      "{f:choices(a|b)}",
    ],
    ["a list", field({ type: "array", items: { type: "string" } }), "{f:list(string)}"],
    ["a list without items", field({ type: "array" }), "{f:list(raw)}"],
    [
      "prefixItems",
      field({ type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false }),
      "{f:tuple(number,string)}",
    ],
    [
      "prefixItems with more after them",
      field({ prefixItems: [{ type: "number" }], items: { type: "boolean" } }),
      "{f:tuple(number,…boolean)}",
    ],
    ["draft-07 fixed items", field({ type: "array", items: [{ type: "number" }] }), "{f:tuple(number)}"],
    [
      "nested objects",
      field({ type: "object", properties: { g: { type: "boolean" } }, required: ["g"] }),
      "{f:{g!:boolean}}",
    ],
    ["a map", field({ type: "object", additionalProperties: { type: "number" } }), "{f:{ …number}}"],
    ["an open object", field({ type: "object" }), "{f:{ …raw}}"],
    ["properties as PHP's empty list", { type: "object", properties: [] }, "{}"],
    ["a schema that says nothing", {}, "{ …raw}"],
    ["boolean schemas", { type: "object", properties: { a: true, b: false } }, "{a:raw b:raw}"],
    [
      "a $ref",
      {
        type: "object",
        properties: { a: { $ref: "#/$defs/d" }, b: { $ref: "#/$defs/d" } },
        $defs: { d: { type: "string", format: "date" } },
      },
      "{a:date b:date}",
    ],
    [
      "a $ref into properties, as Zod writes it",
      { type: "object", properties: { a: { type: "string", format: "date" }, b: { $ref: "#/properties/a" } } },
      "{a:date b:date}",
    ],
    [
      "draft-07 definitions",
      { type: "object", properties: { a: { $ref: "#/definitions/d" } }, definitions: { d: { enum: [1, 2] } } },
      "{a:choice(1|2)}",
    ],
    [
      "an $anchor",
      { type: "object", properties: { a: { $ref: "#x" } }, $defs: { d: { $anchor: "x", type: "boolean" } } },
      "{a:boolean}",
    ],
    [
      "a $ref at the root",
      { $ref: "#/$defs/d", $defs: { d: { type: "object", properties: { a: { type: "string" } } } } },
      "{a:string}",
    ],
    [
      "a circular $ref",
      {
        $ref: "#/$defs/t",
        $defs: {
          t: {
            type: "object",
            properties: { v: { type: "string" }, kids: { type: "array", items: { $ref: "#/$defs/t" } } },
          },
        },
      },
      "{v:string kids:list(raw)}",
    ],
    ["a $ref to itself", { type: "object", properties: { a: { $ref: "#/properties/a" } } }, "{a:raw}"],
    ["a $ref to nowhere", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }, "{a:raw}"],
    ["a foreign $ref", { type: "object", properties: { a: { $ref: "https://example.com/schema" } } }, "{a:raw}"],
    [
      "allOf",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "number" } } },
        ],
      },
      "{a!:string b:number}",
    ],
    ["allOf around one $ref", field({ allOf: [{ $ref: "#/$defs/d" }] }), "{f:raw}"],
    [
      "anyOf at the root",
      {
        type: "object",
        anyOf: [
          { properties: { a: { type: "string" } }, required: ["a"] },
          { title: "By id", properties: { id: { type: "integer" } } },
        ],
      },
      "union(with a={a!:string} | By id={id:integer})",
    ],
    [
      "shared members beside a union",
      {
        type: "object",
        properties: { s: { type: "string" } },
        oneOf: [{ properties: { k: { const: "x" } } }, { properties: { k: { const: "y" } } }],
      },
      "union(x={s:string k:choice(x)} | y={s:string k:choice(y)})",
    ],
    [
      "anyOf that only requires",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      "{a:string b:string}",
    ],
    [
      "object unions with a discriminator",
      field({
        oneOf: [
          { type: "object", properties: { kind: { const: "card" }, n: { type: "string" } } },
          { type: "object", properties: { kind: { const: "cash" } } },
        ],
      }),
      "{f:union(card={kind:choice(card) n:string} | cash={kind:choice(cash)})}",
    ],
    [
      "branches of the same shape",
      field({
        anyOf: [
          { type: "string", format: "date" },
          { type: "string", format: "time" },
        ],
      }),
      "{f:union(text 1=date | text 2=time)}",
    ],
    ["required but not described", { type: "object", required: ["x"] }, "{x!:raw}"],
    [
      "a member named __proto__",
      parseJson('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
      "{__proto__:string}",
    ],
    ["a type that does not exist", field({ type: "strnig" }), "{f:raw}"],
    ["enum that is empty", field({ type: "string", enum: [] }), "{f:string}"],
    ["oneOf that is empty", field({ type: "string", oneOf: [] }), "{f:string}"],
  ])("%s", (_, schema, expected) => expect(sketch(normalise(schema))).toBe(expected));

  it.each([null, undefined, 3, "x", []])("shows %j as JSON", (schema) => expect(normalise(schema).kind).toBe("raw"));

  it("stops at a depth that no form can show", () => {
    let schema: unknown = { type: "string" };
    for (let i = 0; i < 50; i++) schema = { type: "object", properties: { a: schema } };
    expect(sketch(normalise(schema))).toMatch(/^(\{a:){9}raw\}{9}$/);
  });

  it("stops at a size that would freeze the window", () => {
    const properties = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, { type: "string" }]));
    const node = normalise({ type: "object", properties }) as ObjectNode;
    expect(node.fields).toHaveLength(5000);
    expect(node.fields[4999]?.node).toEqual({ kind: "raw", reason: "The schema is too large for a form." });
  });

  it("survives $refs that multiply", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let i = 1; i < 30; i++)
      $defs[`d${i}`] = {
        type: "object",
        properties: { a: { $ref: `#/$defs/d${i - 1}` }, b: { $ref: `#/$defs/d${i - 1}` } },
      };
    expect(normalise({ $ref: "#/$defs/d29", $defs }).kind).toBe("object");
  });
});

describe("initialValue", () => {
  it.each<[string, unknown, unknown]>([
    [
      "leaves optional fields out",
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "array" }, c: { type: "object" }, d: { type: "boolean" } },
      },
      {},
    ],
    [
      "fills in defaults",
      { type: "object", properties: { a: { type: "integer", default: 3 }, b: { enum: ["x"], default: "x" } } },
      { a: 3, b: "x" },
    ],
    [
      "fills in constants that are required",
      { type: "object", properties: { k: { const: "card" } }, required: ["k"] },
      { k: "card" },
    ],
    [
      "builds required objects",
      { type: "object", required: ["o"], properties: { o: { type: "object", properties: { d: { default: 1 } } } } },
      { o: { d: 1 } },
    ],
    [
      "starts required booleans at no and lists empty",
      {
        type: "object",
        required: ["b", "l"],
        properties: { b: { type: "boolean" }, l: { type: "array", items: { type: "string" } } },
      },
      { b: false, l: [] },
    ],
    [
      "leaves required texts to the person",
      { type: "object", required: ["s"], properties: { s: { type: "string" } } },
      {},
    ],
    [
      "keeps null as a default",
      { type: "object", properties: { a: { type: ["string", "null"], default: null } } },
      { a: null },
    ],
  ])("%s", (_, schema, expected) => expect(initialValue(normalise(schema), true)).toEqual(expected));
});

describe("hint", () => {
  it.each<[string, unknown, boolean, string]>([
    ["text", { type: "string", maxLength: 120 }, true, "required · at most 120"],
    ["number", { type: "number", minimum: 1, maximum: 13 }, false, "number, 1 to 13"],
    ["integer", { type: "integer", minimum: 0 }, false, "integer, 0 or more"],
    ["choice", { enum: ["a", "b"] }, false, "one of"],
    ["list", { type: "array", items: { type: "string" } }, false, "list of texts"],
    ["e-mail", { type: "string", format: "email" }, true, "required"],
  ])("%s", (_, schema, required, words) => expect(hint(normalise(schema), required)).toBe(words));
});
