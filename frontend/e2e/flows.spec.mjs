/** What a person does, from end to end, over the in-memory twin. */
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "./harness.mjs";
import { newestLine, serverRow, serverSays } from "./steps.mjs";

const start = async (harness, options) => {
  const page = await harness.page({ path: "/?pace=0.2", ...options });
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
};

export default {
  "a pasted URL becomes a server that is ready": async (harness) => {
    const page = await start(harness);
    await page.keyboard.press("Control+n");
    await page.getByLabel(/Paste a URL/).fill("https://mcp.weather.example/mcp");
    await page.getByLabel("Name", { exact: true }).fill("Weather");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await serverSays(page, "Weather", "Ready");
    await page.getByRole("heading", { name: "Weather" }).waitFor();
  },

  "a block of JSON adds the servers that are ticked": async (harness) => {
    const page = await start(harness, { path: "/?world=empty&pace=0" });
    await page.getByRole("button", { name: "Add a server" }).last().click();
    const one = '"one": {"command": "npx", "args": ["a"]}';
    await page.getByLabel(/Paste a URL/).fill(`{"mcpServers": {${one}, "two": {"url": "https://two.example/"}}}`);
    await page.getByRole("checkbox", { name: /^two/ }).setChecked(false, { force: true });
    await page.getByRole("button", { name: "Add server" }).click();
    await serverSays(page, "one", "Ready");
    assert.equal(await serverRow(page, "two").count(), 0);
  },

  "text that means nothing is explained at the field": async (harness) => {
    const page = await start(harness);
    await page.keyboard.press("Control+n");
    const field = page.getByLabel(/Paste a URL/);
    await field.fill("https://");
    await page.getByText("This is not a complete URL.", { exact: false }).waitFor();
    assert.equal(await field.getAttribute("aria-invalid"), "true");
    assert.equal(await page.getByRole("button", { name: "Add server" }).isDisabled(), true);
  },

  "a call that needs an address to be visited is run again by the person only": async (harness) => {
    const page = await start(harness, { path: "/?pace=0" });
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("option", { name: /^move_issue/ }).click();
    await page.getByRole("textbox", { name: "issue" }).fill("WEB-1");
    await page.getByRole("button", { name: /^Run/ }).click();
    await page.getByText("Error -32042").waitFor();
    await page.getByRole("button", { name: "Look at the address" }).click();
    const inbox = page.getByRole("region", { name: "Inbox" });
    await inbox.getByText("when you are done there, run it again", { exact: false }).waitFor();
    await harness.shot(page, "visit-light");
    await harness.axe(page, "an address to visit");
    await inbox.getByRole("button", { name: /^Open in browser/ }).click();
    await page.getByText("The server says that this is done.").first().waitFor();
    assert.equal(await page.getByText("The issue was moved.").count(), 0);
    await page.getByRole("button", { name: "Run again" }).click();
    await page.getByText("The issue was moved.").first().waitFor();
  },

  "a failed server is edited and comes up": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "db-tools").click();
    await page.getByText('FATAL: role "ana" does not exist').waitFor();
    await page.getByRole("button", { name: "Edit command" }).click();
    await page.getByLabel("Arguments").fill("db-tools\n--user\nana");
    await page.getByRole("button", { name: "Save" }).click();
    await serverSays(page, "db-tools", "Ready");
  },

  "trying again is one press in the list": async (harness) => {
    // Slow enough for the state in between to be seen.
    const page = await start(harness, { path: "/?pace=8" });
    await page.getByRole("button", { name: "Try again: db-tools" }).click();
    await serverSays(page, "db-tools", "Connecting");
    await serverSays(page, "db-tools", "Exited with status 3");
  },

  "removing asks first": async (harness) => {
    const page = await start(harness);
    const remove = async () => {
      await serverRow(page, "files").click();
      await page.getByRole("button", { name: "More actions for files" }).click();
      await page.getByRole("menuitem", { name: "Remove…" }).click();
    };
    await remove();
    await page.getByRole("button", { name: "Keep it" }).click();
    await serverRow(page, "files").waitFor();
    await remove();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await serverRow(page, "files").waitFor({ state: "detached" });
  },

  "a question shows itself without taking the focus, and its answer reaches the tool": async (harness) => {
    const page = await start(harness);
    await page.getByRole("option", { name: /^(ask_form|Ask with a form)/ }).click();
    const run = page.getByRole("button", { name: /^Run/ });
    await run.focus();
    await page.keyboard.press("Enter");
    const inbox = page.getByRole("region", { name: "Inbox" });
    await inbox.getByText("Tell me about yourself.").waitFor();
    assert.equal(await inbox.evaluate((element) => element.contains(document.activeElement)), false);
    await inbox.getByRole("textbox", { name: /Your name/ }).fill("Ana");
    await inbox.getByRole("textbox", { name: /E-mail/ }).fill("ana@example.com");
    await inbox.getByText("Team", { exact: true }).click();
    await inbox.getByRole("button", { name: /^Accept/ }).click();
    await page.getByText("You answered", { exact: false }).first().waitFor();
    await inbox.waitFor({ state: "hidden" });
  },

  "what was written survives losing the connection": async (harness) => {
    const page = await start(harness);
    await page.getByRole("option", { name: /^(echo|Echo)/ }).click();
    const text = page.getByRole("textbox", { name: /^Text/i });
    await text.fill("half a sentence");
    await page.getByRole("button", { name: "Disconnect" }).click();
    await serverSays(page, "Playground", "Disconnected");
    assert.equal(await text.inputValue(), "half a sentence");
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await serverSays(page, "Playground", "Ready");
    assert.equal(await text.inputValue(), "half a sentence");
  },

  "an earlier call opens in its form": async (harness) => {
    const page = await start(harness);
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("option", { name: /^echo/ }).click();
    await page.getByRole("button", { name: "Open in the form" }).click();
    await until(
      async () => (await page.getByRole("textbox", { name: /^Text/i }).inputValue()) === "Is anybody there?",
      "the arguments in the form",
    );
  },

  "a line of the trace opens as the whole message": async (harness) => {
    const page = await start(harness);
    await (await newestLine(page, /received result/)).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("jsonrpc").first().waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
  },

  "everything can be reached with the keyboard": async (harness) => {
    const page = await start(harness);
    const focusIn = (selector) => page.evaluate((query) => document.activeElement?.closest(query) !== null, selector);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("create_issue");
    await page.getByRole("menuitem", { name: /create_issue/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Issue tracker" }).waitFor();
    await page.getByRole("heading", { name: "create_issue" }).waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("/");
    await until(
      () => page.evaluate(() => document.activeElement?.matches("[data-slash]") ?? false),
      "the search to have the focus",
    );
    for (const [digit, tab] of ["Tools", "Prompts", "Resources", "History", "Details"].entries()) {
      await page.keyboard.press(`Alt+${digit + 1}`);
      await page.getByRole("tab", { name: new RegExp(`^${tab}`), selected: true }).waitFor();
    }
    await page.evaluate(() => document.activeElement?.blur());
    const panes = [];
    for (let press = 0; press < 3; press++) {
      await page.keyboard.press("F6");
      panes.push([await focusIn(".side"), await focusIn(".pane"), await focusIn(".drawer")].indexOf(true));
    }
    assert.deepEqual(panes, [0, 1, 2]);
    const height = () => page.locator(".drawer").evaluate((element) => element.clientHeight);
    const before = await height();
    await page.keyboard.press("Control+j");
    await until(async () => (await height()) < 60, "the drawer to fold");
    await page.keyboard.press("Control+j");
    await until(async () => (await height()) === before, "the drawer to open");
  },

  "the settings hold at once": async (harness) => {
    const page = await start(harness);
    await page.keyboard.press("Control+,");
    await page.getByRole("radio", { name: "Dark" }).click();
    await until(() => page.evaluate(() => document.documentElement.dataset.theme === "dark"), "dark colours");
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(ground, "rgb(26, 25, 23)");
    await page.getByRole("radio", { name: "Comfortable" }).click();
    await until(() => page.evaluate(() => document.documentElement.dataset.density === "comfortable"), "more room");
  },

  "states are announced": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "staging").click();
    await page.getByRole("button", { name: "Connect", exact: true }).first().click();
    await until(
      async () => (await page.getByRole("status").allTextContents()).some((text) => text.includes("staging: Ready")),
      "the announcement",
    );
  },

  "the pages keep to their policy": async () => {
    const dist = join(import.meta.dirname, "../dist");
    for (const name of (await readdir(dist)).filter((file) => file.endsWith(".html"))) {
      const html = (await readFile(join(dist, name), "utf8")).replaceAll("&#39;", "'");
      assert.match(html, /default-src 'none'; script-src 'self';/, name);
      assert.match(html, /frame-src 'none'; child-src 'none'/, name);
      assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)[^>]*>/, `${name} has an inline script`);
    }
    for (const name of await readdir(join(dist, "assets"))) {
      if (!name.endsWith(".js")) continue;
      const code = await readFile(join(dist, "assets", name), "utf8");
      assert.doesNotMatch(code, /\bnew Function\(|[^.\w]eval\(/, `${name} makes code from text`);
      assert.doesNotMatch(code, /createElement\(["'`]iframe/, `${name} makes a frame`);
    }
  },
};
