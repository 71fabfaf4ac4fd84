import { childPointer, type Json } from "../../json/value";
import { type ControlProps, useForm } from "../context";
import { emptyItem } from "../initial";
import type { ListNode, Node, TupleNode } from "../node";
import { Field } from "./Field";

/** A list of anything: numbered rows that can be added, moved and removed. */
export function ListControl({ node, value, onChange, pointer, labelId, describedBy, name }: ControlProps<ListNode>) {
  const { readOnly, show } = useForm();
  const items: Json[] = Array.isArray(value) ? value : [];
  const replace = (index: number, item: Json) => onChange(items.map((other, at) => (at === index ? item : other)));
  const full = node.maxItems !== undefined && items.length >= node.maxItems;
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Field
    <div role="group" aria-labelledby={labelId} aria-describedby={describedBy} className="group">
      {items.map((item, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place; all of its state is in the value
          key={index}
          node={node.item}
          index={index}
          count={items.length}
          item={item}
          pointer={pointer}
          onChange={(next) => replace(index, next)}
        >
          {!readOnly && (
            <>
              {index > 0 && (
                <button
                  type="button"
                  className="link small t3"
                  aria-label={`Move item ${index + 1} up`}
                  onClick={() =>
                    onChange(
                      items.map((other, at) =>
                        at === index - 1 ? (items[index] as Json) : at === index ? (items[index - 1] as Json) : other,
                      ),
                    )
                  }
                >
                  ↑
                </button>
              )}
              <button
                type="button"
                className="link small t3"
                aria-label={`Remove item ${index + 1}`}
                onClick={() => onChange(items.filter((_, at) => at !== index))}
              >
                ✕
              </button>
            </>
          )}
        </Row>
      ))}
      {!readOnly && (
        <button
          type="button"
          className="link small add-member"
          disabled={full}
          title={full ? `At most ${node.maxItems} items fit.` : undefined}
          onClick={() => {
            onChange([...items, emptyItem(node.item)]);
            show([childPointer(pointer, items.length)], true);
          }}
        >
          + add {items.length === 0 ? `to ${name}` : "another"}
        </button>
      )}
    </div>
  );
}

function Row({
  node,
  index,
  item,
  pointer,
  onChange,
  children,
}: {
  node: Node;
  index: number;
  count: number;
  item: Json;
  pointer: string;
  onChange: (item: Json) => void;
  children?: React.ReactNode;
}) {
  return (
    <div className="item">
      <Field
        node={node}
        name={String(index + 1)}
        label={`${index + 1}${node.title ? ` · ${node.title}` : ""}`}
        required
        item
        value={item}
        // An item cannot be left out of the middle of a list: an emptied text is an empty text.
        onChange={(next) => onChange((next ?? (node.kind === "string" ? "" : null)) as Json)}
        pointer={childPointer(pointer, index)}
      />
      <span className="item-actions">{children}</span>
    </div>
  );
}

/** prefixItems: a row for each fixed place, then as many more as the schema allows. */
export function TupleControl({ node, value, onChange, pointer, labelId, describedBy }: ControlProps<TupleNode>) {
  const { readOnly } = useForm();
  const items: Json[] = Array.isArray(value) ? value : [];
  const rows = [
    ...node.items,
    ...items.slice(node.items.length).map(() => node.rest ?? ({ kind: "raw", reason: "Any value." } as Node)),
  ];
  const replace = (index: number, item: Json) => {
    const next: Json[] = Array.from(
      { length: Math.max(items.length, index + 1, Math.min(node.minItems, node.items.length)) },
      (_, at) => items[at] ?? null,
    );
    next[index] = item;
    onChange(next);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: see Field
    <div role="group" aria-labelledby={labelId} aria-describedby={describedBy} className="group">
      {rows.map((row, index) => (
        // null stands for a place that is not filled in yet, unless null is a value there.
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: a place is its index
          key={index}
          node={row}
          index={index}
          count={rows.length}
          item={(items[index] === null && !row.nullable && row.kind !== "raw" ? undefined : items[index]) as Json}
          pointer={pointer}
          onChange={(next) => replace(index, next)}
        >
          {index >= node.items.length && !readOnly && (
            <button
              type="button"
              className="link small t3"
              aria-label={`Remove item ${index + 1}`}
              onClick={() => onChange(items.filter((_, at) => at !== index))}
            >
              ✕
            </button>
          )}
        </Row>
      ))}
      {node.rest && !readOnly && (
        <button
          type="button"
          className="link small add-member"
          onClick={() => replace(Math.max(items.length, node.items.length), emptyItem(node.rest as Node))}
        >
          + add another
        </button>
      )}
    </div>
  );
}
