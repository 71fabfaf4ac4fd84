/** A piece of a text that is shown letter by letter: what cannot be seen is named. */
export interface Piece {
  text: string;
  /** It stands for a character that cannot be seen, or that turns the direction of writing. */
  hidden: boolean;
}

/**
 * Characters that show nothing, or as something else: control, format, surrogate, private and unassigned ones, every space but the
 * ordinary one, what only changes its neighbour, and letters that are blank (Hangul fillers, the empty Braille pattern).
 */
const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u;

/** Splits a text so that nothing in it stays unseen; spaces are named where an eye passes over them: at the ends, and in rows. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  const chars = [...text];
  chars.forEach((char, at) => {
    const space = char === " " && (at === 0 || at === chars.length - 1 || chars[at - 1] === " ");
    const hidden = space || unseen.test(char);
    const last = out.at(-1);
    if (!hidden && last && !last.hidden) last.text += char;
    else out.push({ text: hidden ? nameOf(char) : char, hidden });
  });
  return out;
}

const names: Record<string, string> = { " ": "␣ space", "\t": "␉ tab", "\n": "␊ line break", "\r": "␍ return" };

function nameOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return names[char] ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Letters of another script in a host name look like others: the browser's own spelling tells them apart. */
export function asciiHost(address: string): string {
  try {
    const { hostname } = new URL(address);
    return hostname.includes("xn--") ? hostname : "";
  } catch {
    return "";
  }
}
