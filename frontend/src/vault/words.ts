import type { api } from "../backend";

/** Whether what is entered now is there after a restart. */
export const keeps = (vault: api.Vault): boolean => vault.state === "open" || vault.state === "opening";

const badges: Record<string, string> = {
  session: "Sign-ins last for this run only",
  locked: "Stored secrets are locked",
  mismatch: "Stored secrets cannot be read",
  key_missing: "The key of stored secrets is missing",
  unavailable: "Stored secrets cannot be read now",
};

/** "" where there is nothing to say. */
export const badgeOf = (vault: api.Vault): string => badges[vault.state] ?? "";
