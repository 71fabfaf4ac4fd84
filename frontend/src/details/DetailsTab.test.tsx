import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { api } from "../backend";
import { useAppState } from "../state";
import { renderApp } from "../testing/content";
import { DetailsTab } from "./DetailsTab";

function Shown({ capabilities }: { capabilities: string[] }) {
  const server = useAppState((state) => state.servers[0]);
  return server ? <DetailsTab server={{ ...server, capabilities } as api.Server} /> : null;
}

it("chooses how much a server logs, where it logs anything", async () => {
  const user = userEvent.setup();
  const { backend } = renderApp(<Shown capabilities={["tools", "logging"]} />);
  await user.click(await screen.findByRole("button", { name: /What the server logs/ }));
  await user.click(await screen.findByRole("option", { name: "From warning on" }));
  const id = (await backend.snapshot()).servers[0]?.id ?? "";
  await waitFor(async () => expect((await backend.serverConfig(id)).logLevel).toBe("warning"));
  await waitFor(() => expect(screen.getAllByText("from warning on").length).toBeGreaterThan(0));
});

it("says nothing of logs where the server has none", async () => {
  renderApp(<Shown capabilities={["tools"]} />);
  await screen.findByText("Configuration");
  expect(screen.queryByText("What the server logs")).toBeNull();
});
