import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { stringifyJson } from "../json/value";
import { expectAccessible, renderForm } from "../testing/content";
import type { Schema } from "./node";

const object = (properties: Record<string, unknown>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
});

describe("what is sent", () => {
  it("leaves untouched optional fields out, also after they were emptied again", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(
      object({ a: { type: "string" }, b: { type: "number" }, c: { type: "array", items: { type: "string" } } }),
    );
    expect(seen.value).toEqual({});
    await user.type(screen.getByLabelText("a"), "x");
    expect(seen.value).toEqual({ a: "x" });
    await user.clear(screen.getByLabelText("a"));
    expect(seen.value).toEqual({});
  });

  it("keeps every digit of a large integer", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ id: { type: "integer" } }, ["id"]));
    await user.type(screen.getByLabelText("id"), "9007199254740993");
    expect(stringifyJson(seen.value)).toBe('{"id":9007199254740993}');
  });

  it("sends an object as an object, not as a text of it", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ filter: {} }, ["filter"]));
    await user.click(screen.getByLabelText("filter"));
    await user.paste('{"a": [1, 2]}');
    expect(seen.value).toEqual({ filter: { a: [1, 2] } });
  });

  it("keeps half-typed JSON as it is and does not escape it again", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ filter: {} }, ["filter"]), { value: { filter: null } });
    const box = screen.getByLabelText<HTMLTextAreaElement>("filter");
    expect(box.value).toBe("null");
    await user.type(box, "{Backspace}");
    expect(box.value).toBe("nul");
    expect(seen.handle?.check()).toBe(false);
    await user.type(box, "{Backspace}{Backspace}{Backspace}7");
    expect(seen.value).toEqual({ filter: 7 });
  });

  it("sends an empty text only when it is asked for", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ t: { type: "string" } }, ["t"]));
    act(() => void seen.handle?.check());
    expect(screen.getByText("This is required.")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Send an empty text" }));
    expect(seen.value).toEqual({ t: "" });
    expect(screen.queryByText("This is required.")).toBeNull();
  });

  it("tells null from not sent", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ phone: { type: ["string", "null"] } }));
    await user.click(screen.getByRole("button", { name: "Set phone to null" }));
    expect(seen.value).toEqual({ phone: null });
    await user.click(screen.getByRole("button", { name: "Give phone a value" }));
    expect(seen.value).toEqual({});
  });

  it("can clear an optional choice again", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ p: { enum: ["low", "high"] } }));
    await user.click(screen.getByRole("radio", { name: "low" }));
    expect(seen.value).toEqual({ p: "low" });
    await user.click(screen.getByRole("button", { name: "Do not send p" }));
    expect(seen.value).toEqual({});
  });

  it("keeps line breaks of a pasted text", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ t: { type: "string" } }, ["t"]));
    await user.click(screen.getByLabelText("t"));
    await user.paste("one\ntwo");
    expect(seen.value).toEqual({ t: "one\ntwo" });
    expect(document.activeElement?.tagName).toBe("TEXTAREA");
  });

  it("shows and keeps members that the schema does not name", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ a: { type: "string" } }), { value: { a: "x", stray: 1 } });
    expect(screen.getByLabelText<HTMLTextAreaElement>("stray").value).toBe("1");
    await user.type(screen.getByLabelText("a"), "y");
    expect(seen.value).toEqual({ a: "xy", stray: 1 });
    await user.click(screen.getByRole("button", { name: "Remove stray" }));
    expect(seen.value).toEqual({ a: "xy" });
  });
});

describe("the line of what is not sent", () => {
  const many = object({
    due: { type: "string" },
    assignee: { type: "string" },
    parent: { type: "integer" },
    watch: { type: "boolean" },
  });

  it("names the optional fields and adds the one that is pressed", async () => {
    const user = userEvent.setup();
    const { seen, container } = renderForm(many);
    expect(container.querySelector(".not-sent")?.textContent).toBe("due, assignee, parent, watch: not sent add all");
    expect(screen.queryByLabelText("assignee")).toBeNull();
    await user.click(screen.getByRole("button", { name: "assignee" }));
    expect(document.activeElement).toBe(screen.getByLabelText("assignee"));
    expect(seen.value).toEqual({});
    await user.keyboard("ana");
    expect(seen.value).toEqual({ assignee: "ana" });
    await user.click(screen.getByRole("button", { name: "Do not send assignee" }));
    expect(seen.value).toEqual({});
    expect(container.querySelector(".not-sent")?.textContent).toContain("assignee");
  });

  it("brings a field out of the line when the back end names it", () => {
    renderForm(many, { errors: [{ pointer: "/parent", message: "There is no such issue." }] });
    expect(screen.getByLabelText("parent")).toBeTruthy();
    expect(screen.getByText("There is no such issue.")).toBeTruthy();
  });
});

describe("faults", () => {
  it("stand at their field and the first one gets the focus", () => {
    const { seen } = renderForm(object({ a: { type: "string" }, b: { type: "integer", maximum: 13 } }, ["a", "b"]), {
      value: { a: "x", b: 21 },
    });
    let ok: boolean | undefined;
    act(() => {
      ok = seen.handle?.check();
    });
    expect(ok).toBe(false);
    const box = screen.getByLabelText("b");
    expect(document.activeElement).toBe(box);
    const ids = box.getAttribute("aria-describedby")?.split(" ") ?? [];
    expect(ids.map((id) => document.getElementById(id)?.textContent).join(" ")).toContain(
      "21 is more than the maximum, 13.",
    );
  });

  it("are not shown before the person has been there", async () => {
    const user = userEvent.setup();
    renderForm(object({ mail: { type: "string", format: "email" } }, ["mail"]));
    await user.type(screen.getByLabelText("mail"), "ana@exam");
    expect(screen.queryByText("This is not an e-mail address yet.")).toBeNull();
    await user.tab();
    expect(screen.getByText("This is not an e-mail address yet.")).toBeTruthy();
  });
});

describe("lists", () => {
  it("take chips by Enter, by leaving the field and by pasted lines", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(object({ tags: { type: "array", items: { type: "string" } } }, ["tags"]));
    const input = screen.getByLabelText("Add to tags");
    await user.type(input, "bug{Enter}");
    await user.type(input, "search");
    await user.tab();
    await user.click(input);
    await user.paste("a\nb");
    expect(seen.value).toEqual({ tags: ["bug", "search", "a", "b"] });
    await user.click(screen.getByRole("button", { name: "Remove search" }));
    expect(seen.value).toEqual({ tags: ["bug", "a", "b"] });
  });

  it("show a row for each fixed place of prefixItems", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(
      object(
        {
          at: {
            type: "array",
            prefixItems: [
              { type: "number", title: "x" },
              { type: "number", title: "y" },
            ],
          },
        },
        ["at"],
      ),
    );
    await user.type(screen.getByLabelText("1 · x"), "1");
    await user.type(screen.getByLabelText("2 · y"), "2.50");
    expect(stringifyJson(seen.value)).toBe('{"at":[1,2.50]}');
  });

  it("add, move and remove objects", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(
      object({ items: { type: "array", items: object({ n: { type: "integer", default: 1 } }, ["n"]) } }, ["items"]),
    );
    await user.click(screen.getByRole("button", { name: "+ add to items" }));
    await user.click(screen.getByRole("button", { name: "+ add another" }));
    const boxes = screen.getAllByLabelText("n");
    await user.clear(boxes[1] as HTMLElement);
    await user.type(boxes[1] as HTMLElement, "2");
    await user.click(screen.getByRole("button", { name: "Move item 2 up" }));
    expect(seen.value).toEqual({ items: [{ n: 2 }, { n: 1 }] });
    await user.click(screen.getByRole("button", { name: "Remove item 1" }));
    expect(seen.value).toEqual({ items: [{ n: 1 }] });
  });
});

describe("variants", () => {
  const either = object(
    {
      pay: {
        oneOf: [
          {
            title: "Card",
            type: "object",
            properties: { kind: { const: "card" }, name: { type: "string" }, number: { type: "string" } },
            required: ["kind", "name", "number"],
          },
          {
            title: "Cash",
            type: "object",
            properties: { kind: { const: "cash" }, name: { type: "string" } },
            required: ["kind", "name"],
          },
        ],
      },
    },
    ["pay"],
  );

  it("are picked by name, and what fits both is kept", async () => {
    const user = userEvent.setup();
    const { seen } = renderForm(either);
    await user.type(screen.getByLabelText("name"), "Ana");
    await user.click(screen.getByRole("radio", { name: "Cash" }));
    expect(seen.value).toEqual({ pay: { kind: "cash", name: "Ana" } });
    expect(screen.queryByLabelText("number")).toBeNull();
  });

  it("open at the variant that the value belongs to", () => {
    renderForm(either, { value: { pay: { kind: "cash", name: "Ana" } } });
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Cash" }).checked).toBe(true);
  });

  it("are offered when the root itself is one of several", () => {
    renderForm({
      type: "object",
      anyOf: [
        { title: "By id", properties: { id: { type: "integer" } } },
        { title: "By name", properties: { name: { type: "string" } } },
      ],
    });
    expect(within(screen.getByRole("radiogroup")).getAllByRole("radio")).toHaveLength(2);
  });
});

describe("a long choice", () => {
  it("filters while one types and takes the value", async () => {
    const user = userEvent.setup();
    const names = Array.from({ length: 30 }, (_, i) => `project-${i}`);
    const { seen } = renderForm(object({ p: { enum: names } }, ["p"]));
    const box = screen.getByRole("combobox", { name: "p" });
    await user.click(box);
    await user.paste("project-17");
    await user.keyboard("{ArrowDown}{Enter}");
    expect(seen.value).toEqual({ p: "project-17" });
    expect(document.activeElement).toBe(box);
    expect((box as HTMLInputElement).value).toBe("project-17");
  });

  it("shows a value that came from elsewhere, also one outside of the set", () => {
    const names = Array.from({ length: 30 }, (_, i) => `project-${i}`);
    renderForm(object({ p: { enum: names } }), { value: { p: "gone" } });
    expect(screen.getByRole<HTMLInputElement>("combobox", { name: "p" }).value).toBe("gone");
  });

  it("is not sent any more when an optional one is emptied", async () => {
    const user = userEvent.setup();
    const names = Array.from({ length: 30 }, (_, i) => `project-${i}`);
    const { seen } = renderForm(object({ p: { enum: names } }), { value: { p: "project-3" } });
    await user.clear(screen.getByRole("combobox", { name: "p" }));
    expect(seen.value).toEqual({});
  });
});

it("has a name for every control", async () => {
  const { container } = renderForm(
    object(
      {
        text: { type: "string", description: "Words." },
        mail: { type: "string", format: "email" },
        when: { type: "string", format: "date-time" },
        n: { type: ["number", "null"] },
        yes: { type: "boolean", title: "Really" },
        few: { enum: ["a", "b"] },
        many: { enum: Array.from({ length: 20 }, (_, i) => `choice number ${i}`) },
        several: { type: "array", items: { enum: ["a", "b", "c"] } },
        tags: { type: "array", items: { type: "string" } },
        rows: { type: "array", items: object({ a: { type: "string" } }) },
        pair: { prefixItems: [{ type: "number" }, { type: "string" }] },
        either: { oneOf: [{ type: "string" }, object({ a: { type: "string" } })] },
        any: {},
        map: { type: "object", additionalProperties: { type: "number" } },
        optional1: { type: "string" },
        optional2: { type: "string" },
        optional3: { type: "string" },
        optional4: { type: "string" },
      },
      ["text", "mail", "when", "n", "yes", "few", "many", "several", "tags", "rows", "pair", "either", "any", "map"],
    ),
    { value: { n: null, rows: [{}], tags: ["x"], map: { a: 1 }, pair: [null, null] } },
  );
  await expectAccessible(container);
});
