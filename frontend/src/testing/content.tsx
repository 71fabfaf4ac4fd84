/** What the component tests of forms and results share. */
import { render } from "@testing-library/react";
import axe from "axe-core";
import { type ReactElement, useState } from "react";
import { expect } from "vitest";
import { createMemoryBackend, type MemoryBackend } from "../memory/backend";
import type { FieldError } from "../schema/errors";
import { type FormValue, initialValue } from "../schema/initial";
import type { Node, Schema } from "../schema/node";
import { normalise } from "../schema/normalise";
import { SchemaForm, type SchemaFormHandle } from "../schema/SchemaForm";
import { type App, AppProvider, createApp } from "../state";

/** The whole page's state over the in-memory twin, without waiting times. */
export function renderApp(element: ReactElement): { app: App; backend: MemoryBackend } {
  const backend = createMemoryBackend({ pace: 0 });
  const app = createApp(backend);
  render(<AppProvider app={app}>{element}</AppProvider>);
  return { app, backend };
}

interface Seen {
  value: FormValue;
  handle: SchemaFormHandle | null;
}

/** A form with its value; handle.check() is what Run does. */
export function renderForm(
  schema: Schema,
  options: { value?: FormValue; fold?: boolean; errors?: readonly FieldError[] } = {},
) {
  const node = normalise(schema);
  const seen: Seen = { value: options.value ?? initialValue(node, true), handle: null };
  const { container } = render(
    <Held seen={seen} node={node} schema={schema} fold={options.fold ?? true} errors={options.errors ?? noErrors} />,
  );
  return { seen, container };
}

interface HeldProps {
  seen: Seen;
  node: Node;
  schema: Schema;
  fold: boolean;
  errors: readonly FieldError[];
}

function Held({ seen, node, schema, fold, errors }: HeldProps) {
  const [value, setValue] = useState<FormValue>(seen.value);
  return (
    <SchemaForm
      ref={(handle) => {
        seen.handle = handle;
      }}
      label="Form"
      node={node}
      schema={schema}
      value={value}
      fold={fold}
      backendErrors={errors}
      onChange={(next) => {
        seen.value = next;
        setValue(next);
      }}
    />
  );
}

const noErrors: readonly FieldError[] = [];

/** No violation of the rules that can be told without a layout. */
export async function expectAccessible(container: Element): Promise<void> {
  const { violations } = await axe.run(container, {
    rules: { "color-contrast": { enabled: false }, region: { enabled: false } },
  });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`)).toEqual([]);
}
