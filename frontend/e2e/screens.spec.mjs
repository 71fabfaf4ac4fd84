/** Each screen in both themes: no violation of an accessibility rule, and a picture to look at. */
import { newestLine, serverRow } from "./steps.mjs";

const close = (page) => page.keyboard.press("Escape");

/** In an order in which each leaves the page usable for the next. */
const screens = {
  async tool(page) {
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("option", { name: /^create_issue/ }).click();
    await page.getByRole("textbox", { name: /^title/ }).fill("Search forgets the filter after a reload");
  },
  async failure(page) {
    await serverRow(page, "db-tools").click();
    await page.getByText("FATAL: role").first().waitFor();
  },
  async "sign-in"(page) {
    await serverRow(page, "Calendar").click();
    await page.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
  },
  async disabled(page) {
    await serverRow(page, "staging").click();
    await page.getByRole("heading", { name: "Disabled" }).last().waitFor();
  },
  async history(page) {
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByRole("option", { name: /create_issue/ })
      .first()
      .waitFor();
    await page.locator(".cm-content").first().waitFor();
  },
  async details(page) {
    await page.getByRole("tab", { name: /^Details/ }).click();
    await page.getByText("Authorization: secret, stored").waitFor();
  },
  async problems(page) {
    await page.getByRole("radio", { name: /^Problems/ }).click();
    await page.getByRole("radio", { name: "All" }).click();
    await page.getByRole("listbox", { name: "Problems" }).getByText("bulk_edit").waitFor();
  },
  async log(page) {
    await page.getByRole("radio", { name: "Server log" }).click();
    await page.getByText("FATAL: role").first().waitFor();
  },
  async message(page) {
    await page.getByRole("radio", { name: "Messages" }).click();
    await (await newestLine(page, /received result/)).click();
    await page.getByRole("dialog").locator(".cm-content").waitFor();
    return close;
  },
  async add(page) {
    await page.getByRole("button", { name: "Add a server" }).click();
    const env = '"env": {"API_TOKEN": "abc"}';
    await page
      .getByLabel(/Paste a URL/)
      .fill(`{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "server-notes", "/home/ana"], ${env}}}}`);
    await page.getByLabel("Arguments").waitFor();
    return close;
  },
  async "add-several"(page) {
    await page.getByRole("button", { name: "Add a server" }).click();
    const entries =
      '"notes": {"command": "npx", "args": ["server-notes"]}, "search": {"url": "https://mcp.search.example/mcp"}';
    await page.getByLabel(/Paste a URL/).fill(`{"mcpServers": {${entries}}}`);
    await page.getByRole("list", { name: "Servers in this block" }).waitFor();
    return close;
  },
  async "edit-errors"(page) {
    await serverRow(page, "db-tools").click();
    await page.getByRole("tab", { name: "Tools" }).click();
    await page.getByRole("button", { name: "Edit command" }).click();
    await page.getByLabel("Name", { exact: true }).fill("");
    await page.getByLabel("Command", { exact: true }).fill("");
    await page.getByRole("button", { name: /retry, time limits/ }).click();
    await page.getByRole("textbox", { name: /^Folders/ }).fill("/home/ana/notes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("A server needs a name.").waitFor();
    return close;
  },
  async remove(page) {
    await page.getByRole("button", { name: "More actions for db-tools" }).click();
    await page.getByRole("menuitem", { name: "Remove…" }).click();
    await page.getByRole("alertdialog").waitFor();
    return close;
  },
  async palette(page) {
    await page.keyboard.press("Control+k");
    await page.getByLabel("Find a server, tool, prompt, resource or command").fill("creat");
    await page.getByRole("menuitem", { name: /create_issue/ }).waitFor();
    return close;
  },
  async settings(page) {
    await page.keyboard.press("Control+,");
    await page.getByRole("dialog", { name: "Settings" }).waitFor();
    return close;
  },
  async keys(page) {
    await page.keyboard.press("Shift+?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    return close;
  },
  async inbox(page) {
    await serverRow(page, "Playground").click();
    await page.getByRole("tab", { name: /^Tools/ }).click();
    await page.getByRole("option", { name: /^(ask_form|Ask with a form)/ }).click();
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByRole("region", { name: "Inbox" }).getByText("Tell me about yourself.").waitFor();
  },
};

const tests = {};
for (const theme of ["light", "dark"]) {
  tests[`in ${theme} colours`] = async (harness) => {
    const page = await harness.page({ theme });
    await serverRow(page, "Playground").waitFor();
    await page.evaluate(() => document.fonts.ready);
    const faults = [];
    for (const [name, show] of Object.entries(screens)) {
      try {
        const leave = await show(page);
        await harness.shot(page, `${name}-${theme}`);
        await harness.axe(page, `${name} (${theme})`);
        await leave?.(page);
      } catch (error) {
        // The other screens still get their pictures.
        faults.push(`${name}: ${error.message}`);
        await harness.shot(page, `failed-${name}-${theme}`);
        await close(page);
      }
    }
    if (faults.length > 0) throw new Error(faults.join("\n"));
  };
}

export default {
  ...tests,
  "without servers": async (harness) => {
    const page = await harness.page({ path: "/?world=empty" });
    await page.getByRole("heading", { name: "No servers yet" }).waitFor();
    await harness.shot(page, "empty-light");
    await harness.axe(page, "no servers");
  },
  "in a window of 720 pixels": async (harness) => {
    const page = await harness.page({ width: 720, height: 600 });
    await page.getByRole("heading", { name: "Playground" }).waitFor();
    await page.getByRole("option", { name: /^(echo|Echo)/ }).click();
    await harness.shot(page, "narrow-light");
    await harness.axe(page, "narrow");
    await page.getByRole("button", { name: "Show the servers" }).click();
    await serverRow(page, "files").waitFor();
    await harness.shot(page, "narrow-servers-light");
    await harness.axe(page, "narrow with servers");
    await serverRow(page, "files").click();
    await serverRow(page, "files").waitFor({ state: "hidden" });
  },
};
