/** Forms, results, prompts, resources and asks, each in both themes: what happens, no violation of axe, a picture. */
import assert from "node:assert/strict";

const themes = ["light", "dark"];
const command = (page) => page.keyboard.press("Control+Enter");

async function eachTheme(harness, name, play, options = {}) {
  for (const theme of themes) {
    const page = await harness.page({ theme, ...options });
    await play(page);
    await page.evaluate(() => document.fonts.ready);
    await harness.shot(page, `content-${name}-${theme}`);
    await harness.axe(page, `${name} (${theme})`);
  }
}

async function tool(page, name, server = "Playground") {
  await page.getByRole("row", { name: new RegExp(`^${server}`) }).click();
  await page.getByRole("tab", { name: /^Tools/ }).click();
  await page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("heading", { name, exact: true }).waitFor();
}

async function tab(page, name, server = "Playground") {
  await page.getByRole("row", { name: new RegExp(`^${server}`) }).click();
  await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
}

const done = (page) => page.getByText("Done", { exact: true }).first().waitFor();

export default {
  "a form with a choice, chips and a fault": (harness) =>
    eachTheme(harness, "form", async (page) => {
      await tool(page, "create_issue", "Issue tracker");
      const project = page.getByRole("combobox", { name: "project" });
      await project.click();
      await page.getByRole("option", { name: "web", exact: true }).click();
      await page.getByLabel("title", { exact: true }).fill("Search forgets the filter after a reload");
      await command(page);
      await done(page);
      await page.getByText("9007199254740993").waitFor();
      const add = page.getByRole("button", { name: "estimate", exact: true });
      if (await add.count()) await add.click();
      await page.getByRole("textbox", { name: "estimate" }).fill("21");
      await command(page);
      await page.getByText("21 is more than the maximum, 13.").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-invalid")), "true");
    }),
  "the first fault of a nested form gets the focus": (harness) =>
    eachTheme(
      harness,
      "nested",
      async (page) => {
        await tool(page, "create_order");
        await command(page);
        await page.getByText("This is required.").first().waitFor();
        const focused = await page.evaluate(() =>
          document.activeElement?.closest("[data-pointer]")?.getAttribute("data-pointer"),
        );
        assert.equal(focused, "/customer/name");
      },
      { height: 1000 },
    ),
  "a nested order is filled in and sent": (harness) =>
    eachTheme(
      harness,
      "order",
      async (page) => {
        await tool(page, "create_order");
        await page.getByLabel("Name", { exact: true }).fill("Ana");
        await page.getByLabel("E-mail", { exact: true }).fill("ana@example.com");
        await page.getByText("jack-socket").click();
        await page.getByText("Pick up").click();
        await page.getByText("harbour").click();
        await page.getByRole("button", { name: "Tags", exact: true }).click();
        await page.keyboard.type("urgent");
        await command(page);
        await done(page);
        const sent = await page.locator(".last-call").first().getAttribute("title");
        assert.match(sent ?? "", /"tags":\["urgent"\]/);
        assert.match(sent ?? "", /"delivery":\{"kind":"pickup","store":"harbour"\}/);
        assert.doesNotMatch(sent ?? "", /note|deliverOn|phone|price/);
      },
      { height: 1000 },
    ),
  "JSON that is not finished is kept and never sent": (harness) =>
    eachTheme(harness, "json", async (page) => {
      await tool(page, "create_order");
      await page.getByRole("radio", { name: "JSON" }).click();
      const editor = page.getByRole("textbox", { name: /as JSON/ });
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type(",");
      await page.getByText(/There is more text after the value|is not JSON/).waitFor();
      await command(page);
      await tool(page, "echo");
      await tool(page, "create_order");
      await page.getByText(/There is more text after the value|is not JSON/).waitFor();
      assert.equal(await page.getByText("Done", { exact: true }).count(), 0);
    }),
  "every kind of content": (harness) =>
    eachTheme(
      harness,
      "content",
      async (page) => {
        await tool(page, "show_content");
        await command(page);
        await done(page);
        await page.getByRole("img", { name: /Picture/ }).waitFor();
        await page.getByText("9007199254740993").waitFor();
        await page.getByRole("button", { name: /^Read playground/ }).waitFor();
      },
      { height: 1100 },
    ),
  "a call under way shows its progress and its limits, and can be cancelled": (harness) =>
    eachTheme(harness, "running", async (page) => {
      await tool(page, "slow");
      await command(page);
      await page
        .locator(".running")
        .getByText(/of 5 · Step/)
        .waitFor();
      await page.getByText(/without a sign of life/).waitFor();
    }),
  "cancelling ends the call": async (harness) => {
    const page = await harness.page();
    await tool(page, "slow");
    await command(page);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByText("Cancelled", { exact: true }).waitFor();
    await page.getByRole("button", { name: /^Run/ }).waitFor();
  },
  "an error of the tool is its own": (harness) =>
    eachTheme(harness, "error", async (page) => {
      await tool(page, "fail");
      await command(page);
      await page.locator(".verdict").getByText("Tool error").waitFor();
    }),
  "a destructive tool asks first": (harness) =>
    eachTheme(harness, "destructive", async (page) => {
      await tool(page, "delete_orders");
      await command(page);
      await page.getByRole("alertdialog").waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Keep it");
    }),
  "a call of the history brings arguments and result back": async (harness) => {
    const page = await harness.page();
    await tool(page, "echo");
    await page.getByRole("button", { name: /Is anybody there/ }).click();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("input")].some((input) => input.value === "Is anybody there?"),
    );
    await done(page);
  },
  "a result does not take the focus": async (harness) => {
    const page = await harness.page();
    await tool(page, "echo");
    await page.getByLabel("Text", { exact: true }).fill("hello");
    await command(page);
    await done(page);
    assert.equal(await page.evaluate(() => document.activeElement?.value), "hello");
  },
  "a prompt with suggestions": (harness) =>
    eachTheme(harness, "prompt", async (page) => {
      await tab(page, "Prompts");
      const topic = page.getByRole("combobox", { name: "Topic" });
      await topic.click();
      await page.keyboard.type("res");
      await page.getByRole("option", { name: "resources" }).click();
      await command(page);
      await page.locator(".call-result").getByText("Explain resources to a colleague").waitFor();
    }),
  "a resource as Markdown": (harness) =>
    eachTheme(harness, "resource", async (page) => {
      await tab(page, "Resources");
      await page.getByRole("option", { name: /^About the Playground$/ }).click();
      await command(page);
      await page.getByRole("radio", { name: "Markdown" }).click();
      await page.getByRole("heading", { name: "The Playground", exact: true }).waitFor();
    }),
  "a template is filled in and read": (harness) =>
    eachTheme(harness, "template", async (page) => {
      await tab(page, "Resources");
      await page.getByRole("option", { name: /^An order$/ }).click();
      await page.getByRole("combobox", { name: "id" }).fill("1001");
      await page.keyboard.press("Escape");
      await page.getByText("playground://orders/1001", { exact: true }).waitFor();
      await command(page);
      await done(page);
    }),
  "a subscribed resource tells of its change": async (harness) => {
    const page = await harness.page();
    await tab(page, "Resources");
    await page.getByRole("option", { name: /^Counter$/ }).click();
    await page.getByText("Tell me when it changes").click();
    await tool(page, "add");
    await command(page);
    await done(page);
    await tab(page, "Resources");
    await page.getByText("updated", { exact: true }).waitFor();
    await page.getByText(/It has changed/).waitFor();
  },
  "below 1100 px the result is under the form": (harness) =>
    eachTheme(
      harness,
      "narrow",
      async (page) => {
        await tool(page, "echo");
        await page.getByLabel("Text", { exact: true }).fill("hello");
        await command(page);
        await done(page);
        const [form, result] = await Promise.all([
          page.locator(".call-form").boundingBox(),
          page.locator(".call-result").boundingBox(),
        ]);
        assert.ok(form && result && result.y >= form.y + form.height - 1, "the result begins below the form");
      },
      { width: 1000, height: 760 },
    ),
  "the prompt window": (harness) =>
    eachTheme(
      harness,
      "ask-window",
      async (page) => {
        await page.getByText("Tell me about yourself.").waitFor();
        await page.getByLabel("Your name").fill("Ana");
        await page.getByLabel("E-mail", { exact: true }).fill("ana@exam");
        await command(page);
        await page.getByText("This is not an e-mail address yet.").waitFor();
      },
      { path: "/prompt.html", width: 520, height: 640 },
    ),
  "Escape does not throw away a filled form": (harness) =>
    eachTheme(
      harness,
      "ask-leaving",
      async (page) => {
        await page.getByLabel("Your name").fill("Ana");
        await page.keyboard.press("Escape");
        await page.getByText("What you filled in is lost.").waitFor();
        await page.keyboard.press("Escape");
        assert.equal(await page.getByLabel("Your name").inputValue(), "Ana");
        await page.keyboard.press("Escape");
        await page.getByText("What you filled in is lost.").waitFor();
      },
      { path: "/prompt.html", width: 520, height: 640 },
    ),
  "an answer that a model would write": (harness) =>
    eachTheme(
      harness,
      "ask-sampling",
      async (page) => {
        await page.getByText("Sum up the notes of today.").waitFor();
        await page.getByText("at most 200 tokens").waitFor();
        await page.getByRole("img").first().waitFor();
        await page.getByLabel("Answer", { exact: true }).fill("Two decisions, one open question.");
      },
      { path: "/prompt.html?ask=sampling", width: 520, height: 760 },
    ),
  "an accepted form answers": async (harness) => {
    const page = await harness.page({ path: "/prompt.html", width: 520, height: 640 });
    await page.getByLabel("Your name").fill("Ana");
    await page.getByLabel("E-mail", { exact: true }).fill("ana@example.com");
    await page.getByText("Team").click();
    await page.keyboard.press("Control+Enter");
    await page.getByText("Answered.").waitFor();
  },
};
