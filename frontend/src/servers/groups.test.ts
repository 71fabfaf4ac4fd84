import { describe, expect, it } from "vitest";
import { createWorld } from "../memory/world";
import { groupServers, rowDetail } from "./groups";

const servers = createWorld(0).map(({ row }) => row);
const names = (filter: string) =>
  groupServers(servers, filter).map((group) => [group.title, ...group.servers.map((server) => server.name)]);

describe("groups of servers", () => {
  it("put each server into one group", () => {
    expect(names("")).toEqual([
      ["Connected", "Playground", "Issue tracker", "files"],
      ["Need attention", "Calendar", "build-farm", "db-tools"],
      ["Disabled", "staging"],
    ]);
  });

  it("are filtered by words of the name, the endpoint and the state", () => {
    expect(names("tracker.example")).toEqual([
      ["Connected", "Issue tracker"],
      ["Disabled", "staging"],
    ]);
    expect(names("retry farm")).toEqual([["Need attention", "build-farm"]]);
    expect(names("nothing")).toEqual([]);
  });

  it("name the last one for what is in it", () => {
    const off = servers.map((server) => ({ ...server, enabled: true, state: "disconnected" }));
    expect(groupServers(off, "").map((group) => group.title)).toEqual(["Not connected"]);
  });

  it("keep a first attempt out of what needs attention", () => {
    const first = { ...servers[0], state: "connecting", error: undefined } as (typeof servers)[0];
    expect(groupServers([first], "")[0]?.key).toBe("connected");
  });

  it("ask for attention when the lists could not be loaded", () => {
    const failure = { code: "discovery_timeout", message: "", hint: "" };
    const half = { ...servers[0], state: "connected", error: failure } as (typeof servers)[0];
    expect(groupServers([half], "")[0]?.key).toBe("attention");
  });
});

describe("the second line of a row", () => {
  it.each([
    ["Playground", "Ready · built in"],
    ["db-tools", "Exited with status 3 after start"],
    ["build-farm", "Retry 2 of 3 in 4 s"],
    ["staging", "Disabled"],
  ])("of %s is a sentence", (name, detail) => {
    const server = servers.find((row) => row.name === name);
    expect(server && rowDetail(server)).toBe(detail);
  });
});
