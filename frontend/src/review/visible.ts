/** A piece of a text that is shown letter by letter: what cannot be seen is named. */
export interface Piece {
  text: string;
  /** It stands for a character that cannot be seen, or that turns the direction of writing. */
  hidden: boolean;
}

/** Splits a text so that nothing in it stays unseen: control, format, and unusual space characters become their names. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  for (const char of text) {
    const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(char);
    const last = out.at(-1);
    if (!hidden && last && !last.hidden) last.text += char;
    else out.push({ text: hidden ? nameOf(char) : char, hidden });
  }
  return out;
}

const names: Record<string, string> = { "\t": "␉ tab", "\n": "␊ line break", "\r": "␍ return" };

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
