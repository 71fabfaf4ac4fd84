import { ChevronRight } from "lucide-react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import type { api } from "../backend";
import { Checkbox, Field, Select, TextField, visibleText } from "../ui";
import {
  argsToText,
  isBuiltin,
  isLocal,
  logLevelKey,
  logLevelOf,
  logLevels,
  msToText,
  textToArgs,
  textToMs,
} from "./config";
import { SignInFields } from "./SignInFields";
import { VariableList } from "./VariableList";

export interface ConfigFormProps {
  config: api.Config;
  onChange(config: api.Config): void;
  /** By JSON Pointer into the config. */
  errors: Record<string, string>;
}

const transports = [
  { key: "auto", label: "Remote, found out by itself" },
  { key: "streamable-http", label: "Remote, Streamable HTTP" },
  { key: "sse", label: "Remote, HTTP with SSE" },
  { key: "stdio", label: "Local program (stdio)" },
] as const;

const eras = [
  { key: "auto", label: "Found out by itself" },
  { key: "modern", label: "Modern, 2026-07-28" },
  { key: "legacy", label: "Legacy, up to 2025-11-25" },
] as const;

const attempts = [
  { key: "0", label: "3 times" },
  { key: "1", label: "Once, no retry" },
  { key: "5", label: "5 times" },
  { key: "10", label: "10 times" },
  { key: "-1", label: "For ever" },
] as const;

export function ConfigForm({ config, onChange, errors }: ConfigFormProps) {
  const set = (patch: Partial<api.Config>) => onChange({ ...config, ...patch });
  return (
    <div className="config-form">
      <div className="config-pair">
        <TextField label="Name" value={config.name} error={errors["/name"]} onChange={(name) => set({ name })} />
        {isBuiltin(config) ? null : (
          <Select
            label="Transport"
            value={config.transport as (typeof transports)[number]["key"]}
            options={transports}
            onChange={(transport) => set({ transport })}
          />
        )}
      </div>
      {isBuiltin(config) ? null : isLocal(config) ? (
        <LocalFields config={config} set={set} errors={errors} />
      ) : (
        <RemoteFields config={config} set={set} errors={errors} />
      )}
      {isBuiltin(config) || isLocal(config) ? null : (
        <SignInFields value={config.signIn} onChange={(signIn) => set({ signIn })} errors={errors} />
      )}
      <MoreFields config={config} set={set} errors={errors} />
    </div>
  );
}

interface PartProps {
  config: api.Config;
  set(patch: Partial<api.Config>): void;
  errors: Record<string, string>;
}

function RemoteFields({ config, set, errors }: PartProps) {
  return (
    <>
      <TextField
        label="URL"
        mono
        value={config.url}
        error={errors["/url"]}
        placeholder="https://mcp.example.com/mcp"
        onChange={(url) => set({ url })}
      />
      <VariableList
        title="Headers"
        noun="header"
        rows={config.headers}
        error={errors["/headers"]}
        onChange={(headers) => set({ headers })}
      />
    </>
  );
}

function LocalFields({ config, set, errors }: PartProps) {
  return (
    <>
      <TextField
        label="Command"
        mono
        value={config.command}
        error={errors["/command"]}
        placeholder="npx"
        onChange={(command) => set({ command })}
      />
      <TextField
        label="Arguments"
        note="one per line, never read by a shell"
        mono
        rows={Math.min(8, Math.max(3, config.args.length))}
        value={argsToText(config.args)}
        error={errors["/args"]}
        onChange={(text) => set({ args: textToArgs(text) })}
      />
      <Hidden texts={[config.command, ...config.args]} />
      <VariableList
        title="Environment"
        noun="variable"
        rows={config.env}
        error={errors["/env"]}
        onChange={(env) => set({ env })}
      />
      <TextField
        label="Working directory"
        note="optional"
        mono
        value={config.cwd}
        error={errors["/cwd"]}
        onChange={(cwd) => set({ cwd })}
      />
    </>
  );
}

/** Says what an input field cannot show: characters that hide or turn what a command does. */
function Hidden({ texts }: { texts: string[] }) {
  const marked = texts.map(visibleText).filter((text, index) => text !== texts[index]);
  if (marked.length === 0) return null;
  return (
    <p className="field-error">
      This command holds characters that cannot be seen: <span className="mono">{marked.join(" ")}</span>
    </p>
  );
}

function MoreFields({ config, set, errors }: PartProps) {
  const remote = !isLocal(config) && !isBuiltin(config);
  return (
    <Disclosure className="more">
      <Button slot="trigger" className="link more-trigger">
        <ChevronRight size={14} aria-hidden="true" />
        Folders, logs, retry, time limits and protocol
      </Button>
      <DisclosurePanel>
        <div className="config-form more-fields">
          <TextField
            label="Folders"
            note="one per line; the server is told of these and of no others"
            mono
            rows={Math.min(6, Math.max(2, (config.roots ?? []).length))}
            value={argsToText(config.roots ?? [])}
            error={errors["/roots"]}
            placeholder="/home/me/project"
            onChange={(text) => set({ roots: textToArgs(text) })}
          />
          <Select
            label="Logs of the server"
            value={logLevelKey(config.logLevel)}
            options={logLevels}
            onChange={(key) => set({ logLevel: logLevelOf(key) })}
          />
          {isBuiltin(config) ? null : (
            <div className="config-pair">
              <Select
                label="Protocol era"
                value={(config.era || "auto") as (typeof eras)[number]["key"]}
                options={eras}
                onChange={(era) => set({ era })}
              />
              <Select
                label="Attempts to connect"
                value={String(config.maxAttempts) as (typeof attempts)[number]["key"]}
                options={attemptOptions(config.maxAttempts)}
                onChange={(key) => set({ maxAttempts: Number(key) })}
              />
            </div>
          )}
          <div className="config-four">
            <Seconds
              label="Connect"
              fallback="30"
              ms={config.connectMs}
              error={errors["/connectMs"]}
              onChange={(connectMs) => set({ connectMs })}
            />
            <Seconds
              label="Load lists"
              fallback="30"
              ms={config.discoveryMs}
              error={errors["/discoveryMs"]}
              onChange={(discoveryMs) => set({ discoveryMs })}
            />
            <Seconds
              label="Call, silent"
              fallback="60"
              ms={config.callIdleMs}
              error={errors["/callIdleMs"]}
              onChange={(callIdleMs) => set({ callIdleMs })}
            />
            <Seconds
              label="Call, in all"
              fallback="600"
              ms={config.callTotalMs}
              error={errors["/callTotalMs"]}
              onChange={(callTotalMs) => set({ callTotalMs })}
            />
          </div>
          {remote ? (
            <Checkbox
              isSelected={config.trustLocalNetwork}
              onChange={(trustLocalNetwork) => set({ trustLocalNetwork })}
            >
              Trust the local network: this server may be at a private address
            </Checkbox>
          ) : null}
          <Checkbox isSelected={config.enabled} onChange={(enabled) => set({ enabled })}>
            Connect when Jackfield starts
          </Checkbox>
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}

function attemptOptions(current: number): { key: string; label: string }[] {
  const known: { key: string; label: string }[] = [...attempts];
  if (!known.some((option) => option.key === String(current))) {
    known.push({ key: String(current), label: `${current} times` });
  }
  return known;
}

interface SecondsProps {
  label: string;
  fallback: string;
  ms: number;
  error?: string;
  onChange(ms: number): void;
}

function Seconds({ label, fallback, ms, error, onChange }: SecondsProps) {
  return (
    <Field label={label} note="s" error={error}>
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          className="input"
          type="number"
          min="0.1"
          step="any"
          defaultValue={msToText(ms)}
          placeholder={fallback}
          onChange={(event) => {
            const value = textToMs(event.target.value);
            if (value !== undefined) onChange(value);
          }}
        />
      )}
    </Field>
  );
}
