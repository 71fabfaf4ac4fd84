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
