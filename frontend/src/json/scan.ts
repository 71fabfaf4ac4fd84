// A scanner over JSON text. It lays text out, finds the first error and cuts members out without ever turning a number
// into a double, and it walks instead of recursing, so that a hundred thousand brackets are just text.

export interface ScanError {
  offset: number;
  line: number;
  column: number;
  message: string;
}

// Character codes of what the scanner branches on; a document has millions of tokens, so it compares numbers, not strings.
const quote = 34;
const comma = 44;
const colon = 58;
const openBracket = 91;
const backslash = 92;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;

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

/** Sees every token in order: kind is the code of a bracket, comma or colon, 0 for a scalar. */
type Visit = (kind: number, start: number, end: number, depth: number, isName: boolean) => void;

/** Walks over JSON text in steps, so that a large document can be walked without freezing the page. */
class Walk {
  error: ScanError | undefined;
  readonly #text: string;
  readonly #visit: Visit;
  readonly #open: number[] = [];
  #expect: Expect = "value";
  #at = 0;

  constructor(text: string, visit: Visit) {
    this.#text = text;
    this.#visit = visit;
  }

  /** How far it is, in characters. */
  get offset(): number {
    return this.#at;
  }

  /** Takes at most so many tokens; true when the end or an error is reached. */
  step(tokens: number): boolean {
    const text = this.#text;
    const open = this.#open;
    for (let left = tokens; left > 0; left--) {
      let at = this.#at;
      let c = text.charCodeAt(at);
      while (c === 32 || c === 10 || c === 13 || c === 9) c = text.charCodeAt(++at);
      if (at >= text.length) {
        if (this.#expect !== "end") this.#fail(text.length);
        return true;
      }
      if (this.#expect === "end") return this.#fail(at);
      let kind = 0;
      let end = at + 1;
      let depth = open.length;
      let isName = false;
      if (c === comma) {
        if (this.#expect !== "comma-or-close") return this.#fail(at);
        kind = c;
        this.#expect = open[depth - 1] === openBrace ? "name" : "value";
      } else if (c === colon) {
        if (this.#expect !== "colon") return this.#fail(at);
        kind = c;
        this.#expect = "value";
      } else if (c === closeBrace || c === closeBracket) {
        const empty = c === closeBrace ? "name-or-close" : "value-or-close";
        const opener = c === closeBrace ? openBrace : openBracket;
        if ((this.#expect !== "comma-or-close" && this.#expect !== empty) || open[depth - 1] !== opener)
          return this.#fail(at);
        kind = c;
        open.pop();
        depth--;
        this.#expect = depth === 0 ? "end" : "comma-or-close";
      } else if (this.#expect === "name" || this.#expect === "name-or-close") {
        if (c !== quote) return this.#fail(at);
        end = endOfString(text, at);
        if (end < 0) return this.#fail(-end - 1);
        isName = true;
        this.#expect = "colon";
      } else if (this.#expect !== "value" && this.#expect !== "value-or-close") {
        return this.#fail(at);
      } else if (c === openBrace || c === openBracket) {
        kind = c;
        open.push(c);
        this.#expect = c === openBrace ? "name-or-close" : "value-or-close";
      } else {
        end = c === quote ? endOfString(text, at) : endOfWord(text, at);
        if (end < 0) return this.#fail(-end - 1);
        this.#expect = depth === 0 ? "end" : "comma-or-close";
      }
      this.#visit(kind, at, end, depth, isName);
      this.#at = end;
    }
    return false;
  }

  #fail(offset: number): true {
    this.error = errorAt(this.#text, offset, this.#expect);
    return true;
  }
}

function walk(text: string, visit: Visit): ScanError | undefined {
  const made = new Walk(text, visit);
  made.step(Number.POSITIVE_INFINITY);
  return made.error;
}

/** Offset after the closing quote, or -1-offset of the fault. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === quote) return at + 1;
    if (c === backslash) {
      const escaped = text[at + 1];
      if (escaped === "u") {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) return -at - 1;
        at += 6;
      } else if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) return -at - 1;
      else at += 2;
      continue;
    }
    // Also past the end, where the code is not a number.
    if (!(c >= 32)) return -at - 1;
    at++;
  }
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /true|false|null/y;

function endOfWord(text: string, start: number): number {
  const c = text.charCodeAt(start);
  const pattern = c === 45 || (c >= 48 && c <= 57) ? number : word;
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : -start - 1;
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
  const layout = new Layout(text);
  layout.step(Number.POSITIVE_INFINITY);
  return layout.text;
}

/** formatJson in steps, for documents that take longer than a frame. */
export class Layout {
  readonly #source: string;
  readonly #walk: Walk;
  #out = "";
  /** The line break that is due before the next token, unless that one closes an empty bracket. */
  #pending = "";
  /** What the innermost array would be on one line, while it can be, and the text before it. */
  #inline: string | undefined;
  #before = "";
  #opened = false;

  constructor(text: string) {
    this.#source = text;
    this.#walk = new Walk(text, (kind, start, end, depth) => this.#visit(kind, start, end, depth));
  }

  step(tokens: number): boolean {
    return this.#walk.step(tokens);
  }

  /** 0 to 1. */
  get progress(): number {
    return this.#walk.offset / Math.max(1, this.#source.length);
  }

  /** Once step() said that it is done. */
  get text(): string {
    return this.#walk.error ? this.#source : this.#out;
  }

  #visit(kind: number, start: number, end: number, depth: number): void {
    switch (kind) {
      case openBrace:
      case openBracket:
        this.#out += this.#pending;
        this.#inline = kind === openBracket ? "[" : undefined;
        this.#before = this.#out;
        this.#out += kind === openBracket ? "[" : "{";
        this.#pending = indent(depth + 1);
        this.#opened = true;
        return;
      case closeBrace:
      case closeBracket:
        if (this.#inline !== undefined && kind === closeBracket) this.#out = `${this.#before}${this.#inline}]`;
        else this.#out += `${this.#opened ? "" : indent(depth)}${kind === closeBracket ? "]" : "}"}`;
        this.#inline = undefined;
        this.#pending = "";
        break;
      case comma:
        this.#out += ",";
        if (this.#inline !== undefined) this.#inline += ", ";
        this.#pending = indent(depth);
        break;
      case colon:
        this.#out += ": ";
        this.#pending = "";
        break;
      default: {
        const piece = this.#source.slice(start, end);
        this.#out += this.#pending + piece;
        this.#pending = "";
        if (this.#inline !== undefined) {
          this.#inline += piece;
          if (this.#inline.length >= inlineWidth) this.#inline = undefined;
        }
      }
    }
    this.#opened = false;
  }
}

/** The text of one member of a top-level object exactly as it stands there; the last one wins. undefined if there is none. */
export function memberText(text: string, name: string): string | undefined {
  let current = false;
  let from = -1;
  let found: string | undefined;
  const error = walk(text, (kind, start, end, depth, isName) => {
    if (depth === 1 && isName) {
      current = JSON.parse(text.slice(start, end)) === name;
      from = -1;
    } else if (current && kind !== colon) {
      if (from < 0) from = start;
      if (depth === 1 && kind !== openBrace && kind !== openBracket) {
        found = text.slice(from, end);
        current = false;
      }
    }
  });
  return error ? undefined : found;
}
