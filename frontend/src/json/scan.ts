// A scanner over JSON text. It lays text out, finds the first error and cuts members out without ever turning a number
// into a double, and it walks instead of recursing, so that a hundred thousand brackets are just text.

export interface ScanError {
  offset: number;
  line: number;
  column: number;
  message: string;
}

type Token =
  | { kind: "{" | "}" | "[" | "]" | ":" | ","; start: number; end: number }
  | { kind: "scalar"; start: number; end: number };

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

/** The next token from offset on, undefined at the end, or the offset of what is not JSON. */
function nextToken(text: string, from: number): Token | undefined | number {
  let at = from;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === 32 || c === 10 || c === 13 || c === 9) at++;
    else break;
  }
  if (at >= text.length) return undefined;
  const c = text[at] as string;
  if (c === "{" || c === "}" || c === "[" || c === "]" || c === ":" || c === ",")
    return { kind: c, start: at, end: at + 1 };
  if (c === '"') {
    const end = endOfString(text, at);
    return end < 0 ? -end - 1 : { kind: "scalar", start: at, end };
  }
  for (const pattern of [number, word]) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match && match[0] !== "") return { kind: "scalar", start: at, end: at + match[0].length };
  }
  return at;
}

/** Offset after the closing quote, or -1-offset of the fault. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const c = text.charCodeAt(at);
    if (Number.isNaN(c) || c < 32) return -at - 1;
    if (c === 34) return at + 1;
    if (c === 92) {
      const escaped = text[at + 1];
      if (escaped === "u") {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return -at - 1;
        at += 6;
        continue;
      }
      if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) return -at - 1;
      at += 2;
      continue;
    }
    at++;
  }
}

type Expect = "value" | "value-or-close" | "name" | "name-or-close" | "colon" | "comma-or-close" | "end";

const wanted: Record<Expect, string> = {
  value: "a value",
  "value-or-close": 'a value or "]"',
  name: "a name in double quotes",
  "name-or-close": 'a name in double quotes or "}"',
  colon: '":" after the name',
  "comma-or-close": '"," or the closing bracket',
  end: "nothing more after the value",
};

/** Walks all tokens in order; visit gets each one with its depth and whether it is a member's name. Returns the first error. */
function walk(text: string, visit: (token: Token, depth: number, isName: boolean) => void): ScanError | undefined {
  const open: ("{" | "[")[] = [];
  let expect: Expect = "value";
  let at = 0;
  for (;;) {
    const token = nextToken(text, at);
    if (typeof token === "number") return errorAt(text, token, expect);
    if (token === undefined) return expect === "end" ? undefined : errorAt(text, text.length, expect);
    const { kind } = token;
    let isName = false;
    let depth = open.length;
    if (expect === "end") return errorAt(text, token.start, expect);
    if (kind === "scalar" || kind === "{" || kind === "[") {
      if (expect === "name" || expect === "name-or-close") {
        if (kind !== "scalar" || text[token.start] !== '"') return errorAt(text, token.start, expect);
        isName = true;
        expect = "colon";
      } else if (expect === "value" || expect === "value-or-close") {
        if (kind === "scalar") expect = open.length === 0 ? "end" : "comma-or-close";
        else {
          open.push(kind);
          expect = kind === "{" ? "name-or-close" : "value-or-close";
        }
      } else return errorAt(text, token.start, expect);
    } else if (kind === ":") {
      if (expect !== "colon") return errorAt(text, token.start, expect);
      expect = "value";
    } else if (kind === ",") {
      if (expect !== "comma-or-close") return errorAt(text, token.start, expect);
      expect = open[open.length - 1] === "{" ? "name" : "value";
    } else {
      const opener = kind === "}" ? "{" : "[";
      const allowed = expect === "comma-or-close" || expect === (kind === "}" ? "name-or-close" : "value-or-close");
      if (!allowed || open[open.length - 1] !== opener) return errorAt(text, token.start, expect);
      open.pop();
      depth--;
      expect = open.length === 0 ? "end" : "comma-or-close";
    }
    visit(token, depth, isName);
    at = token.end;
  }
}

function errorAt(text: string, offset: number, expect: Expect): ScanError {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  const place = `line ${line}, column ${column}`;
  const message =
    text.trim() === ""
      ? "There is no JSON here yet."
      : offset >= text.length
        ? `The text ends too early: ${wanted[expect]} is missing.`
        : expect === "end"
          ? `There is more text after the value, at ${place}.`
          : `This is not JSON at ${place}: ${wanted[expect]} is expected there.`;
  return { offset, line, column, message };
}

/** The first error of a JSON text, undefined if it is well formed. */
export function checkJson(text: string): ScanError | undefined {
  return walk(text, () => {});
}

const inlineWidth = 60;

// Deeper than this the column says nothing any more, and the blanks would outgrow the text.
const deepest = 60;

function indent(depth: number): string {
  return `\n${"  ".repeat(Math.min(depth, deepest))}`;
}

/** Lays JSON text out with two spaces; short arrays of scalars stay on one line. Text that is not JSON comes back as it is. */
export function formatJson(text: string): string {
  const out: string[] = [];
  // Where each open array of scalars began in out, to fold it when it closes; undefined once it cannot be folded.
  const foldFrom: (number | undefined)[] = [];
  let pending = ""; // the line break that is due before the next token, unless that one closes an empty bracket
  const error = walk(text, (token, depth) => {
    const piece = text.slice(token.start, token.end);
    switch (token.kind) {
      case "{":
      case "[":
        if (pending) out.push(pending);
        if (foldFrom.length > 0) foldFrom[foldFrom.length - 1] = undefined;
        foldFrom.push(token.kind === "[" ? out.length : undefined);
        out.push(piece);
        pending = indent(depth + 1);
        break;
      case "}":
      case "]": {
        const from = foldFrom.pop();
        const empty = out[out.length - 1] === (token.kind === "}" ? "{" : "[") && pending !== "";
        if (!empty) out.push(indent(depth));
        out.push(piece);
        if (from !== undefined && out.length - from < 80) {
          const folded = out
            .slice(from)
            .map((part) => (part.startsWith("\n") ? "" : part === "," ? ", " : part))
            .join("");
          if (folded.length <= inlineWidth) out.splice(from, out.length - from, folded);
        }
        pending = "";
        break;
      }
      case ",":
        out.push(piece);
        pending = indent(depth);
        break;
      case ":":
        out.push(": ");
        pending = "";
        break;
      default:
        if (pending) out.push(pending);
        out.push(piece);
        pending = "";
    }
  });
  return error ? text : out.join("");
}

/** The text of one member of a top-level object exactly as it stands there; the last one wins. undefined if there is none. */
export function memberText(text: string, name: string): string | undefined {
  let current = false;
  let start = -1;
  let found: string | undefined;
  const error = walk(text, (token, depth, isName) => {
    if (depth === 1 && isName) {
      current = JSON.parse(text.slice(token.start, token.end)) === name;
      start = -1;
    } else if (current && token.kind !== ":") {
      if (start < 0) start = token.start;
      const closes = (depth === 1 && (token.kind === "scalar" || token.kind === "}" || token.kind === "]")) as boolean;
      if (closes) {
        found = text.slice(start, token.end);
        current = false;
      }
    }
  });
  return error ? undefined : found;
}
