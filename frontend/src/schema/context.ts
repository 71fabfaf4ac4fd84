// What every field of one form shares. Fields get their value and report a new one; errors, picks and what is shown hang here.
import { createContext, useContext } from "react";
import type { ErrorsByPointer } from "./errors";
import type { FormValue } from "./initial";
import type { Node } from "./node";
import type { Picks } from "./validate";

export interface FormContextValue {
  /** Unique per form: ids are made of it and the pointer. */
  id: string;
  errors: ErrorsByPointer;
  picks: Picks;
  pick: (pointer: string, branch: number) => void;
  /** Optional fields that are shown although they are not sent. */
  shown: ReadonlySet<string>;
  show: (pointers: readonly string[], focus?: boolean) => void;
  hide: (pointer: string) => void;
  readOnly: boolean;
}

export const FormContext = createContext<FormContextValue | undefined>(undefined);

export function useForm(): FormContextValue {
  const context = useContext(FormContext);
  if (!context) throw new Error("A field stands outside of a form.");
  return context;
}

/** What a control of one field gets. */
export interface ControlProps<N extends Node = Node> {
  node: N;
  value: FormValue;
  onChange: (value: FormValue) => void;
  pointer: string;
  required: boolean;
  /** id of the control, for its label. */
  id: string;
  /** id of the label, for groups. */
  labelId: string;
  /** ids of hint, description and errors. */
  describedBy: string | undefined;
  invalid: boolean;
  /** Plain name, for controls that need aria-label inside. */
  name: string;
}

/** Errors at a pointer; of a leaf also those below it, with their place said. */
export function messagesAt(errors: ErrorsByPointer, pointer: string, below: boolean): string[] {
  const messages = [...(errors.get(pointer) ?? [])];
  if (below)
    for (const [at, list] of errors)
      if (at.startsWith(`${pointer}/`))
        for (const message of list) messages.push(`${place(at.slice(pointer.length + 1))}: ${message}`);
  return messages;
}

function place(rest: string): string {
  const steps = rest.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.length === 1 && /^\d+$/.test(steps[0] as string) ? `Item ${Number(steps[0]) + 1}` : steps.join(" › ");
}
