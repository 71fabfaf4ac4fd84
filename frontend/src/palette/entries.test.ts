import { describe, expect, it } from "vitest";
import { createWorld } from "../memory/world";
import { highlight, paletteEntries, searchEntries } from "./entries";

const world = createWorld(0);
const entries = paletteEntries({
  servers: world.map(({ row }) => row),
  catalogs: Object.fromEntries(world.map(({ row, catalog }) => [row.id, { version: "1", loading: false, catalog }])),
  selectedServer: "tracker",
  saved: [
    { name: "Open bugs", serverId: "tracker", kind: "tool", item: "search_issues", arguments: '{"label":"bug"}' },
  ],
});
const titles = (query: string, limit = 50) => searchEntries(entries, query, limit).map((entry) => entry.title);

describe("the palette", () => {
  it("lists servers and commands while nothing is typed", () => {
    const kinds = new Set(searchEntries(entries, "", 100).map((entry) => entry.kind));
    expect([...kinds]).toEqual(["Server", "Saved", "Do"]);
  });

  it("puts what starts with the query first", () => {
    expect(titles("create_i")[0]).toBe("create_issue");
    expect(titles("creat")).toEqual(expect.arrayContaining(["create_order", "create_issue", "recreate_steps"]));
    expect(titles("creat").indexOf("create_issue")).toBeLessThan(titles("creat").indexOf("recreate_steps"));
  });

  it("needs every word, in any order, also in the place", () => {
    expect(titles("tracker create_issue")[0]).toBe("create_issue");
    expect(titles("create_issue nowhere")).toEqual([]);
  });

  it("finds a resource by its URI", () => expect(titles("issue://web/1400")).toEqual(["WEB-1400"]));
  it("finds a saved call by its name, its tool and its arguments", () => {
    expect(titles("open bugs")[0]).toBe("Open bugs");
    expect(titles("bug label search_issues")).toContain("Open bugs");
  });
  it("offers commands for the server in view", () => expect(titles("disconnect")[0]).toBe("Disconnect: Issue tracker"));
  it("stops at its limit", () => expect(titles("e", 7)).toHaveLength(7));
  it("has a key of its own for every entry", () =>
    expect(new Set(entries.map((entry) => entry.key)).size).toBe(entries.length));

  it("marks what matched", () => {
    expect(highlight("recreate", "creat")).toEqual([
      { text: "re", hit: false },
      { text: "creat", hit: true },
      { text: "e", hit: false },
    ]);
  });
});
