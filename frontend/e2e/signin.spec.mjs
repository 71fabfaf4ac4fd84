/** Signing in, the vault, links and reviews: each state in both themes, looked at by axe, and the whole way by keyboard. */
import assert from "node:assert/strict";
import { serverRow } from "./steps.mjs";

const page = (harness, path, theme, size = {}) => harness.page({ path, theme, ...size });

/** A page of each state: path, how to get there, what must be in sight. */
const states = {
  "signin-idle": [
    "/",
    async (tab) => serverRow(tab, "Calendar").click(),
    (tab) => tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }),
  ],
  "signin-waiting": ["/", begin, (tab) => tab.getByRole("button", { name: "Copy link" })],
  "signin-confirm": ["/?signin=confirm", begin, (tab) => tab.getByRole("button", { name: "Continue" })],
  "signin-client": ["/?signin=client", begin, (tab) => tab.getByLabel("Client ID")],
  "vault-session": [
    "/?vault=session",
    settings,
    (tab) => tab.getByRole("button", { name: "Protect with a passphrase" }),
  ],
  "vault-locked": [
    "/?vault=passphrase",
    async () => {},
    (tab) => tab.getByRole("dialog", { name: "Unlock your sign-ins and secrets" }),
  ],
  "vault-mismatch": ["/?vault=mismatch", settings, (tab) => tab.getByRole("button", { name: "Try again" })],
  "link-command": [
    "/?link=command",
    async () => {},
    (tab) => tab.getByRole("alertdialog", { name: "A link wants to add a server" }),
  ],
  "link-url": ["/?link=url", async () => {}, (tab) => tab.getByText("xn--")],
  "link-broken": ["/?link=broken", async () => {}, (tab) => tab.getByText("neither an address nor a command")],
  review: ["/?world=review", review, (tab) => tab.getByRole("button", { name: "Approve and connect" })],
};

async function begin(tab) {
  await serverRow(tab, "Calendar").click();
  await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).click();
}

async function settings(tab) {
  await tab.getByRole("button", { name: "What to do about stored secrets" }).click();
}

async function review(tab) {
  await tab.getByRole("button", { name: "Review: notes-import" }).click();
}

const tests = {};
for (const theme of ["light", "dark"]) {
  for (const [name, [path, show, sign]] of Object.entries(states)) {
    tests[`${name} in ${theme} colours`] = async (harness) => {
      const tab = await page(harness, path, theme);
      await show(tab);
      await sign(tab).first().waitFor();
      await tab.evaluate(() => document.fonts.ready);
      await harness.shot(tab, `${name}-${theme}`);
      await harness.axe(tab, `${name} (${theme})`);
    };
  }
}

export default {
  ...tests,
  "a sign-in by keyboard, from the button to the tools": async (harness) => {
    const tab = await page(harness, "/", "light");
    await serverRow(tab, "Calendar").focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("button", { name: /Open browser/ }).focus();
    await tab.keyboard.press("Enter");
    await tab.getByRole("tab", { name: /^Tools/ }).waitFor();
    await tab.getByRole("tab", { name: "Details" }).click();
    await tab.getByText("https://login.calendar.example").first().waitFor();
    await harness.shot(tab, "account-light");
    await harness.axe(tab, "the account");
    await tab.getByRole("button", { name: "Sign out" }).click();
    await tab.getByRole("alertdialog").getByRole("button", { name: "Sign out" }).click();
    await tab.getByRole("main").getByRole("button", { name: "Sign in", exact: true }).first().waitFor();
  },
  "a pasted address is checked at the field, and the right one goes on": async (harness) => {
    const tab = await page(harness, "/", "light");
    await begin(tab);
    await tab.getByRole("button", { name: "Paste the address you ended up at" }).click();
    await tab.getByRole("textbox", { name: "Address" }).fill("https://example.com/");
    await tab.getByRole("button", { name: "Use it" }).click();
    await tab.locator(".field-error").waitFor();
    await harness.axe(tab, "a pasted address that is wrong");
  },
  "a sign-in is cancelled": async (harness) => {
    const tab = await page(harness, "/", "light");
    await begin(tab);
    await tab.getByRole("button", { name: "Copy link" }).waitFor();
    await tab.getByRole("main").getByRole("button", { name: "Cancel" }).click();
    await tab.getByRole("button", { name: "Try again", exact: true }).waitFor();
    await harness.shot(tab, "signin-cancelled-light");
    await harness.axe(tab, "a cancelled sign-in");
  },
  "a link is added only when the person says so, and shows what cannot be seen": async (harness) => {
    const tab = await page(harness, "/?link=command", "light");
    const dialog = tab.getByRole("alertdialog");
    await dialog.getByText("U+202E").waitFor();
    await dialog.getByText("␉ tab").waitFor();
    assert.equal(await tab.evaluate(() => document.activeElement?.textContent), "Cancel");
    await tab.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await serverRow(tab, "Notes").count(), 0);
  },
  "a link can be edited first, and is seen whole again before it is added": async (harness) => {
    const tab = await page(harness, "/?link=command", "light");
    const dialog = tab.getByRole("alertdialog");
    await dialog.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Command", { exact: true }).fill("");
    await dialog.getByRole("button", { name: "Review" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Command", { exact: true }).fill("/usr/bin/notes");
    await dialog.getByLabel("Arguments").fill("--folder\n/home/ana/notes");
    await harness.shot(tab, "link-edit-light");
    await harness.axe(tab, "the edit of a link");
    await dialog.getByRole("button", { name: "Review" }).click();
    await dialog.getByText("/home/ana/notes", { exact: true }).waitFor();
    assert.equal(await dialog.getByText("U+202E").count(), 0);
    await dialog.getByRole("button", { name: "Add, disabled" }).click();
    await dialog.waitFor({ state: "hidden" });
    await tab.getByRole("button", { name: /^Review: / }).waitFor();
  },
  "a reviewed entry runs after it was approved": async (harness) => {
    const tab = await page(harness, "/?world=review", "light");
    await review(tab);
    await tab.getByRole("button", { name: "Approve and connect" }).click();
    await tab.getByRole("button", { name: "Review: notes-import" }).waitFor({ state: "detached" });
  },
  "the settings of a sign-in at 720 pixels": async (harness) => {
    const tab = await page(harness, "/", "light", { width: 720, height: 900 });
    await tab.getByRole("button", { name: "Show the servers" }).click();
    await serverRow(tab, "Calendar").click();
    await tab.getByRole("button", { name: "Edit server" }).first().click();
    await tab.getByRole("button", { name: "Sign-in", exact: true }).click();
    await tab.getByLabel("Client ID").waitFor();
    await harness.shot(tab, "signin-settings-light");
    await harness.axe(tab, "the settings of a sign-in");
  },
};
