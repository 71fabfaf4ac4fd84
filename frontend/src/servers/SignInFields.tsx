import { ChevronRight } from "lucide-react";
import { Button, Disclosure, DisclosurePanel } from "react-aria-components";
import type { api } from "../backend";
import { redirectKinds } from "../signin/words";
import { Checkbox, Select, TextField } from "../ui";

const modes = [
  { key: "auto", label: "When the server asks for it" },
  { key: "oauth", label: "Always; it replaces an Authorization header" },
  { key: "client-credentials", label: "By itself, without a person" },
  { key: "header", label: "Never: the headers say it all" },
] as const;

const methods = [
  { key: "auto", label: "As the authorization server wants" },
  { key: "none", label: "Without a secret" },
  { key: "client_secret_basic", label: "Secret in a header" },
  { key: "client_secret_post", label: "Secret in the body" },
  { key: "private_key_jwt", label: "Signed with a private key" },
] as const;

type Key<T extends readonly { key: string }[]> = T[number]["key"];

export interface SignInFieldsProps {
  value: api.SignInConfig;
  onChange(value: api.SignInConfig): void;
  /** By JSON Pointer into the config of the server. */
  errors: Record<string, string>;
}

/** How the requests to a server are authorized. Secrets can be entered here, never read. */
export function SignInFields({ value, onChange, errors }: SignInFieldsProps) {
  const set = (patch: Partial<api.SignInConfig>) => onChange({ ...value, ...patch });
  const error = (name: string) => errors[`/signIn/${name}`];
  return (
    <Disclosure className="more">
      <Button slot="trigger" className="link more-trigger">
        <ChevronRight size={14} aria-hidden="true" />
        Sign-in
      </Button>
      <DisclosurePanel>
        <div className="config-form more-fields">
          <div className="config-pair">
            <Select
              label="Sign in"
              value={(value.mode || "auto") as Key<typeof modes>}
              options={modes}
              onChange={(mode) => set({ mode })}
            />
            <Select
              label="The browser comes back by"
              value={(value.redirect || "auto") as Key<typeof redirectKinds>}
              options={redirectKinds}
              onChange={(key) => set({ redirect: key === "auto" ? "" : key })}
            />
          </div>
          <div className="config-pair">
            <TextField
              label="Client ID"
              note="only if you registered one yourself"
              mono
              value={value.clientId}
              error={error("clientId")}
              onChange={(clientId) => set({ clientId })}
            />
            <SecretField
              label="Client secret"
              stored={value.hasSecret}
              value={value.clientSecret}
              error={error("clientSecret")}
              onChange={(clientSecret) => set({ clientSecret })}
              onForget={() => set({ hasSecret: false, clientSecret: "" })}
            />
          </div>
          <div className="config-pair">
            <TextField
              label="Issuer"
              note="the secret goes to no other"
              mono
              value={value.issuer}
              error={error("issuer")}
              placeholder="https://login.example.com"
              onChange={(issuer) => set({ issuer })}
            />
            <Select
              label="The client proves itself"
              value={(value.authMethod || "auto") as Key<typeof methods>}
              options={methods}
              onChange={(key) => set({ authMethod: key === "auto" ? "" : key })}
            />
          </div>
          {value.authMethod === "private_key_jwt" ? (
            <SecretField
              label="Private key"
              rows={4}
              stored={value.hasKey}
              value={value.privateKey}
              error={error("privateKey")}
              onChange={(privateKey) => set({ privateKey })}
              onForget={() => set({ hasKey: false, privateKey: "" })}
            />
          ) : null}
          <TextField
            label="Scopes"
            note="one per line, on top of what the server asks for"
            mono
            rows={2}
            value={(value.scopes ?? []).join("\n")}
            error={error("scopes")}
            onChange={(text) => set({ scopes: text === "" ? [] : text.split("\n") })}
          />
          <TextField
            label="Resource"
            note="sent in place of the one that was found"
            mono
            disabled={value.omitResource}
            value={value.resource}
            error={error("resource")}
            onChange={(resource) => set({ resource })}
          />
          <Checkbox isSelected={value.omitResource} onChange={(omitResource) => set({ omitResource })}>
            Send no resource, for authorization servers that refuse it
          </Checkbox>
          <Checkbox isSelected={value.noConsent} onChange={(noConsent) => set({ noConsent })}>
            Never ask for consent again (no prompt parameter)
          </Checkbox>
          <Checkbox isSelected={value.noOffline} onChange={(noOffline) => set({ noOffline })}>
            Never ask for access without you (no offline_access)
          </Checkbox>
        </div>
      </DisclosurePanel>
    </Disclosure>
  );
}

interface SecretFieldProps {
  label: string;
  rows?: number;
  stored: boolean;
  value: string;
  error?: string;
  onChange(value: string): void;
  onForget(): void;
}

/** A value that goes one way only. */
function SecretField({ label, rows, stored, value, error, onChange, onForget }: SecretFieldProps) {
  return (
    <div className="column">
      <TextField
        label={label}
        mono
        type="password"
        rows={rows}
        value={value}
        error={error}
        placeholder={stored ? "stored, leave empty to keep it" : ""}
        onChange={onChange}
      />
      {stored && value === "" ? (
        <Button className="link small t2" onPress={onForget}>
          Delete the stored one
        </Button>
      ) : null}
    </div>
  );
}
