/** Each screen in both themes: no violation of an accessibility rule, and a picture to look at. */
const themes = ["light", "dark"];
const serverRow = (page, name) => page.getByRole("row", { name: new RegExp(`^${name}`) });

async function eachTheme(harness, name, prepare, options = {}) {
  for (const theme of themes) {
    const page = await harness.page({ theme, ...options });
    await page.getByRole("row", { name: /^Playground/ }).waitFor({ state: "attached" });
    await prepare(page);
    await page.evaluate(() => document.fonts.ready);
    await harness.shot(page, `${name}-${theme}`);
    await harness.axe(page, `${name} (${theme})`);
  }
}

export default {
  "a tool with its form": (harness) =>
    eachTheme(harness, "tool", async (page) => {
      await serverRow(page, "Issue tracker").click();
      await page.getByRole("tab", { name: /^Tools/ }).waitFor();
    }),
  "the failure of a local server": (harness) =>
    eachTheme(harness, "failure", async (page) => {
      await serverRow(page, "db-tools").click();
      await page.getByText("FATAL: role").first().waitFor();
    }),
  "a server that needs a sign-in": (harness) =>
    eachTheme(harness, "sign-in", async (page) => {
      await serverRow(page, "Calendar").click();
      await page.getByText("cannot sign in yet").waitFor();
    }),
  "a server that is tried again": (harness) =>
    eachTheme(harness, "retry", async (page) => {
      await serverRow(page, "build-farm").click();
      await page.getByRole("heading", { name: /refused the connection/ }).waitFor();
    }),
  "a disabled server": (harness) =>
    eachTheme(harness, "disabled", async (page) => {
      await serverRow(page, "staging").click();
      await page.getByRole("heading", { name: "Disabled" }).waitFor();
    }),
  "the history": (harness) =>
    eachTheme(harness, "history", async (page) => {
      await serverRow(page, "Issue tracker").click();
      await page.getByRole("tab", { name: "History" }).click();
      await page
        .getByRole("option", { name: /create_issue/ })
        .first()
        .waitFor();
      await page.locator(".cm-content").first().waitFor();
    }),
  "the details": (harness) =>
    eachTheme(harness, "details", async (page) => {
      await serverRow(page, "Issue tracker").click();
      await page.getByRole("tab", { name: /^Details/ }).click();
      await page.getByText("Configuration").waitFor();
      await page.getByText("Authorization: secret, stored").waitFor();
    }),
  "adding a server": (harness) =>
    eachTheme(harness, "add", async (page) => {
      await page.getByRole("button", { name: "Add a server" }).click();
      await page
        .getByLabel(/Paste a URL/)
        .fill(
          '{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "server-notes", "/home/ana"], "env": {"API_TOKEN": "abc"}}}}',
        );
      await page.getByLabel("Arguments").waitFor();
    }),
  "the palette": (harness) =>
    eachTheme(harness, "palette", async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("searchbox").last().fill("creat");
      await page.getByRole("menuitem", { name: /create_issue/ }).waitFor();
    }),
  "the settings": (harness) =>
    eachTheme(harness, "settings", async (page) => {
      await page.keyboard.press("Control+,");
      await page.getByRole("dialog", { name: "Settings" }).waitFor();
    }),
};
