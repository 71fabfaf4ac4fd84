import { describe, expect, it } from "vitest";
import { BackendError, failureOf } from "./backend";

describe("a failure", () => {
  it("is read from the JSON text that a bound method rejects with", () => {
    const text = JSON.stringify({ code: "exited", message: "It ended.", hint: "Read.", exitCode: 3 });
    expect(failureOf(new Error(text))).toEqual({ code: "exited", message: "It ended.", hint: "Read.", exitCode: 3 });
    expect(failureOf(text)).toMatchObject({ code: "exited" });
  });

  it("of another shape keeps its words", () => {
    expect(failureOf(new Error("boom"))).toMatchObject({ code: "internal", message: "boom" });
    expect(failureOf("[1]")).toMatchObject({ message: "[1]" });
    expect(failureOf(null).message).toBe("null");
    expect(failureOf("").message).not.toBe("");
  });

  it("passes through unchanged", () => {
    const failure = { code: "x", message: "m", hint: "h" };
    expect(failureOf(new BackendError(failure))).toBe(failure);
  });
});
