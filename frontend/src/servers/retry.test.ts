import { describe, expect, it } from "vitest";
import { detailAt } from "./retry";

describe("the time to the next attempt", () => {
  const server = { detail: "Retry 2 of 3 in 4 s", retryAt: "2026-11-30T10:00:04.000Z" };
  const at = (time: string) => detailAt(server, Date.parse(`2026-11-30T10:00:${time}Z`));

  it("counts down", () => {
    expect([at("00.000"), at("01.500"), at("03.999")]).toEqual([
      "Retry 2 of 3 in 4 s",
      "Retry 2 of 3 in 3 s",
      "Retry 2 of 3 in 1 s",
    ]);
  });

  it("does not go below nothing", () => expect(at("09.000")).toBe("Retry 2 of 3 now"));

  it("leaves a sentence alone that is not about it", () => {
    expect(detailAt({ detail: "Discovery timed out after 30 s", retryAt: "" }, 0)).toBe(
      "Discovery timed out after 30 s",
    );
    expect(detailAt({ detail: "Connecting", retryAt: server.retryAt }, 0)).toBe("Connecting");
  });
});
