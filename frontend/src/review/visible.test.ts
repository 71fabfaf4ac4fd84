import { describe, expect, it } from "vitest";
import { asciiHost, pieces } from "./visible";

const shown = (text: string) =>
  pieces(text)
    .map((piece) => (piece.hidden ? `[${piece.text}]` : piece.text))
    .join("");

describe("pieces", () => {
  it("leaves a plain text whole", () => {
    expect(pieces("npx -y server")).toEqual([{ text: "npx -y server", hidden: false }]);
    expect(shown("größe 大 🎛")).toBe("größe 大 🎛");
  });

  it.each([
    ["a tab", "a\tb", "a[␉ tab]b"],
    ["a line break", "a\nb", "a[␊ line break]b"],
    ["a turned direction", "a\u202Eb", "a[U+202E]b"],
    ["a zero-width space", "a\u200Bb", "a[U+200B]b"],
    ["a soft hyphen", "a\u00ADb", "a[U+00AD]b"],
    ["a no-break space", "a\u00A0b", "a[U+00A0]b"],
    ["a Hangul filler", "a\u3164b", "a[U+3164]b"],
    ["another one", "a\u115Fb", "a[U+115F]b"],
    ["an empty Braille pattern", "a\u2800b", "a[U+2800]b"],
    ["a grapheme joiner", "a\u034Fb", "a[U+034F]b"],
    ["a variation selector", "a\uFE0Fb", "a[U+FE0F]b"],
    ["a tag character", "a\u{E0041}b", "a[U+E0041]b"],
    ["a lone surrogate", "a\uD800b", "a[U+D800]b"],
    ["a private character", "a\uE000b", "a[U+E000]b"],
    ["a leading space", " a", "[␣ space]a"],
    ["a trailing space", "a ", "a[␣ space]"],
    ["spaces in a row", "a   b", "a [␣ space][␣ space]b"],
  ])("names %s", (_, text, want) => {
    expect(shown(text)).toBe(want);
  });
});

describe("asciiHost", () => {
  it("names the host that only looks like another", () => {
    expect(asciiHost("https://mcp.we\u0430ther.example/mcp")).toMatch(/^mcp\.xn--wether-\w+\.example$/);
  });

  it("has nothing to say about a plain address, or none", () => {
    expect(asciiHost("https://mcp.example.com/")).toBe("");
    expect(asciiHost("nonsense")).toBe("");
  });
});
