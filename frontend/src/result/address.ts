// What a person must know about an address before it opens.

export interface Address {
  url: string;
  host: string;
  /** Before and after the host, to show the whole address with the host standing out. */
  before: string;
  after: string;
  /** What is odd about it, in sentences. */
  warnings: string[];
  /** Only https, and http on this machine, open in the browser. */
  opens: boolean;
}

export function readAddress(text: string): Address {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return {
      url: text,
      host: "",
      before: text,
      after: "",
      warnings: ["This is not a complete address."],
      opens: false,
    };
  }
  const warnings: string[] = [];
  const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  const opens = url.protocol === "https:" || (url.protocol === "http:" && loopback);
  if (!opens)
    warnings.push(
      url.protocol === "http:"
        ? "This address is not encrypted. Only https addresses open in the browser."
        : `Addresses that begin with ${url.protocol} do not open in the browser.`,
    );
  if (/(^|\.)xn--/i.test(url.hostname))
    warnings.push(
      `The name of this host is written in other letters than it shows; its real name is ${url.hostname}. Make sure that it is the one you expect.`,
    );
  if (url.username !== "" || url.password !== "")
    warnings.push(`The part before the @ is a user name, not the host. This address leads to ${url.host}.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/.test(text))
    warnings.push("The address contains characters that cannot be seen.");
  const shown = url.href;
  const at = shown.indexOf(
    url.host,
    url.protocol.length +
      2 +
      (url.username || url.password ? shown.slice(url.protocol.length + 2).indexOf("@") + 1 : 0),
  );
  if (url.host === "" || at < 0) return { url: shown, host: "", before: shown, after: "", warnings, opens };
  return {
    url: shown,
    host: url.host,
    before: shown.slice(0, at),
    after: shown.slice(at + url.host.length),
    warnings,
    opens,
  };
}
