/**
 * Text from outside as it really is: control and format characters (among them those that turn the direction of writing) are
 * shown by name, because they can make a command look like another one. Line breaks and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => {
    if (char === "\n" || char === "\t") return char;
    const code = char.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
