import { describe, expect, it } from "vitest";
import { readAddress } from "./address";
import { decodeBase64, readPromptResult, readResourceResult, readToolResult, shapeOf } from "./read";

describe("readToolResult", () => {
  it("keeps the digits of structured content", () => {
    expect(readToolResult('{"content":[],"structuredContent":{"id":9007199254740993}}')?.structured).toBe(
      '{"id":9007199254740993}',
    );
  });
  it("shows content of an unknown type as JSON, with its digits", () => {
    expect(readToolResult('{"content":[{"type":"video","n":9007199254740993}]}')?.blocks).toEqual([
      { kind: "unknown", type: "video", json: '{"type":"video","n":9007199254740993}' },
    ]);
  });
  it.each<[string, string, string]>([
    ["a text without a text", '{"content":[{"type":"text"}]}', "unknown"],
    ["an image without data", '{"content":[{"type":"image","mimeType":"image/png"}]}', "unknown"],
    ["content that is one object, not a list", '{"content":{"type":"text","text":"x"}}', "text"],
    ["content that is a plain text", '{"content":["x"]}', "text"],
    ["a null among the content", '{"content":[null]}', "unknown"],
    ["a resource", '{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}}]}', "resource"],
    ["a link", '{"content":[{"type":"resource_link","uri":"a:b","name":"n"}]}', "link"],
  ])("reads %s", (_, text, kind) => expect(readToolResult(text)?.blocks.map((block) => block.kind)).toEqual([kind]));
  it("tells an absent structured content from a null one", () => {
    expect(readToolResult('{"content":[]}')?.structured).toBeUndefined();
    expect(readToolResult('{"content":[],"structuredContent":null}')?.structured).toBe("null");
  });
  it("keeps members that no specification names", () => {
    expect(readToolResult('{"toolResult":{"a":1},"content":[]}')?.further).toEqual([
      { name: "toolResult", json: '{"a":1}' },
    ]);
  });
  it.each(["", "[]", "12", "{oops", `${"[".repeat(50_000)}${"]".repeat(50_000)}`])(
    "gives up on what is no result object",
    (text) => expect(readToolResult(text)).toBeUndefined(),
  );
});

describe("readPromptResult", () => {
  it("reads one content and several of one message", () => {
    const read = readPromptResult(
      '{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]}',
    );
    expect(read?.messages.map(({ role, block }) => [role, block.kind === "text" && block.text])).toEqual([
      ["user", "a"],
      ["assistant", "b"],
      ["assistant", "c"],
    ]);
  });
});

it("readResourceResult keeps an empty text apart from no text", () => {
  expect(readResourceResult('{"contents":[{"uri":"a:b","text":""},{"uri":"a:c"}]}')?.map((item) => item.text)).toEqual([
    "",
    undefined,
  ]);
});

describe("decodeBase64", () => {
  it.each(["SGk=", "SGk", "SG k=\n"])("takes %j", (text) => expect([...(decodeBase64(text) ?? [])]).toEqual([72, 105]));
  it("takes the URL-safe alphabet", () => expect([...(decodeBase64("-_8=") ?? [])]).toEqual([251, 255]));
  it("refuses what is none", () => expect(decodeBase64("%%%")).toBeUndefined());
});

describe("shapeOf", () => {
  it.each<[string, string, string]>([
    ["just words", "", "plain"],
    ['{"a":1}', "", "json"],
    ["{not json}", "", "plain"],
    ["# Title\n\ntext", "", "markdown"],
    ["words", "text/markdown", "markdown"],
    ["3 * 4 ** 2", "", "plain"],
  ])("%j %s", (text, type, shape) => expect(shapeOf(text, type)).toBe(shape));
});

describe("readAddress", () => {
  it("makes the host stand out", () => {
    const { before, host, after, warnings, opens } = readAddress("https://mcp.example.com/a?b=1");
    expect([before, host, after]).toEqual(["https://", "mcp.example.com", "/a?b=1"]);
    expect(warnings).toEqual([]);
    expect(opens).toBe(true);
  });
  it.each<[string, string, RegExp, boolean]>([
    ["another script", "https://аpple.com/", /real name is xn--/, true],
    ["a user name that looks like a host", "https://bank.example@evil.example/", /leads to evil\.example/, true],
    ["an unencrypted address", "http://example.com/", /not encrypted/, false],
    ["a script", "javascript:alert(1)", /do not open/, false],
    ["a file", "file:///etc/passwd", /do not open/, false],
    ["no address", "nonsense", /not a complete address/, false],
    ["characters that hide", "https://example.com/\u202egpj.exe", /cannot be seen/, true],
  ])("warns of %s", (_, url, warning, opens) => {
    const address = readAddress(url);
    expect(address.warnings.join(" ")).toMatch(warning);
    expect(address.opens).toBe(opens);
  });
  it("finds the host behind a user name", () =>
    expect(readAddress("https://evil.example@good.example/").host).toBe("good.example"));
  it("opens loopback without encryption", () => expect(readAddress("http://127.0.0.1:8080/x").opens).toBe(true));
});
