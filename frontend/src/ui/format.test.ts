import { describe, expect, it } from "vitest";
import { formatBytes, formatDuration, formatWhen } from "./format";
import { visibleText } from "./visible";

describe("durations", () => {
  it.each([
    [0.4, "< 1 ms"],
    [212.4, "212 ms"],
    [1400, "1.4 s"],
    [2000, "2 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [-1, ""],
    [Number.NaN, ""],
  ])("of %d ms", (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe("sizes", () => {
  it.each([
    [0, "0 B"],
    [58, "58 B"],
    [1234, "1.2 kB"],
    [999_990, "1 MB"],
    [10_485_760, "10.5 MB"],
    [-1, ""],
  ])("of %d bytes", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe("moments", () => {
  const now = new Date(2026, 10, 30, 9, 41);
  it.each([
    [new Date(2026, 10, 30, 9, 40, 30), "now"],
    [new Date(2026, 10, 30, 9, 12), "09:12"],
    [new Date(2026, 10, 29, 23, 59), "yesterday"],
    [new Date(2026, 10, 3), "3 Nov"],
    [new Date(2025, 10, 3), "3 Nov 2025"],
  ])("%s", (time, text) => expect(formatWhen(time.toISOString(), now)).toBe(text));

  it("that are not times are empty", () => expect(formatWhen("", now)).toBe(""));
});

describe("text from outside", () => {
  it("shows characters that hide or turn what is written", () => {
    expect(visibleText("rm \u202e-rf\u0007 a\u200bb")).toBe("rm ⟨U+202E⟩-rf⟨U+0007⟩ a⟨U+200B⟩b");
  });
  it("keeps lines and other scripts", () => expect(visibleText("a\n\tб 漢")).toBe("a\n\tб 漢"));
});
