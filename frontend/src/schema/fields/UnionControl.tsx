import { type ControlProps, useForm } from "../context";
import { branchOf, switchBranch } from "../initial";
import type { UnionNode } from "../node";
import { fitsSegments } from "./ChoiceControl";
import { Field } from "./Field";
import { ObjectFields } from "./ObjectFields";
import { Picker } from "./Picker";
import { Segments } from "./Segments";

/** anyOf and oneOf: pick the variant, then fill it in. What fits both variants stays filled in. */
export function UnionControl({
  node,
  value,
  onChange,
  pointer,
  required,
  labelId,
  describedBy,
  name,
}: ControlProps<UnionNode>) {
  const { picks, pick, readOnly } = useForm();
  const branch = branchOf(node, value, picks[pointer]);
  const chosen = node.branches[branch]?.node;
  const select = (index: number | undefined) => {
    if (index === undefined || index === branch) return;
    pick(pointer, index);
    onChange(switchBranch(node, value, index));
  };
  const shared = { label: `Variant of ${name}`, options: node.branches, selected: branch, disabled: readOnly };
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Field
    <div role="group" aria-labelledby={labelId} aria-describedby={describedBy} className="union">
      {fitsSegments(node.branches) ? (
        <Segments {...shared} onSelect={select} small />
      ) : (
        <Picker {...shared} onSelect={select} clearable={false} />
      )}
      {chosen?.description && <p className="hint small t2">{chosen.description}</p>}
      {chosen &&
        (chosen.kind === "object" ? (
          <div className="group">
            <ObjectFields node={chosen} value={value} onChange={onChange} pointer={pointer} fold />
          </div>
        ) : (
          <Field
            node={{ ...chosen, description: undefined } as typeof chosen}
            name={name}
            label={node.branches[branch]?.label ?? "Value"}
            required={required}
            value={value}
            onChange={onChange}
            pointer={pointer}
          />
        ))}
    </div>
  );
}
