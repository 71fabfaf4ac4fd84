/** Diagnoses, the activity drawer, saved and pinned calls: what they do, and how they look in both themes. */
import assert from "node:assert/strict";
import { newestLine, serverRow } from "./steps.mjs";

const start = async (harness, options) => {
  const page = await harness.page({ path: "/?pace=0.2", ...options });
  await page.getByRole("heading", { level: 1 }).waitFor();
  return page;
};

const diagnose = async (page, server) => {
  await page.getByRole("button", { name: `More actions for ${server}` }).click();
  await page.getByRole("menuitem", { name: "Diagnose…" }).click();
  return page.getByRole("dialog", { name: `Diagnosis of ${server}` });
};

const save = async (page, name) => {
  await page.getByRole("button", { name: "Save as…" }).click();
  await page.getByLabel("Name", { exact: true }).fill(name);
};

const tests = {};
for (const theme of ["light", "dark"]) {
  tests[`screens in ${theme} colours`] = async (harness) => {
    const page = await start(harness, { theme });
    const shoot = async (name) => {
      await harness.shot(page, `${name}-${theme}`);
      await harness.axe(page, `${name} (${theme})`);
    };
    await serverRow(page, "Issue tracker").click();
    await (await diagnose(page, "Issue tracker")).getByText("Every step went well", { exact: false }).waitFor();
    await shoot("diagnosis");
    await page.keyboard.press("Escape");

    await serverRow(page, "db-tools").click();
    const failed = await diagnose(page, "db-tools");
    await failed.getByText("It fails at Start", { exact: false }).waitFor();
    await failed.getByText("FATAL: role").last().waitFor();
    await shoot("diagnosis-failed");
    await page.keyboard.press("Escape");

    await serverRow(page, "Issue tracker").click();
    await page.getByRole("option", { name: /^create_issue/ }).click();
    await save(page, "Weekly report");
    await shoot("save-call");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Weekly report/ }).waitFor();
    await shoot("saved-calls");

    await page.getByRole("button", { name: "Export the activity" }).click();
    await page.getByRole("menuitem", { name: /HTTP Archive/ }).waitFor();
    await shoot("export");
    await page.keyboard.press("Escape");

    await (await newestLine(page, /received result/)).click();
    await page.getByRole("dialog").locator("summary").click();
    await page.getByText("Bearer ***").waitFor();
    await shoot("message-heads");
  };
}

export default {
  ...tests,

  "a diagnosis can be run again and copied": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "db-tools").click();
    await page.getByRole("tab", { name: /^Tools/ }).click();
    await page.getByRole("button", { name: "Diagnose" }).click();
    const dialog = page.getByRole("dialog", { name: "Diagnosis of db-tools" });
    await dialog.getByRole("row", { name: /^failed Start/ }).waitFor();
    await dialog.getByRole("row", { name: /^left out Era/ }).waitFor();
    await dialog.getByRole("button", { name: "Run again" }).click();
    await dialog.getByText("Opening a connection", { exact: false }).waitFor();
    await dialog.getByRole("row", { name: /^failed Start/ }).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Copy as report" }).isEnabled(), true);
  },

  "the activity is searched in whole messages, not only in what a line shows": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("radio", { name: "Messages" }).click();
    const list = page.getByRole("listbox", { name: "Messages" });
    const field = page.getByRole("searchbox", { name: "Filter activity" });
    await field.fill("inputSchema");
    await list
      .getByRole("option", { name: /received result/ })
      .first()
      .waitFor();
    await field.fill("nowhere to be found");
    await page.getByText("No message matches the filter.").waitFor();
  },

  "the activity is narrowed by direction, and errors stand alone": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "Issue tracker").click();
    const list = page.getByRole("listbox", { name: "Messages" });
    const choose = async (name) => {
      await page.getByRole("button", { name: /Which messages/ }).click();
      await page.getByRole("option", { name, exact: true }).click();
    };
    await choose("Sent");
    await list
      .getByRole("option", { name: /\bsent\b/ })
      .first()
      .waitFor();
    assert.equal(await list.getByRole("option", { name: /\breceived\b/ }).count(), 0);
    await choose("Errors only");
    await list
      .getByRole("option", { name: /\breceived\b/ })
      .first()
      .waitFor();
    assert.equal(await list.getByRole("option", { name: /\bsent\b/ }).count(), 0);
  },

  "an answer leads to its request and back": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "Issue tracker").click();
    await (await newestLine(page, /received result/)).click();
    await page.getByRole("button", { name: "Show its request" }).click();
    await page.getByRole("button", { name: "Show its answer" }).click();
    await page.getByRole("button", { name: "Show its request" }).waitFor();
  },

  "a saved call is found in the palette, fills the form, and can be removed": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("option", { name: /^create_issue/ }).click();
    await page.getByRole("textbox", { name: /^title/ }).fill("Kept for later");
    await save(page, "Later");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Later/ }).waitFor();
    await page.getByRole("textbox", { name: /^title/ }).fill("Something else");
    await serverRow(page, "Playground").click();
    await page.keyboard.press("Control+k");
    await page.getByLabel("Find a server, tool, prompt, resource or command").fill("later");
    await page.getByRole("menuitem", { name: /Later/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Issue tracker" }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: /^title/ }).inputValue(), "Kept for later");
    await page.getByRole("button", { name: "Remove Later" }).click();
    await page.getByRole("button", { name: /^Later/ }).waitFor({ state: "hidden" });
  },

  "a pinned call is marked and can be listed alone": async (harness) => {
    const page = await start(harness);
    await serverRow(page, "Issue tracker").click();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    await page.getByRole("checkbox", { name: "Pinned only" }).setChecked(true, { force: true });
    const calls = page.getByRole("listbox", { name: "Calls, newest first" }).getByRole("option");
    await page.waitForFunction(() => document.querySelectorAll(".history-row").length === 1);
    assert.equal(await calls.count(), 1);
    await page.getByRole("button", { name: "Unpin" }).click();
    await page.getByText("No call is pinned.", { exact: false }).waitFor();
  },
};
