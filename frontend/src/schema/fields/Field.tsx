// One field: label with its hint, description, control, errors. Every control gets its name from the label.
import { type ReactNode, useId } from "react";
import { type ControlProps, messagesAt, useForm } from "../context";
import { hint } from "../hints";
import { addedValue, type FormValue } from "../initial";
import type { Node } from "../node";
import { BooleanControl } from "./BooleanControl";
import { ChipsControl, isChips } from "./ChipsControl";
import { ChoiceControl, ChoicesControl } from "./ChoiceControl";
import { ListControl, TupleControl } from "./ListControl";
import { NumberControl } from "./NumberControl";
import { ObjectFields } from "./ObjectFields";
import { RawControl } from "./RawControl";
import { StringControl } from "./StringControl";
import { UnionControl } from "./UnionControl";

export interface FieldProps {
  node: Node;
  /** The member's name; it says what is on the wire, where the label is a title. */
  name: string;
  label: string;
  required: boolean;
  value: FormValue;
  onChange: (value: FormValue) => void;
  pointer: string;
  /** An item of a list: that it must have a value goes without saying. */
  item?: boolean;
  /** Takes the field away: an optional one is then not sent, an item leaves its list. */
  onRemove?: () => void;
  removeLabel?: string;
}

export function Field({
  node,
  name,
  label,
  required,
  value,
  onChange,
  pointer,
  item = false,
  onRemove,
  removeLabel,
}: FieldProps) {
  const form = useForm();
  const own = useId();
  const id = `${own}-control`;
  const labelId = `${own}-label`;
  const nested =
    node.kind === "object" ||
    node.kind === "union" ||
    node.kind === "tuple" ||
    (node.kind === "list" && !isChips(node));
  const messages = messagesAt(form.errors, pointer, !nested);
  const words = hint(node, required && !item);
  const ids = [words && `${own}-hint`, node.description && `${own}-description`, messages.length > 0 && `${own}-errors`]
    .filter(Boolean)
    .join(" ");

  const props = {
    value,
    onChange,
    pointer,
    required,
    id,
    labelId,
    describedBy: ids || undefined,
    invalid: messages.length > 0,
    name: label,
  };
  const isNull = value === null && node.nullable === true;
  const grouped = nested || node.kind === "choice" || node.kind === "choices";

  return (
    <div className={`field field-${node.kind}`} data-pointer={pointer}>
      {!(node.kind === "boolean" && !isNull) && (
        <FieldLabel
          grouped={grouped || isNull}
          id={labelId}
          htmlFor={id}
          title={label === name ? undefined : name}
          label={label}
        >
          {words && (
            <span className="small t3" id={`${own}-hint`}>
              {words}
            </span>
          )}
          <Actions {...{ node, required, value, onChange, onRemove, removeLabel, label, isNull }} />
        </FieldLabel>
      )}
      {node.description && node.kind !== "boolean" && (
        <p
          className="description small t2"
          id={`${own}-description`}
          title={node.description.length > 220 ? node.description : undefined}
        >
          {node.description}
        </p>
      )}
      {isNull ? (
        <span className="null-value mono t2" id={id}>
          null
        </span>
      ) : node.kind === "boolean" ? (
        <div className="boolean-row">
          <BooleanControl
            {...props}
            node={node}
            hint={words}
            hintId={`${own}-hint`}
            title={label === name ? undefined : name}
          />
          <Actions {...{ node, required, value, onChange, onRemove, removeLabel, label, isNull }} />
        </div>
      ) : (
        <Control {...props} node={node} />
      )}
      {node.kind === "boolean" && node.description && (
        <p className="description small t2 under-check" id={`${own}-description`}>
          {node.description}
        </p>
      )}
      {messages.length > 0 && (
        <div id={`${own}-errors`} className="errors" role="alert">
          {messages.map((message) => (
            <p key={message} className="err small">
              {message}
            </p>
          ))}
          {node.kind === "string" && required && value === undefined && !node.minLength && !node.format && (
            <button type="button" className="link small" onClick={() => onChange("")}>
              Send an empty text
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function FieldLabel({
  grouped,
  id,
  htmlFor,
  title,
  label,
  children,
}: {
  grouped: boolean;
  id: string;
  htmlFor: string;
  title: string | undefined;
  label: string;
  children: ReactNode;
}) {
  const text = (
    <span className="label-text" title={title}>
      {label}
    </span>
  );
  return (
    <div className="label-row">
      {grouped ? (
        <span id={id} className="label">
          {text}
        </span>
      ) : (
        <label id={id} htmlFor={htmlFor} className="label">
          {text}
        </label>
      )}
      {children}
    </div>
  );
}

interface ActionProps {
  node: Node;
  required: boolean;
  value: FormValue;
  onChange: (value: FormValue) => void;
  onRemove: (() => void) | undefined;
  removeLabel: string | undefined;
  label: string;
  isNull: boolean;
}

/** The small links at the end of the label's line: null, don't send, remove. */
function Actions({ node, value, onChange, onRemove, removeLabel, label, isNull }: ActionProps) {
  const form = useForm();
  if (form.readOnly) return null;
  const canBeNull = node.nullable === true && node.kind !== "choice";
  if (!canBeNull && !onRemove) return null;
  return (
    <span className="field-actions">
      {canBeNull && (
        <button
          type="button"
          className="link small t3"
          aria-pressed={isNull}
          aria-label={isNull ? `Give ${label} a value` : `Set ${label} to null`}
          onClick={() => onChange(isNull ? addedValue({ ...node, default: undefined }) : null)}
        >
          {isNull ? "give a value" : "null"}
        </button>
      )}
      {onRemove && (
        <button
          type="button"
          className="link small t3"
          aria-label={`${removeLabel ?? "Do not send"} ${label}`}
          title={removeLabel ?? (value === undefined ? "Not sent. Fold away" : "Do not send this field")}
          onClick={onRemove}
        >
          ✕
        </button>
      )}
    </span>
  );
}

function Control(props: ControlProps) {
  const { node } = props;
  switch (node.kind) {
    case "string":
      return <StringControl {...props} node={node} />;
    case "number":
      return <NumberControl {...props} node={node} />;
    case "choice":
      return <ChoiceControl {...props} node={node} />;
    case "choices":
      return <ChoicesControl {...props} node={node} />;
    case "list":
      return isChips(node) ? <ChipsControl {...props} node={node} /> : <ListControl {...props} node={node} />;
    case "tuple":
      return <TupleControl {...props} node={node} />;
    case "object":
      return (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a grid item in older WebKit
        <div role="group" aria-labelledby={props.labelId} className="group">
          <ObjectFields node={node} value={props.value} onChange={props.onChange} pointer={props.pointer} fold />
        </div>
      );
    case "union":
      return <UnionControl {...props} node={node} />;
    default:
      return <RawControl {...props} />;
  }
}
