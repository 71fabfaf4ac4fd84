import { X } from "lucide-react";
import { argumentSummary } from "../history/outcome";
import { type CallKind, useActions, useAppState } from "../state";
import { IconButton } from "../ui";
import "./saved.css";

/** The calls of one tool that are kept under a name: a click fills the form. */
export function SavedCalls({ serverId, kind, name }: { serverId: string; kind: CallKind; name: string }) {
  const actions = useActions();
  const all = useAppState((state) => state.saved);
  const saved = all.filter((one) => one.serverId === serverId && one.kind === kind && one.item === name);
  if (saved.length === 0) return null;
  return (
    <section className="saved-calls small" aria-label="Saved calls">
      <h3>Saved calls</h3>
      <ul>
        {saved.map((one) => (
          <li key={one.name}>
            <button type="button" className="saved-call" onClick={() => actions.openSaved(one)}>
              <span className="saved-name clip">{one.name}</span>
              <span className="grow clip t2">{argumentSummary(one.arguments)}</span>
            </button>
            <IconButton label={`Remove ${one.name}`} size="small" onPress={() => void actions.deleteSaved(one.name)}>
              <X size={13} aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
