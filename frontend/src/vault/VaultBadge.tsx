import { KeyRound } from "lucide-react";
import { useActions, useAppState } from "../state";
import { Button } from "../ui";
import { badgeOf } from "./words";
import "./vault.css";

/** Stays in sight for as long as secrets are not kept. */
export function VaultBadge() {
  const actions = useActions();
  const vault = useAppState((state) => state.vault);
  const text = badgeOf(vault);
  if (text === "") return null;
  const locked = vault.state === "locked";
  return (
    <div className="vault-badge">
      <KeyRound size={13} aria-hidden="true" />
      <span className="grow" title={`${vault.detail} ${vault.hint}`}>
        {text}
      </span>
      <Button
        size="small"
        tone="quiet"
        aria-label={locked ? "Unlock the stored secrets" : "What to do about stored secrets"}
        onPress={() => actions.openDialog({ kind: locked ? "unlock" : "settings" })}
      >
        {locked ? "Unlock" : "Details"}
      </Button>
    </div>
  );
}
