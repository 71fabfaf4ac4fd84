// The formats a form checks while typing, each with the sentence for a value that does not fit (yet). An unknown format is no
// error: JSON Schema says so, and the server decides.

interface Format {
  test: (text: string) => boolean;
  sentence: string;
  /** What to type, shown while the field is empty. */
  example?: string;
}

const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/;
const timeShape = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

function isDate(text: string): boolean {
  const match = dateShape.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [user, host] = [text.slice(0, at), text.slice(at + 1)];
  // A domain without a dot exists in theory; in a form it is an address that is not finished.
  return (
    at > 0 &&
    user.length <= 64 &&
    /^[^\s@"<>()[\],;:\\]+$|^".+"$/.test(user) &&
    !user.includes("..") &&
    (/^\[.+\]$/.test(host) || (isHostname(host) && host.includes(".")))
  );
}

function isUri(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\s]+$/i.test(text) && URL.canParse(text);
}

function isIPv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

export const formats: Readonly<Record<string, Format>> = {
  email: { test: isEmail, sentence: "This is not an e-mail address yet.", example: "name@example.com" },
  "idn-email": {
    test: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
    sentence: "This is not an e-mail address yet.",
    example: "name@example.com",
  },
  uri: {
    test: isUri,
    sentence: "This is not a full address yet: it needs a scheme such as https://.",
    example: "https://example.com/",
  },
  url: {
    test: isUri,
    sentence: "This is not a full address yet: it needs a scheme such as https://.",
    example: "https://example.com/",
  },
  iri: {
    test: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text),
    sentence: "This is not a full address yet: it needs a scheme such as https://.",
  },
  date: { test: isDate, sentence: "This is not a date such as 2026-12-04.", example: "YYYY-MM-DD" },
  time: {
    test: (text) => timeShape.test(text),
    sentence: "This is not a time with its zone, such as 19:05:00Z.",
    example: "HH:MM:SSZ",
  },
  "date-time": {
    test: (text) => {
      const at = text.search(/[tT ]/);
      return at > 0 && isDate(text.slice(0, at)) && timeShape.test(text.slice(at + 1));
    },
    sentence: "This is not a date and time with its zone, such as 2026-12-04T19:05:00Z.",
    example: "YYYY-MM-DDTHH:MM:SSZ",
  },
  duration: {
    test: (text) => /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$/.test(text),
    sentence: "This is not a duration such as PT1H30M.",
    example: "PT1H30M",
  },
  hostname: { test: isHostname, sentence: "This is not a host name.", example: "example.com" },
  ipv4: { test: isIPv4, sentence: "This is not an IPv4 address such as 192.0.2.1.", example: "192.0.2.1" },
  ipv6: {
    test: (text) => text.includes(":") && URL.canParse(`http://[${text}]/`),
    sentence: "This is not an IPv6 address such as 2001:db8::1.",
    example: "2001:db8::1",
  },
  uuid: {
    test: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    sentence: "This is not a UUID such as 2f1b0c3e-5a77-4f0e-9d55-0d8f6a1c2b3d.",
  },
  regex: {
    test: (text) => {
      try {
        new RegExp(text, "u");
        return true;
      } catch {
        return false;
      }
    },
    sentence: "This is not a regular expression.",
  },
};

export function formatOf(name: string | undefined): Format | undefined {
  return name !== undefined && Object.hasOwn(formats, name) ? formats[name] : undefined;
}
