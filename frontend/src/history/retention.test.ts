import { expect, it } from "vitest";
import { parseRetention } from "./retention";

it("takes whole numbers from 0 only, so that nothing half-typed deletes calls", () => {
  expect(parseRetention({ calls: "2000", days: "0", megabytes: " 5 " })).toEqual({
    calls: 2000,
    days: 0,
    megabytes: 5,
  });
  for (const days of ["", "-1", "1.5", "1e3", "x", "9999999999"]) {
    expect(parseRetention({ calls: "1", days, megabytes: "1" })).toBeUndefined();
  }
});
