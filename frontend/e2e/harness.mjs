/** What every spec gets: a browser, pages over the built front end, axe, screenshots, and checks that throw. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const here = import.meta.dirname;
/** The engine alone is faster than a whole browser around it. */
const engines = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const shots = join(here, "../../build/shots");
const axeSource = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function createHarness() {
  await mkdir(shots, { recursive: true });
  const site = await serve(join(here, "../dist"));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? engines.find(existsSync) ?? engines[1],
    args: ["--no-sandbox", "--force-color-profile=srgb"],
  });
  const open = [];

  /** Opens a page of its own; whatever it reports as an error fails the test in close(). */
  async function page({ path = "/", theme = "light", width = 1280, height = 820 } = {}) {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const tab = await context.newPage();
    const errors = [];
    tab.on("pageerror", (error) => errors.push(String(error)));
    tab.on("console", (message) => {
      if (message.type() === "error" || /Content Security Policy/.test(message.text())) errors.push(message.text());
    });
    tab.setDefaultTimeout(30_000);
    open.push({ context, errors, path });
    await tab.goto(site.url + path);
    return tab;
  }

  /** No violation of any rule of axe, on the whole page as it is now. */
  async function axe(tab, what) {
    // The policy of the page forbids eval, which is how a script is added: axe goes in through the debugger instead.
    await tab.evaluate(axeSource);
    const violations = await tab.evaluate(async () => {
      const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
      return violations.map(({ id, help, nodes }) => ({
        id,
        help,
        nodes: nodes.slice(0, 4).map(({ target, failureSummary, html }) => ({
          target: String(target),
          summary: failureSummary,
          html: html.slice(0, 160),
        })),
      }));
    });
    if (violations.length > 0) throw new Error(`axe on ${what}:\n${JSON.stringify(violations, null, 2)}`);
  }

  const shot = (tab, name) => tab.screenshot({ path: join(shots, `ui-${name}.png`), animations: "disabled" });

  async function closePages() {
    const errors = [];
    for (const { context, errors: seen, path } of open.splice(0)) {
      errors.push(...seen.map((text) => `${path}: ${text}`));
      await context.close();
    }
    assert.deepEqual(errors, [], "errors of the page");
  }

  async function close() {
    await browser.close();
    await site.close();
  }

  return { page, axe, shot, closePages, close };
}

/** Waits until check() gives something true, and says what was waited for if it does not. */
export async function until(check, what, timeout = 30_000) {
  const end = Date.now() + timeout;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${timeout} ms in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
