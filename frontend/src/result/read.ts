// Reads the raw text of a result into what can be shown. Pure; nothing of a result is ever refused: what is not known is shown
// as the JSON that it is.
import { checkJson, memberText } from "../json/scan";
import { isNumeric, isObject, type Json, type JsonObject, parseJson, stringifyJson } from "../json/value";

export interface Annotations {
  audience: string[];
  priority: number | undefined;
}

export type Block =
  | { kind: "text"; text: string; annotations: Annotations | undefined }
  | { kind: "image" | "audio"; data: string; mimeType: string; annotations: Annotations | undefined }
  | {
      kind: "link";
      uri: string;
      name: string;
      title: string;
      description: string;
      mimeType: string;
      size: number | undefined;
    }
  | { kind: "resource"; resource: ResourceContents }
  | { kind: "unknown"; type: string; json: string };

export interface ResourceContents {
  uri: string;
  mimeType: string;
  /** Exactly one of them is set; neither: the server sent no content. */
  text: string | undefined;
  blob: string | undefined;
}

export interface ToolResult {
  blocks: Block[];
  /** The text of structuredContent exactly as it was sent. */
  structured: string | undefined;
  isError: boolean;
  /** Members beyond content, structuredContent, isError and _meta, as JSON text. */
  further: { name: string; json: string }[];
}

export interface PromptMessage {
  role: string;
  block: Block;
}

/** Above this the text is parsed by the engine itself, which is faster and rounds long numbers; what is shown of it is cut from the text. */
const losslessLimit = 2_000_000;

function parse(text: string): Json | undefined {
  if (checkJson(text)) return undefined;
  try {
    return text.length > losslessLimit ? (JSON.parse(text) as Json) : parseJson(text);
  } catch {
    return undefined; // nested beyond what can be shown as anything but text
  }
}

/** undefined: the text is no result object; show it as it is. */
export function readToolResult(text: string): ToolResult | undefined {
  const value = parse(text);
  if (!isObject(value)) return undefined;
  const content = Array.isArray(value.content) ? value.content : value.content === undefined ? [] : [value.content];
  const structured = "structuredContent" in value ? memberText(text, "structuredContent") : undefined;
  const known = new Set(["content", "structuredContent", "isError", "_meta", "resultType"]);
  return {
    blocks: content.map(readBlock),
    structured,
    isError: value.isError === true,
    further: Object.keys(value)
      .filter((name) => !known.has(name))
      .map((name) => ({ name, json: stringifyJson(value[name]) })),
  };
}

export function readPromptResult(text: string): { description: string; messages: PromptMessage[] } | undefined {
  const value = parse(text);
  if (!isObject(value) || !Array.isArray(value.messages)) return undefined;
  return {
    description: string(value.description),
    messages: value.messages.flatMap((message): PromptMessage[] => {
      if (!isObject(message)) return [{ role: "", block: readBlock(message) }];
      // Several contents in one message came with later revisions; servers of both kinds exist.
      const contents = Array.isArray(message.content) ? message.content : [message.content as Json];
      return contents.map((content) => ({ role: string(message.role), block: readBlock(content) }));
    }),
  };
}

export function readResourceResult(text: string): ResourceContents[] | undefined {
  const value = parse(text);
  if (!isObject(value) || !Array.isArray(value.contents)) return undefined;
  return value.contents.map((item) => readContents(isObject(item) ? item : {}));
}

/** Content as messages carry it: one block, or a list of them. */
export function readBlocks(content: Json | undefined): Block[] {
  return Array.isArray(content) ? content.map(readBlock) : [readBlock(content)];
}

function readBlock(item: Json | undefined): Block {
  if (typeof item === "string") return { kind: "text", text: item, annotations: undefined };
  if (!isObject(item)) return { kind: "unknown", type: "", json: stringifyJson(item ?? null) };
  const annotations = readAnnotations(item.annotations);
  switch (item.type) {
    case "text":
      if (typeof item.text === "string") return { kind: "text", text: item.text, annotations };
      break;
    case "image":
    case "audio":
      if (typeof item.data === "string")
        return { kind: item.type, data: item.data, mimeType: string(item.mimeType), annotations };
      break;
    case "resource_link":
      if (typeof item.uri === "string")
        return {
          kind: "link",
          uri: item.uri,
          name: string(item.name),
          title: string(item.title),
          description: string(item.description),
          mimeType: string(item.mimeType),
          size: isNumeric(item.size) ? Number(item.size) : undefined,
        };
      break;
    case "resource":
      if (isObject(item.resource)) return { kind: "resource", resource: readContents(item.resource) };
      break;
  }
  return { kind: "unknown", type: string(item.type), json: stringifyJson(item) };
}

function readContents(item: JsonObject): ResourceContents {
  return {
    uri: string(item.uri),
    mimeType: string(item.mimeType),
    text: typeof item.text === "string" ? item.text : undefined,
    blob: typeof item.blob === "string" ? item.blob : undefined,
  };
}

function readAnnotations(value: Json | undefined): Annotations | undefined {
  if (!isObject(value)) return undefined;
  const audience = Array.isArray(value.audience)
    ? value.audience.filter((who): who is string => typeof who === "string")
    : [];
  const priority = isNumeric(value.priority) ? Number(value.priority) : undefined;
  return audience.length > 0 || priority !== undefined ? { audience, priority } : undefined;
}

function string(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Base64 (also the URL-safe alphabet, also without padding) to bytes; undefined if it is not. */
export function decodeBase64(data: string): Uint8Array<ArrayBuffer> | undefined {
  const clean = data.replace(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    const binary = atob(clean);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return undefined;
  }
}

export type TextShape = "json" | "markdown" | "plain";

/** What a text can also be read as. Everything is shown as plain text first, except JSON that a machine wrote on one line. */
export function shapeOf(text: string, mimeType = ""): TextShape {
  if (/[/+]json\b/i.test(mimeType) && !checkJson(text)) return "json";
  if (/markdown/i.test(mimeType)) return "markdown";
  if (/^\s*[[{]/.test(text) && !checkJson(text)) return "json";
  return looksLikeMarkdown(text) ? "markdown" : "plain";
}

function looksLikeMarkdown(text: string): boolean {
  const head = text.slice(0, 20_000);
  return (
    /^#{1,6} \S/m.test(head) ||
    /\*\*\S[^*]*\*\*/.test(head) ||
    /^```/m.test(head) ||
    /\[[^\]\n]+\]\([^)\s]+\)/.test(head) ||
    /^\s*[-*] \S.*\n\s*[-*] \S/m.test(head) ||
    /^\|.+\|\s*\n\|[ :|-]+\|/m.test(head)
  );
}
