// The quiet words beside a label: "required · at most 120", "number, 1 to 13", "list of texts".
import type { Node } from "./node";

export function hint(node: Node, required: boolean): string {
  const words = [required ? "required" : "", shape(node), node.deprecated ? "deprecated" : ""];
  return words.filter(Boolean).join(" · ");
}

function shape(node: Node): string {
  switch (node.kind) {
    case "string": {
      const bounds = range(node.minLength, node.maxLength, "characters");
      return [node.format && !hidden.has(node.format) ? node.format : "", bounds].filter(Boolean).join(", ");
    }
    case "number": {
      const low = node.minimum ?? node.exclusiveMinimum;
      const high = node.maximum ?? node.exclusiveMaximum;
      const name = node.integer ? "integer" : "number";
      const step = node.multipleOf !== undefined && node.multipleOf !== 1 ? `, steps of ${node.multipleOf}` : "";
      const bounds =
        low !== undefined && high !== undefined
          ? `${low} to ${high}`
          : low !== undefined
            ? node.exclusiveMinimum !== undefined
              ? `more than ${low}`
              : `${low} or more`
            : high !== undefined
              ? node.exclusiveMaximum !== undefined
                ? `less than ${high}`
                : `at most ${high}`
              : "";
      return (bounds ? `${name}, ${bounds}` : name) + step;
    }
    case "choice":
      return node.options.length > 1 ? "one of" : "the only value";
    case "choices":
      return ["any of", range(node.minItems, node.maxItems, "")].filter(Boolean).join(", ");
    case "list":
      return [`list of ${itemName(node.item)}`, range(node.minItems, node.maxItems, "")].filter(Boolean).join(", ");
    case "tuple":
      return `${node.items.length} fixed items`;
    case "union":
      return "one of";
    case "raw":
      return "JSON";
    default:
      return "";
  }
}

// Their input and their error sentence say it already.
const hidden = new Set(["email", "password"]);

function range(low: number | undefined, high: number | undefined, unit: string): string {
  const tail = unit ? ` ${unit}` : "";
  if (low && high !== undefined) return low === high ? `exactly ${low}${tail}` : `${low} to ${high}${tail}`;
  if (low) return low === 1 && unit ? "" : `at least ${low}${tail}`;
  if (high !== undefined) return `at most ${high}`;
  return "";
}

function itemName(node: Node): string {
  switch (node.kind) {
    case "string":
      return "texts";
    case "number":
      return node.integer ? "integers" : "numbers";
    case "boolean":
      return "yes or no";
    case "object":
      return "objects";
    case "list":
    case "tuple":
      return "lists";
    case "choice":
    case "choices":
      return "choices";
    default:
      return "values";
  }
}
