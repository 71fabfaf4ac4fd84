/** The vault of the in-memory twin: its states and what moves it between them. */
import { type api, BackendError } from "../backend";

const facts: Record<string, [detail: string, hint: string]> = {
  opening: ["The keyring is being asked.", ""],
  open: ["The key is in the keyring of your system.", ""],
  session: ["There is no keyring on this system.", "Set a passphrase to keep sign-ins, or start a keyring and retry."],
  locked: ["The keyring is locked.", "Unlock it, then retry."],
  mismatch: ["The key in the keyring is not the one that the secrets were sealed with.", "Bring the old key back."],
  key_missing: ["The keyring no longer holds the key.", "Restore the keyring, or forget the secrets and begin anew."],
  unavailable: ["The keyring did not answer within 5 seconds.", "Retry; what is sealed stays as it is."],
};

export const vaultOf = (state: string, mode = "keyring"): api.Vault => {
  const [detail, hint] = facts[state] ?? ["", ""];
  const locked = state === "locked" && mode === "passphrase";
  return {
    state,
    mode,
    detail: locked ? "A passphrase protects the secrets." : detail,
    hint: locked ? "" : hint,
    sealed: state === "session" ? 0 : 4,
  };
};

export class MemoryVault {
  vault: api.Vault;
  #passphrase = "correct horse";

  constructor(vault: api.Vault) {
    this.vault = vault;
  }

  retry(): api.Vault {
    // What a keyring can bring back comes back; a missing or wrong key does not.
    const comesBack = ["locked", "unavailable", "opening"].includes(this.vault.state) && this.vault.mode === "keyring";
    if (comesBack) this.vault = vaultOf("open");
    return this.vault;
  }

  unlock(passphrase: string): api.Vault {
    if (passphrase !== this.#passphrase) fail("This is not the passphrase.", "Try again; nothing was changed.");
    this.vault = this.#open("passphrase");
    return this.vault;
  }

  setMode(mode: string, passphrase: string): api.Vault {
    if (mode === "passphrase" && passphrase.length < 8)
      fail("This passphrase is too short.", "Use 8 characters or more.");
    if (mode === "passphrase") this.#passphrase = passphrase;
    this.vault = this.#open(mode);
    return this.vault;
  }

  forget(): api.Vault {
    this.vault = { ...vaultOf("open"), sealed: 0 };
    return this.vault;
  }

  #open(mode: string): api.Vault {
    const detail = mode === "passphrase" ? "A passphrase protects the key." : vaultOf("open").detail;
    return { state: "open", mode, detail, hint: "", sealed: 4 };
  }
}

function fail(message: string, hint: string): never {
  throw new BackendError({ code: "invalid_input", message, hint });
}
