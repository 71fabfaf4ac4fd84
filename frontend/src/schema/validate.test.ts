import { describe, expect, it } from "vitest";
import { type Json, parseJson, Unparsed } from "../json/value";
import type { Schema } from "./node";
import { normalise } from "./normalise";
import { createValidate, isSafePattern, type Picks } from "./validate";

function faults(schema: Schema, value: unknown, picks?: Picks): string[] {
  return createValidate(normalise(schema), schema)(value as Json, picks).map(
    (error) => `${error.pointer}: ${error.message}`,
  );
}

const f = (schema: object): Schema => ({ type: "object", properties: { f: schema } });

describe("validate says what is wrong, where it is", () => {
  it.each<[string, Schema, unknown, string[]]>([
    [
      "above the maximum",
      f({ type: "integer", minimum: 1, maximum: 13 }),
      { f: 21 },
      ["/f: 21 is more than the maximum, 13."],
    ],
    ["below the minimum", f({ type: "integer", minimum: 1 }), { f: 0 }, ["/f: 0 is less than the minimum, 1."]],
    ["at an exclusive bound", f({ type: "number", exclusiveMinimum: 5 }), { f: 5 }, ["/f: 5 is not more than 5."]],
    ["a fraction", f({ type: "integer" }), { f: 1.5 }, ["/f: 1.5 is not a whole number."]],
    ["text in a number field", f({ type: "number" }), { f: "abc" }, ["/f: “abc” is not a number."]],
    ["steps", f({ type: "number", multipleOf: 0.1 }), { f: 0.35 }, ["/f: 0.35 is not a multiple of 0.1."]],
    [
      "too short",
      f({ type: "string", minLength: 3 }),
      { f: "a" },
      ["/f: At least 3 characters are needed; this has 1."],
    ],
    ["too long", f({ type: "string", maxLength: 2 }), { f: "abc" }, ["/f: At most 2 characters fit; this has 3."]],
    [
      "an e-mail address in the making",
      f({ type: "string", format: "email" }),
      { f: "ana@exam" },
      ["/f: This is not an e-mail address yet."],
    ],
    [
      "a date that does not exist",
      f({ type: "string", format: "date" }),
      { f: "2026-02-30" },
      ["/f: This is not a date such as 2026-12-04."],
    ],
    [
      "a pattern",
      f({ type: "string", pattern: "^[a-z]+$" }),
      { f: "A1" },
      ["/f: This does not match the pattern ^[a-z]+$"],
    ],
    ["not a choice", f({ enum: ["a", "b"] }), { f: "c" }, ["/f: “c” is not one of the choices."]],
    [
      "a missing field",
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      {},
      ["/a: This is required."],
    ],
    [
      "a missing field inside",
      f({ type: "object", required: ["g"], properties: { g: { type: "string" } } }),
      { f: {} },
      ["/f/g: This is required."],
    ],
    ["an item", f({ type: "array", items: { type: "integer" } }), { f: [1, "x"] }, ["/f/1: “x” is not a number."]],
    [
      "too few items",
      f({ type: "array", items: {}, minItems: 2 }),
      { f: [1] },
      ["/f: At least 2 items are needed; there is 1."],
    ],
    [
      "repeated items",
      f({ type: "array", items: { type: "string" }, uniqueItems: true }),
      { f: ["a", "b", "a"] },
      ["/f: The items must differ: item 3 repeats item 1."],
    ],
    [
      "a fixed list that is short",
      f({ prefixItems: [{ type: "number" }, { type: "number" }] }),
      { f: [1] },
      ["/f: At least 2 items are needed; there is 1."],
    ],
    [
      "a pointer with slashes",
      { type: "object", properties: { "a/b~c": { type: "number" } } },
      { "a/b~c": "x" },
      ["/a~1b~0c: “x” is not a number."],
    ],
    [
      "JSON that is not finished",
      f({}),
      { f: new Unparsed("{", "The text ends too early.") },
      ["/f: The text ends too early."],
    ],
    [
      "dependentRequired",
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, dependentRequired: { a: ["b"] } },
      { a: "x" },
      [': With "a", "b" is required too.'],
    ],
    [
      "members that are not allowed",
      { type: "object", properties: {}, additionalProperties: false },
      { x: 1 },
      ["/x: The schema does not allow this."],
    ],
  ])("%s", (_, schema, value, expected) => expect(faults(schema, value)).toEqual(expected));

  it.each<[string, Schema, unknown]>([
    ["null where it is a value", f({ type: ["string", "null"], minLength: 3 }), { f: null }],
    ["a large integer", f({ type: "integer" }), parseJson('{"f":9007199254740993}')],
    ["1.0 as an integer", f({ type: "integer" }), parseJson('{"f":1.0}')],
    ["an unknown format", f({ type: "string", format: "color" }), { f: "x" }],
    ["enumNames", f({ type: "string", enum: ["a"], enumNames: ["A"] }), { f: "a" }],
    ["an optional field that is not sent", f({ type: "string", minLength: 3 }), {}],
    ["properties as PHP's empty list", { type: "object", properties: [] } as unknown as Schema, {}],
    ["a pattern of another dialect", f({ type: "string", pattern: "(?i)^a" }), { f: "A" }],
    ["characters outside the basic plane", f({ type: "string", maxLength: 1 }), { f: "🧷" }],
    ["a reference this engine cannot follow", f({ $ref: "https://example.com/x" }), { f: 1 }],
    ["a loopback address", f({ type: "string", format: "uri" }), { f: "http://127.0.0.1:8080/" }],
  ])("accepts %s", (_, schema, value) => expect(faults(schema, value)).toEqual([]));

  const payment: Schema = f({
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "card" }, number: { type: "string", minLength: 4 } },
        required: ["kind", "number"],
      },
      {
        type: "object",
        properties: { kind: { const: "transfer" }, iban: { type: "string" } },
        required: ["kind", "iban"],
      },
    ],
  });
  it("lets only the branch speak that the value belongs to", () => {
    expect(faults(payment, { f: { kind: "transfer" } })).toEqual(["/f/iban: This is required."]);
    expect(faults(payment, { f: { kind: "card", number: "1" } })).toEqual([
      "/f/number: At least 4 characters are needed; this has 1.",
    ]);
  });
  it("lets the picked branch speak before anything is filled in", () => {
    expect(faults(payment, { f: {} }, { "/f": 1 })).toEqual([
      "/f/kind: This is required.",
      "/f/iban: This is required.",
    ]);
  });
});

describe("patterns that could hang the window", () => {
  it.each(["(a+)+$", "(a*)*b", "([a-z]+)*$", "(x{1,9}){3,}"])("%s is left to the back end", (pattern) =>
    expect(isSafePattern(pattern)).toBe(false),
  );
  it.each(["^[a-z]+$", "^(ab)+$", "^\\d{3}-\\d{4}$"])("%s is checked", (pattern) =>
    expect(isSafePattern(pattern)).toBe(true),
  );
  it("does not hang", () => {
    const schema = f({ type: "string", pattern: "^(a+)+$" });
    expect(faults(schema, { f: `${"a".repeat(60)}!` })).toEqual([]);
  });
});
