import { RetentionSettings } from "../history/RetentionSettings";
import { useActions, useAppState } from "../state";
import { Dialog, Segmented } from "../ui";
import { VaultSettings } from "../vault/VaultSettings";

const themes = [
  { key: "system", label: "As the system" },
  { key: "light", label: "Light" },
  { key: "dark", label: "Dark" },
] as const;
const densities = [
  { key: "compact", label: "Compact" },
  { key: "comfortable", label: "Comfortable" },
] as const;
const askWindows = [
  { key: "window", label: "Own window" },
  { key: "inline", label: "Inbox" },
  { key: "quiet", label: "Do not disturb" },
] as const;

/** Every change is stored at once; there is nothing to confirm. */
export function SettingsDialog() {
  const actions = useActions();
  const settings = useAppState((state) => state.settings);
  const about = useAppState((state) => state.about);
  const save = (change: Partial<typeof settings>) => void actions.saveSettings({ ...settings, ...change });
  const pick = <K extends string>(options: readonly { key: K }[], value: string): K =>
    options.find((option) => option.key === value)?.key ?? (options[0] as { key: K }).key;
  return (
    <Dialog title="Settings" width={520} onClose={() => actions.closeDialog()}>
      <div className="setting">
        <span>Colours</span>
        <Segmented
          label="Colours"
          value={pick(themes, settings.theme)}
          options={themes}
          onChange={(theme) => save({ theme })}
        />
      </div>
      <div className="setting">
        <span>Density of lists</span>
        <Segmented
          label="Density of lists"
          value={pick(densities, settings.density)}
          options={densities}
          onChange={(density) => save({ density })}
        />
      </div>
      <div className="setting">
        <span>
          Questions of servers
          <span className="field-hint block">The inbox lists and counts them in any case.</span>
        </span>
        <Segmented
          label="Questions of servers"
          value={pick(askWindows, settings.askWindow)}
          options={askWindows}
          onChange={(askWindow) => save({ askWindow })}
        />
      </div>
      <RetentionSettings />
      <VaultSettings />
      <dl className="facts-list about">
        <div>
          <dt>Version</dt>
          <dd className="selectable">{[about.version, about.platform].filter(Boolean).join(", ")}</dd>
        </div>
        <div>
          <dt>Data</dt>
          <dd className="mono selectable">{about.dataDir}</dd>
        </div>
      </dl>
    </Dialog>
  );
}
