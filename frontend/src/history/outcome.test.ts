import { describe, expect, it } from "vitest";
import { argumentSummary } from "./outcome";

describe("arguments in a line", () => {
  it.each([
    ['{"project":"web","title":"Search forgets","labels":["bug","search"]}', "web · “Search forgets” · bug, search"],
    ['{"items":[{"sku":"a"},{"sku":"b"}],"note":null}', "2 items · null"],
    ["{}", "no arguments"],
    ["", "no arguments"],
    ["{broken", "{broken"],
    ["[1]", "1"],
  ])("%s", (text, summary) => expect(argumentSummary(text)).toBe(summary));
});
