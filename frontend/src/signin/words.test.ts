import { describe, expect, it } from "vitest";
import type { api } from "../backend";
import {
  addressFault,
  countdown,
  deniedScopes,
  expiryWords,
  grantedSince,
  hasFailed,
  headline,
  isRunning,
} from "./words";

const now = Date.parse("2026-11-30T12:00:00Z");
const signIn = (state: string, deadline = ""): api.SignIn =>
  ({ id: "1", state, detail: "", startedAt: "2026-11-30T12:00:00Z", deadline }) as api.SignIn;

describe("an attempt", () => {
  it.each(["working", "confirm", "client", "waiting"])("runs while it is %s", (state) => {
    expect(isRunning(signIn(state))).toBe(true);
    expect(hasFailed(signIn(state))).toBe(false);
  });

  it.each(["failed", "cancelled"])("is over when it is %s", (state) => {
    expect(isRunning(signIn(state))).toBe(false);
    expect(hasFailed(signIn(state))).toBe(true);
  });

  it("counts down to its deadline, and never shows zero while it goes on", () => {
    expect(countdown("2026-11-30T12:09:41Z", now)).toBe("9:41 left");
    expect(countdown("2026-11-30T12:00:00.2Z", now)).toBe("0:01 left");
    expect(countdown("2026-11-30T11:59:00Z", now)).toBe("time is up");
    expect(countdown("", now)).toBe("");
    expect(headline(signIn("waiting", "2026-11-30T12:09:41Z"), now)).toBe("Waiting for your browser · 9:41 left");
    expect(headline(signIn("failed"), now)).toBe("Sign-in failed");
  });
});

describe("a pasted address", () => {
  it.each([
    ["", "Paste the whole address"],
    ["code=1", "not a whole address"],
    ["http://127.0.0.1:1/callback", "holds no answer"],
    ["http://127.0.0.1:1/callback?code=1", "cut off"],
  ])("%s is refused", (text, why) => {
    expect(addressFault(text)).toContain(why);
  });

  it.each(["jackfield://oauth/callback?code=1&state=2", " http://127.0.0.1:1/callback?error=x&state=2 "])(
    "%s may be right",
    (text) => {
      expect(addressFault(text)).toBe("");
    },
  );
});

describe("an account", () => {
  it("says when its token ends", () => {
    expect(expiryWords({ expiresAt: "2026-11-30T12:42:00Z", renews: true }, now)).toMatch(
      /^in 42 min.*renews by itself$/,
    );
    expect(expiryWords({ expiresAt: "2026-11-30T11:00:00Z", renews: false }, now)).toMatch(
      /ago.*then you sign in again$/,
    );
    expect(expiryWords({ expiresAt: "", renews: true }, now)).toBe("not said; renews by itself");
  });

  it("names the scopes that were not given", () => {
    expect(deniedScopes({ scopesRequested: ["a", "b"], scopesGranted: ["b"] })).toEqual(["a"]);
  });
});

describe("a call that lacked a right", () => {
  const server = (state: string, at: string) => ({ state, signIn: { ...signIn("done"), startedAt: at } }) as api.Server;

  it("can run again after a later sign-in only", () => {
    const call = { startedAt: "2026-11-30T12:00:00Z" };
    expect(grantedSince(server("ready", "2026-11-30T12:01:00Z"), call)).toBe(true);
    expect(grantedSince(server("ready", "2026-11-30T11:59:00Z"), call)).toBe(false);
    expect(grantedSince(server("authenticating", "2026-11-30T12:01:00Z"), call)).toBe(false);
  });
});
