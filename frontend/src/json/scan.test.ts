import { describe, expect, it } from "vitest";
import { checkJson, formatJson, memberText } from "./scan";
import { equalJson, parseJson, parseNumber, stringifyJson, toPlain } from "./value";

describe("formatJson", () => {
  it.each([
    [
      "keeps digits beyond a double",
      '{"id":9007199254740993,"f":1.50,"big":1e999}',
      '{\n  "id": 9007199254740993,\n  "f": 1.50,\n  "big": 1e999\n}',
    ],
    ["keeps short arrays of scalars on one line", '{"labels":["bug","search"]}', '{\n  "labels": ["bug", "search"]\n}'],
    ["breaks arrays of objects", '[{"a":1},{}]', '[\n  {\n    "a": 1\n  },\n  {}\n]'],
    ["keeps empty brackets closed", '{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
    ["keeps escapes as they were sent", '{"a":"\\u00e9\\/"}', '{\n  "a": "\\u00e9\\/"\n}'],
    ["breaks nested arrays", "[[1,2],[3]]", "[\n  [1, 2],\n  [3]\n]"],
    ["leaves text that is not JSON alone", "{oops", "{oops"],
    ["handles a scalar document", " 12 ", "12"],
  ])("%s", (_, input, output) => expect(formatJson(input)).toBe(output));

  it("survives a hundred thousand brackets", () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    expect(checkJson(deep)).toBeUndefined();
    expect(formatJson(deep).length).toBeGreaterThan(200_000);
  });

  it("breaks long arrays of scalars", () => {
    const text = JSON.stringify(Array.from({ length: 40 }, (_, i) => i));
    expect(formatJson(text).split("\n")).toHaveLength(42);
  });
});

describe("checkJson", () => {
  it.each([
    ["", "There is no JSON here yet."],
    ['{"a": 1', 'The text ends too early: "," or the closing bracket is missing.'],
    ['{"a": 1,}', "This is not JSON at line 1, column 9: a name in double quotes is expected there."],
    ["{\n  a: 1}", 'This is not JSON at line 2, column 3: a name in double quotes or "}" is expected there.'],
    ["[1 2]", 'This is not JSON at line 1, column 4: "," or the closing bracket is expected there.'],
    ["{} x", "There is more text after the value, at line 1, column 4."],
    ["[01]", 'This is not JSON at line 1, column 3: "," or the closing bracket is expected there.'],
    ['["\\x"]', 'This is not JSON at line 1, column 3: a value or "]" is expected there.'],
    ["[1}", 'This is not JSON at line 1, column 3: "," or the closing bracket is expected there.'],
    ["NaN", "This is not JSON at line 1, column 1: a value is expected there."],
  ])("%j", (text, message) => expect(checkJson(text)?.message).toBe(message));

  it.each(['{"a":[1,{"b":null}]}', " true ", '"\\u0041"', "-0.5e+3"])("accepts %j", (text) =>
    expect(checkJson(text)).toBeUndefined(),
  );
});

describe("memberText", () => {
  const text =
    '{"content":[{"structuredContent":1}],"structuredContent" : {"n":9007199254740993,"a":[1]} ,"isError":false}';
  it("cuts a member out as it was sent", () =>
    expect(memberText(text, "structuredContent")).toBe('{"n":9007199254740993,"a":[1]}'));
  it("finds scalars", () => expect(memberText(text, "isError")).toBe("false"));
  it("does not look into nested objects", () => expect(memberText('{"a":{"b":1}}', "b")).toBeUndefined());
  it("finds escaped names", () => expect(memberText('{"\\u0061":[1,[2]]}', "a")).toBe("[1,[2]]"));
  it("takes the last of duplicates", () => expect(memberText('{"a":1,"a":2}', "a")).toBe("2"));
});

describe("values", () => {
  it("give their text back", () => {
    const text = '{"a":9007199254740993,"b":1.50,"c":[1,"x",null,true]}';
    expect(stringifyJson(parseJson(text))).toBe(text);
  });
  it.each([
    ["1.0", "1.0"],
    ["9007199254740993", "9007199254740993"],
    ["-3", "-3"],
    [" 7 ", "7"],
  ])("parseNumber keeps %j", (text, kept) => expect(String(parseNumber(text))).toBe(kept));
  it.each(["", "x", "1e", "0x10", "1,5", "NaN", "Infinity"])("parseNumber refuses %j", (text) =>
    expect(parseNumber(text)).toBeUndefined(),
  );
  it("compare large integers exactly", () => {
    expect(equalJson(parseJson("9007199254740993"), parseJson("9007199254740992"))).toBe(false);
    expect(equalJson(parseJson("1.0"), 1)).toBe(true);
  });
  it("keep a member named __proto__", () => {
    const plain = toPlain(parseJson('{"__proto__":{"a":1}}')) as object;
    expect(Object.keys(plain)).toEqual(["__proto__"]);
  });
});
