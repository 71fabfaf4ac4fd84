// text is the result of a tool that says one thing.
export const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

// amount is what the form asks for.
export const amount = {
  type: "object" as const,
  properties: { amount: { type: "number" as const, title: "Amount", minimum: 1, maximum: 100 } },
  required: ["amount"],
};
