// The fields of an object: required and sent ones as rows, untouched optional ones in one quiet line, further members below.
import { useState } from "react";
import { childPointer, isObject, type Json, type JsonObject, setMember } from "../../json/value";
import { useForm } from "../context";
import { addedValue, type FormValue } from "../initial";
import type { Field as FieldOfNode, Node, ObjectNode } from "../node";
import { Field } from "./Field";

/** Up to so many optional fields are simply shown. */
const fewOptional = 3;
/** Of a longer line only so many names are written out. */
const namesInLine = 12;

interface Props {
  node: ObjectNode;
  value: FormValue;
  onChange: (value: FormValue) => void;
  pointer: string;
  fold: boolean;
}

const anyValue: Node = { kind: "raw", reason: "Any value." };

export function ObjectFields({ node, value, onChange, pointer, fold }: Props) {
  const form = useForm();
  const object: JsonObject = isObject(value) ? value : {};
  const [all, setAll] = useState(false);

  const set = (name: string, member: FormValue) => {
    const next: JsonObject = {};
    // The order of the schema is the order on the wire; what the schema does not name follows.
    const names = [...node.fields.map((field) => field.name), ...Object.keys(object)];
    if (!names.includes(name)) names.push(name);
    for (const key of new Set(names)) {
      const kept = key === name ? member : Object.hasOwn(object, key) ? object[key] : undefined;
      if (kept !== undefined) setMember(next, key, kept as Json);
    }
    onChange(next);
  };

  const optional = node.fields.filter((field) => !field.required);
  const folds = fold && optional.length > fewOptional;
  const isFolded = (field: FieldOfNode) => {
    const at = childPointer(pointer, field.name);
    if (!folds || field.required || Object.hasOwn(object, field.name) || form.shown.has(at)) return false;
    for (const wrong of form.errors.keys()) if (wrong === at || wrong.startsWith(`${at}/`)) return false;
    return true;
  };
  const rows = node.fields.filter((field) => !isFolded(field));
  const folded = node.fields.filter(isFolded);
  const known = new Set(node.fields.map((field) => field.name));
  const extra = Object.keys(object).filter((name) => !known.has(name));

  const add = (fields: readonly FieldOfNode[]) => {
    const next: JsonObject = { ...object };
    for (const field of fields) {
      const member = addedValue(field.node);
      if (member !== undefined) setMember(next, field.name, member as Json);
    }
    onChange(next);
    form.show(
      fields.map((field) => childPointer(pointer, field.name)),
      true,
    );
  };

  return (
    <>
      {rows.map((field) => {
        const at = childPointer(pointer, field.name);
        const member = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
        const removable = !field.required && (member !== undefined || folds);
        return (
          <Field
            key={field.name}
            node={field.node}
            name={field.name}
            label={field.node.title ?? field.name}
            required={field.required}
            value={member}
            onChange={(next) => set(field.name, next)}
            pointer={at}
            {...(removable && {
              onRemove: () => {
                form.hide(at);
                set(field.name, undefined);
              },
            })}
          />
        );
      })}
      {extra.map((name) => {
        const at = childPointer(pointer, name);
        return (
          <Field
            key={`extra ${name}`}
            node={node.rest ?? anyValue}
            name={name}
            label={name}
            required={false}
            value={object[name]}
            onChange={(next) => set(name, next)}
            pointer={at}
            removeLabel="Remove"
            onRemove={() => set(name, undefined)}
          />
        );
      })}
      {folded.length > 0 && !form.readOnly && (
        <p className="not-sent t3">
          {(all ? folded : folded.slice(0, namesInLine)).map((field, index) => (
            <span key={field.name}>
              {index > 0 && ", "}
              <button
                type="button"
                className="link"
                title={field.node.description ?? `Add ${field.name}`}
                onClick={() => add([field])}
              >
                {field.node.title ?? field.name}
              </button>
            </span>
          ))}
          {!all && folded.length > namesInLine && (
            <>
              {" and "}
              <button type="button" className="link" onClick={() => setAll(true)}>
                {folded.length - namesInLine} more
              </button>
            </>
          )}
          {": not sent "}
          <button
            type="button"
            className="link underlined small"
            onClick={() => add(folded)}
            aria-label={`Add ${folded.length === 1 ? folded[0]?.name : "all of them"}`}
          >
            {folded.length === 1 ? "add" : "add all"}
          </button>
        </p>
      )}
      {node.rest && !form.readOnly && (
        <AddMember
          taken={(name) => Object.hasOwn(object, name) || known.has(name)}
          node={node.rest}
          onAdd={(name, member) => set(name, member)}
          first={rows.length + extra.length === 0}
        />
      )}
    </>
  );
}

/** A member that the schema allows without naming it: the person types its name. */
function AddMember({
  taken,
  node,
  onAdd,
  first,
}: {
  taken: (name: string) => boolean;
  node: Node;
  onAdd: (name: string, value: Json) => void;
  first: boolean;
}) {
  const [name, setName] = useState<string | undefined>(undefined);
  if (name === undefined)
    return (
      <button type="button" className="link small add-member" onClick={() => setName("")}>
        {first ? "+ add a member" : "+ add another member"}
      </button>
    );
  const clash = taken(name);
  const commit = () => {
    if (name.trim() !== "" && !clash) onAdd(name, (addedValue(node) ?? (node.kind === "string" ? "" : null)) as Json);
    setName(undefined);
  };
  return (
    <div className="row add-member">
      <input
        className="input"
        aria-label="Name of the new member"
        placeholder="Name of the new member"
        // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed
        autoFocus
        value={name}
        aria-invalid={clash}
        onChange={(event) => setName(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            commit();
          } else if (event.key === "Escape") {
            event.stopPropagation();
            setName(undefined);
          }
        }}
      />
      {clash && <span className="err small">There is a member of this name.</span>}
    </div>
  );
}
