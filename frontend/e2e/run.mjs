/**
 * Runs every test of e2e/*.spec.mjs over dist. A spec exports an object of named async functions that take the harness.
 * Arguments are parts of names: only tests that contain one of them run.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createHarness } from "./harness.mjs";

const wanted = process.argv.slice(2);
const specs = readdirSync(import.meta.dirname).filter((name) => /(\.spec|^content-.*)\.mjs$/.test(name));
const harness = await createHarness();
let failed = 0;
let run = 0;
for (const spec of specs.sort()) {
  const { default: tests } = await import(join(import.meta.dirname, spec));
  for (const [name, test] of Object.entries(tests)) {
    const title = `${spec.replace(/(\.spec)?\.mjs$/, "")}: ${name}`;
    if (wanted.length > 0 && !wanted.some((part) => title.includes(part))) continue;
    run += 1;
    const started = Date.now();
    try {
      await test(harness);
      await harness.closePages();
      process.stdout.write(`ok   ${title} (${Date.now() - started} ms)\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(`FAIL ${title}\n${error instanceof Error ? error.stack : error}\n`);
      await harness.closePages().catch(() => undefined);
    }
  }
}
await harness.close();
process.stdout.write(`${run - failed} of ${run} passed\n`);
process.exitCode = failed > 0 || run === 0 ? 1 : 0;
