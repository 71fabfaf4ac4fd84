/**
 * Runs every test of e2e/*.spec.mjs over dist, two at a time, each worker with a browser of its own. A spec exports an object of named
 * async functions that take the harness. Arguments are parts of names: only tests that contain one of them run.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createHarness } from "./harness.mjs";

const workers = 2;
const wanted = process.argv.slice(2);
const queue = [];
for (const spec of readdirSync(import.meta.dirname).sort()) {
  if (!/(\.spec|^content-.*)\.mjs$/.test(spec)) continue;
  const { default: tests } = await import(join(import.meta.dirname, spec));
  for (const [name, test] of Object.entries(tests)) {
    const title = `${spec.replace(/(\.spec)?\.mjs$/, "")}: ${name}`;
    if (wanted.length === 0 || wanted.some((part) => title.includes(part))) queue.push({ title, test });
  }
}
const run = queue.length;
let failed = 0;

async function work() {
  const harness = await createHarness();
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { title, test } = next;
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
  await harness.close();
}

await Promise.all(Array.from({ length: Math.min(workers, run) }, work));
process.stdout.write(`${run - failed} of ${run} passed\n`);
process.exitCode = failed > 0 || run === 0 ? 1 : 0;
