/** The Playground of the in-memory twin: the tools, prompts and resources of the real one, played in this page. */
import type { api } from "../backend";

const schema = (value: unknown): string => JSON.stringify(value);
const object = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});

interface ToolFacts {
  title?: string;
  description: string;
  input: unknown;
  output?: unknown;
  hints?: Partial<Pick<api.Tool, "readOnly" | "destructive" | "idempotent" | "openWorld">>;
}

export function tool(name: string, facts: ToolFacts): api.Tool {
  const raw = { name, title: facts.title, description: facts.description, inputSchema: facts.input };
  return {
    name,
    title: facts.title ?? "",
    description: facts.description,
    key: name,
    inputSchema: schema(facts.input),
    outputSchema: facts.output ? schema(facts.output) : "",
    readOnly: "",
    destructive: "",
    idempotent: "",
    openWorld: "",
    ...facts.hints,
    raw: JSON.stringify(raw),
  };
}

export const askFormSchema = {
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", minLength: 2 },
    email: { type: "string", title: "E-mail", format: "email" },
    website: { type: "string", title: "Website", format: "uri" },
    birthday: { type: "string", title: "Birthday", format: "date" },
    reminder: { type: "string", title: "Remind me at", format: "date-time" },
    rating: { type: "number", title: "Rating", minimum: 0, maximum: 5 },
    seats: { type: "integer", title: "Seats", minimum: 1, maximum: 6 },
    newsletter: { type: "boolean", title: "Send me news", default: false },
    plan: {
      type: "string",
      title: "Plan",
      oneOf: [
        { const: "free", title: "Free" },
        { const: "team", title: "Team" },
        { const: "enterprise", title: "Enterprise" },
      ],
    },
    colours: {
      type: "array",
      title: "Colours",
      minItems: 1,
      maxItems: 2,
      items: {
        anyOf: [
          { const: "red", title: "Red" },
          { const: "green", title: "Green" },
          { const: "blue", title: "Blue" },
        ],
      },
    },
  },
  required: ["name", "email", "plan"],
};

const orderSchema = {
  type: "object",
  properties: {
    customer: {
      type: "object",
      title: "Customer",
      properties: {
        name: { type: "string", title: "Name", minLength: 1 },
        email: { type: "string", title: "E-mail", format: "email" },
        phone: { anyOf: [{ type: "string" }, { type: "null" }], title: "Phone" },
      },
      required: ["name", "email"],
    },
    items: {
      type: "array",
      title: "Items",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          sku: { type: "string", title: "Article", enum: ["patch-cord", "jack-socket", "switchboard"] },
          quantity: { type: "integer", title: "Quantity", minimum: 1, maximum: 99, default: 1 },
          price: { type: "number", title: "Price", minimum: 0 },
        },
        required: ["sku", "quantity"],
      },
    },
    delivery: {
      title: "Delivery",
      oneOf: [
        {
          title: "Ship to an address",
          type: "object",
          properties: {
            kind: { const: "ship" },
            street: { type: "string", title: "Street" },
            city: { type: "string", title: "City" },
            express: { type: "boolean", title: "Express", default: false },
          },
          required: ["kind", "street", "city"],
        },
        {
          title: "Pick up",
          type: "object",
          properties: {
            kind: { const: "pickup" },
            store: { type: "string", title: "Store", enum: ["north", "harbour", "station"] },
          },
          required: ["kind", "store"],
        },
      ],
    },
    priority: { type: "string", title: "Priority", enum: ["low", "normal", "high"], default: "normal" },
    deliverOn: { type: "string", title: "Deliver on", format: "date" },
    tags: { type: "array", title: "Tags", items: { type: "string" } },
    note: { type: "string", title: "Note", maxLength: 200 },
  },
  required: ["customer", "items", "delivery"],
};

const orderOutput = object(
  {
    number: { type: "integer" },
    reference: { type: "string" },
    total: { type: "number" },
    status: { type: "string", enum: ["accepted", "waiting"] },
  },
  ["number", "reference", "total", "status"],
);

export const playgroundTools: api.Tool[] = [
  tool("add", {
    title: "Add to the counter",
    description: "Adds a number to a counter that is kept between starts, and returns the new value.",
    input: object({ amount: { type: "integer", title: "Amount", default: 1 } }),
    output: object({ counter: { type: "integer" } }, ["counter"]),
    hints: { destructive: "false" },
  }),
  tool("ask_form", {
    title: "Ask with a form",
    description: "Asks you for one value of every kind, and returns what you answered.",
    input: object({}),
    hints: { readOnly: "true" },
  }),
  tool("ask_url", {
    title: "Ask with a page",
    description: "Asks you to open a page in your browser before it goes on.",
    input: object({}),
    hints: { readOnly: "true", openWorld: "true" },
  }),
  tool("create_order", {
    title: "Create an order",
    description: "Stores an order with a customer, items and a delivery, and returns its number.",
    input: orderSchema,
    output: orderOutput,
    hints: { destructive: "false", idempotent: "false" },
  }),
  tool("delete_orders", {
    title: "Delete all orders",
    description: "Deletes every order of the Playground.",
    input: object({}),
    hints: { destructive: "true", idempotent: "true" },
  }),
  tool("echo", {
    title: "Echo",
    description: "Returns the text that you send.",
    input: object({ text: { type: "string", title: "Text", description: "What comes back." } }, ["text"]),
    hints: { readOnly: "true", idempotent: "true" },
  }),
  tool("fail", {
    title: "Fail",
    description: "Reports an error of its own, as a tool does when it cannot do what was asked.",
    input: object({ reason: { type: "string", title: "Reason" } }),
    hints: { readOnly: "true" },
  }),
  tool("show_content", {
    title: "Show every kind of content",
    description: "Returns text, an image, a sound, a resource link, an embedded resource and structured content.",
    input: object({}),
    hints: { readOnly: "true", idempotent: "true" },
  }),
  tool("slow", {
    title: "Take a while",
    description: "Works for some seconds and reports its progress. It can be cancelled.",
    input: object({
      seconds: { type: "number", title: "Seconds", minimum: 0, maximum: 300, default: 5 },
      steps: { type: "integer", title: "Steps", minimum: 1, maximum: 100, default: 5 },
    }),
    hints: { readOnly: "true" },
  }),
];

export const playgroundPrompts: api.Prompt[] = [
  {
    name: "explain",
    title: "Explain a topic",
    description: "Asks a model to explain a topic to an audience.",
    arguments: [
      { name: "topic", title: "Topic", description: "What to explain.", required: true },
      { name: "audience", title: "Audience", description: "Who it is for.", required: false },
    ],
    raw: JSON.stringify({ name: "explain", title: "Explain a topic" }),
  },
];

export const completions: Record<string, string[]> = {
  topic: ["elicitation", "progress", "prompts", "resources", "sessions", "tools", "transports"],
  audience: ["a beginner", "a child", "a colleague", "an engineer"],
  id: ["1001", "1002", "1003"],
};

export const playgroundResources: api.Resource[] = [
  {
    uri: "playground://about",
    name: "about",
    title: "About the Playground",
    description: "What this server is for.",
    mimeType: "text/markdown",
    size: 214,
    raw: JSON.stringify({ uri: "playground://about", name: "about", mimeType: "text/markdown" }),
  },
  {
    uri: "playground://counter",
    name: "counter",
    title: "Counter",
    description: "The counter that the tool add changes. You can subscribe to it.",
    mimeType: "application/json",
    size: -1,
    raw: JSON.stringify({ uri: "playground://counter", name: "counter", mimeType: "application/json" }),
  },
];

export const playgroundTemplates: api.Template[] = [
  {
    uriTemplate: "playground://orders/{id}",
    name: "order",
    title: "An order",
    description: "One stored order.",
    mimeType: "application/json",
    variables: ["id"],
    raw: JSON.stringify({ uriTemplate: "playground://orders/{id}", name: "order", mimeType: "application/json" }),
  },
];

export const aboutText = `# The Playground

A server that Jackfield brings, to try things out.

- Call **echo** first, then **create_order**.
- Call **ask_form** to see how a server asks you.
- Subscribe to \`playground://counter\`, then call **add**.
`;

export const instructions =
  "Start with echo. create_order shows a nested form, ask_form and ask_url show how a server asks you, slow shows progress and cancelling.";

/** A 24 by 24 picture and a short tone, small enough to be written here. */
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAABgAAAAYCAIAAABvFaqvAAAAJElEQVR42mNYFKdFFcQwatCoQaMGjRo0atCoQaMGjRo0atDgMwgAb0GE8Z2SNvQAAAAASUVORK5CYII=";
const sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/** The result of show_content as text: the large number has to keep its digits. */
export const everyContent = `{"content":[${[
  {
    type: "text",
    text: "Every kind of content, one after the other.",
    annotations: { audience: ["user"], priority: 1 },
  },
  { type: "image", data: picture, mimeType: "image/png" },
  { type: "audio", data: sound, mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "playground://about",
    name: "about",
    title: "About the Playground",
    mimeType: "text/markdown",
  },
  { type: "resource", resource: { uri: "playground://about", mimeType: "text/markdown", text: aboutText } },
  {
    type: "resource",
    resource: { uri: "playground://blob", mimeType: "application/octet-stream", blob: "SmFja2ZpZWxk" },
  },
]
  .map((item) => JSON.stringify(item))
  .join(
    ",",
  )}],"structuredContent":{"globalId":9007199254740993,"kinds":["text","image","audio","resource_link","resource"]}}`;
