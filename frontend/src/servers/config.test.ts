import { describe, expect, it } from "vitest";
import { argsToText, checkConfig, emptyConfig, messagesByField, msToText, textToArgs, textToMs, tidy } from "./config";

describe("arguments as lines", () => {
  it.each([[[]], [["a"]], [["-y", "with space", ""]], [["", "after an empty one"]]])(
    "%j come back as they were",
    (args) => {
      expect(textToArgs(argsToText(args))).toEqual(args.length === 1 && args[0] === "" ? [] : args);
    },
  );
});

describe("a time limit", () => {
  it.each([
    ["", 0],
    ["30", 30_000],
    ["0.5", 500],
    ["0", undefined],
    ["-1", undefined],
    ["soon", undefined],
  ])("of %j is %j milliseconds", (text, ms) => expect(textToMs(text)).toBe(ms));

  it("is empty for the default", () => expect([msToText(0), msToText(1500)]).toEqual(["", "1.5"]));
});

describe("tidying", () => {
  const headers = [{ name: "A", value: "", secret: true, hasValue: true }];
  it("drops what belongs to the other transport", () => {
    const both = { ...emptyConfig, name: " x ", url: "https://a.example ", command: "c", args: ["d", ""], headers };
    expect(tidy({ ...both, transport: "stdio" })).toMatchObject({
      name: "x",
      url: "",
      headers: [],
      command: "c",
      args: ["d"],
    });
    expect(tidy(both)).toMatchObject({ url: "https://a.example", command: "", args: [], headers });
  });

  it("keeps an empty argument between others", () => {
    expect(tidy({ ...emptyConfig, transport: "stdio", args: ["a", "", "b"] }).args).toEqual(["a", "", "b"]);
  });

  it("keeps a stored secret that was not typed again", () =>
    expect(tidy({ ...emptyConfig, headers }).headers).toEqual(headers));
});

describe("checking before saving", () => {
  const pointers = (change: Partial<typeof emptyConfig>) =>
    checkConfig({ ...emptyConfig, name: "x", url: "https://a.example", ...change }).map((error) => error.pointer);
  it.each<[string, Partial<typeof emptyConfig>, string[]]>([
    ["nothing wrong", {}, []],
    ["no name", { name: " " }, ["/name"]],
    ["no URL", { url: "" }, ["/url"]],
    ["half a URL", { url: "a.example/mcp" }, ["/url"]],
    ["another scheme", { url: "file:///etc/passwd" }, ["/url"]],
    ["no command", { transport: "stdio" }, ["/command"]],
    ["a header without a name", { headers: [{ name: "", value: "v", secret: false, hasValue: true }] }, ["/headers"]],
    ["a built-in server", { transport: "builtin", url: "" }, []],
  ])("%s", (_name, change, expected) => expect(pointers(change)).toEqual(expected));
});

describe("messages of a failure", () => {
  it("stand at their field, and the rest above all fields", () => {
    const fields = [
      { pointer: "/headers/1/name", message: "Not a token." },
      { pointer: "/other", message: "Unknown." },
    ];
    const failure = { code: "invalid_input", message: "", hint: "", fields };
    expect(messagesByField(failure, ["/url", "/headers"])).toEqual({ "/headers": "Not a token.", "": "Unknown." });
  });
});
