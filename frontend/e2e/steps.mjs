import { until } from "./harness.mjs";

/** What specs do again and again. */
export const serverRow = (page, name) => page.getByRole("row", { name: new RegExp(`^${name}, `) });

/** The row of a server with this text in it, once it is there. */
export const serverSays = (page, name, text) =>
  page.getByRole("row", { name: new RegExp(`^${name}, .*${text}`) }).waitFor();

export const focusedName = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.getAttribute("aria-label") ?? element?.textContent ?? "";
  });

/** The newest line of the activity drawer, once the list has scrolled to its end and no longer moves. */
export async function newestLine(page, name) {
  const line = page.getByRole("listbox", { name: "Messages" }).getByRole("option", { name }).last();
  let before = "";
  await until(async () => {
    const now = JSON.stringify(await line.boundingBox());
    const still = now === before;
    before = now;
    await page.waitForTimeout(250);
    return still;
  }, "the activity to stand still");
  return line;
}
