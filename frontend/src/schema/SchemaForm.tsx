// A form for any JSON Schema. Its value is JSON that the caller holds (a draft outlives the form); undefined members are not sent.
import { type Ref, useId, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "react";
import { isObject } from "../json/value";
import { FormContext, type FormContextValue, messagesAt } from "./context";
import { byPointer, type FieldError } from "./errors";
import { Field } from "./fields/Field";
import { ObjectFields } from "./fields/ObjectFields";
import type { FormValue } from "./initial";
import type { Node, Schema } from "./node";
import { createValidate, type Picks } from "./validate";
import "./schema.css";

export interface SchemaFormHandle {
  /** Shows what is wrong and focuses the first fault; true if nothing is. */
  check: () => boolean;
  /** Focuses the first control. */
  focus: () => void;
}

export interface SchemaFormProps {
  node: Node;
  schema: Schema | undefined;
  value: FormValue;
  onChange: (value: FormValue) => void;
  /** What the back end found; it stays until the value changes. */
  backendErrors?: readonly FieldError[];
  /** Optional fields stand in one line "not sent" until they are added. Off: all fields are shown. */
  fold?: boolean;
  readOnly?: boolean;
  label: string;
  ref?: Ref<SchemaFormHandle>;
}

const none: readonly FieldError[] = [];

export function SchemaForm({
  node,
  schema,
  value,
  onChange,
  backendErrors = none,
  fold = true,
  readOnly = false,
  label,
  ref,
}: SchemaFormProps) {
  const id = useId();
  const root = useRef<HTMLFormElement>(null);
  const [picks, setPicks] = useState<Picks>({});
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const [checked, setChecked] = useState(false);
  const focusNext = useRef<string | "first error" | undefined>(undefined);
  const [focusTick, setFocusTick] = useState(0);

  const validate = useMemo(() => createValidate(node, schema), [node, schema]);
  const errors = useMemo(() => validate(value, picks), [validate, value, picks]);
  const visible = useMemo(() => {
    const own = checked
      ? errors
      : errors.filter((error) => touched.has(error.pointer) && valueAt(value, error.pointer) !== undefined);
    return byPointer([...own, ...backendErrors]);
  }, [errors, checked, touched, value, backendErrors]);

  // Faults that the back end found after the form was sent: the first one gets the focus, as for those found here.
  const seen = useRef(backendErrors);
  useLayoutEffect(() => {
    if (seen.current === backendErrors) return;
    seen.current = backendErrors;
    if (backendErrors.length > 0) {
      focusNext.current = "first error";
      setFocusTick((tick) => tick + 1);
    }
  }, [backendErrors]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: focusTick is the order to look again
  useLayoutEffect(() => {
    const wanted = focusNext.current;
    focusNext.current = undefined;
    if (wanted === undefined || !root.current) return;
    const target =
      wanted === "first error"
        ? root.current.querySelector<HTMLElement>(focusable("[aria-invalid=true]"))
        : firstControl(root.current.querySelector<HTMLElement>(`[data-pointer="${CSS.escape(wanted)}"]`));
    target?.focus();
  }, [focusTick]);

  useImperativeHandle(
    ref,
    () => ({
      check: () => {
        setChecked(true);
        if (errors.length === 0) return true;
        focusNext.current = "first error";
        setFocusTick((tick) => tick + 1);
        return false;
      },
      focus: () => firstControl(root.current)?.focus(),
    }),
    [errors],
  );

  const context = useMemo<FormContextValue>(
    () => ({
      id,
      errors: visible,
      picks,
      pick: (pointer, branch) => setPicks((before) => ({ ...withoutBelow(before, pointer), [pointer]: branch })),
      shown,
      show: (pointers, focus) => {
        setShown((before) => new Set([...before, ...pointers]));
        if (focus && pointers[0] !== undefined) {
          focusNext.current = pointers[0];
          setFocusTick((tick) => tick + 1);
        }
      },
      hide: (pointer) =>
        setShown((before) => {
          const next = new Set(before);
          next.delete(pointer);
          return next;
        }),
      readOnly,
    }),
    [id, visible, picks, shown, readOnly],
  );

  return (
    <FormContext value={context}>
      <form
        ref={root}
        // Enter in a field submits nothing: running a tool is an act of its own.
        onSubmit={(event) => event.preventDefault()}
        aria-label={label}
        className="schema-form"
        onBlur={(event) => {
          const pointer = (event.target as HTMLElement).closest<HTMLElement>("[data-pointer]")?.dataset.pointer;
          if (pointer !== undefined && !touched.has(pointer)) setTouched(new Set([...touched, pointer]));
        }}
      >
        {node.kind === "object" ? (
          <>
            <ObjectFields node={node} value={value} onChange={onChange} pointer="" fold={fold} />
            {messagesAt(visible, "", false).map((message) => (
              <p key={message} className="err small" role="alert">
                {message}
              </p>
            ))}
          </>
        ) : (
          <Field
            node={node}
            name=""
            label={node.title ?? "Arguments"}
            required
            value={value}
            onChange={onChange}
            pointer=""
          />
        )}
      </form>
    </FormContext>
  );
}

function withoutBelow(picks: Picks, pointer: string): Picks {
  return Object.fromEntries(Object.entries(picks).filter(([at]) => !at.startsWith(`${pointer}/`)));
}

function valueAt(value: FormValue, pointer: string): unknown {
  let at: unknown = value;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isObject(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

const controls = ["input", "textarea", "select", "button", "[tabindex='0']"];

function focusable(invalid: string): string {
  return controls.flatMap((control) => [`${control}${invalid}`, `${invalid} ${control}`]).join(", ");
}

function firstControl(within: HTMLElement | null): HTMLElement | null {
  return (
    within?.querySelector<HTMLElement>("input:not([type=hidden]), textarea, [role=radio], [role=combobox]") ??
    within?.querySelector<HTMLElement>("button") ??
    null
  );
}
