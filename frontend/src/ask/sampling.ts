/** Pure: what a server asks of a language model, read from the params of a sampling/createMessage. */
import { isNumeric, isObject, type Json, parseJson, stringifyJson } from "../json/value";
import { type Block, readBlocks } from "../result/read";

/** Content, a tool that the model called, or what came of that. */
export type SamplingPart =
  | { kind: "content"; block: Block }
  | { kind: "call"; name: string; input: string }
  | { kind: "outcome"; failed: boolean; blocks: Block[] };

export interface SamplingMessage {
  role: string;
  parts: SamplingPart[];
}

export interface Sampling {
  systemPrompt: string;
  messages: SamplingMessage[];
  /** What else the server wishes: name and words. */
  wishes: [name: string, value: string][];
}

/** undefined if there are no messages to show. */
export function readSampling(params: string): Sampling | undefined {
  let value: Json;
  try {
    value = parseJson(params);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !Array.isArray(value.messages)) return undefined;
  const preferences = isObject(value.modelPreferences) ? value.modelPreferences : {};
  const hints = Array.isArray(preferences.hints)
    ? preferences.hints.flatMap((hint) => (isObject(hint) && typeof hint.name === "string" ? [hint.name] : []))
    : [];
  const priorities = [
    ["cost", preferences.costPriority],
    ["speed", preferences.speedPriority],
    ["intelligence", preferences.intelligencePriority],
  ] as const;
  const wishes: [string, string][] = [
    ["Length", isNumeric(value.maxTokens) ? `at most ${value.maxTokens} tokens` : ""],
    ["Models", hints.join(", ")],
    ["Priorities", priorities.flatMap(([name, of]) => (isNumeric(of) ? [`${name} ${of}`] : [])).join(", ")],
    ["Temperature", isNumeric(value.temperature) ? String(value.temperature) : ""],
    ["Stops at", texts(value.stopSequences).join(", ")],
    [
      "Context",
      typeof value.includeContext === "string" && value.includeContext !== "none" ? value.includeContext : "",
    ],
    ["Tools", Array.isArray(value.tools) ? value.tools.map(toolName).join(", ") : ""],
  ];
  return {
    systemPrompt: typeof value.systemPrompt === "string" ? value.systemPrompt : "",
    messages: value.messages.map((message) =>
      isObject(message)
        ? { role: typeof message.role === "string" ? message.role : "", parts: readParts(message.content) }
        : { role: "", parts: readParts(message) },
    ),
    wishes: wishes.filter(([, words]) => words !== ""),
  };
}

function readParts(content: Json | undefined): SamplingPart[] {
  return (Array.isArray(content) ? content : [content]).map((item): SamplingPart => {
    if (isObject(item) && item.type === "tool_use" && typeof item.name === "string") {
      return { kind: "call", name: item.name, input: stringifyJson(item.input ?? {}) };
    }
    if (isObject(item) && item.type === "tool_result" && item.content !== undefined) {
      return { kind: "outcome", failed: item.isError === true, blocks: readBlocks(item.content) };
    }
    const [block] = readBlocks(item);
    return { kind: "content", block: block as Block };
  });
}

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

const toolName = (tool: Json): string =>
  isObject(tool) && typeof tool.name === "string" ? tool.name : "without a name";
