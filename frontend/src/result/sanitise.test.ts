import { describe, expect, it } from "vitest";
import { render } from "./sanitise";

function html(markdown: string): string {
  const box = document.createElement("div");
  box.append(render(markdown));
  return box.innerHTML;
}

describe("Markdown of a server", () => {
  it("keeps text, lists, tables and code", () => {
    const out = html("# T\n\n- a\n- b\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n`code`");
    for (const piece of ["<h1>T</h1>", "<li>a</li>", "<td>1</td>", "<code>code</code>"]) expect(out).toContain(piece);
  });
  it.each([
    ["an image", "![x](https://evil.example/p.png)"],
    ["an image in HTML", '<img src="https://evil.example/p.png" onerror="alert(1)">'],
    ["a frame", '<iframe src="https://evil.example/"></iframe>'],
    ["a style", "<style>*{background:url(https://evil.example/)}</style>"],
    ["a style attribute", '<p style="background:url(https://evil.example/)">x</p>'],
    ["a form", '<form action="https://evil.example/"><input name="a"></form>'],
    ["a script", "<script>alert(1)</script>"],
    ["a link element", '<link rel="stylesheet" href="https://evil.example/">'],
    ["SVG", '<svg><image href="https://evil.example/"/></svg>'],
    ["a base", '<base href="https://evil.example/">'],
    ["a handler", '<p onclick="alert(1)">x</p>'],
  ])("drops %s", (_, markdown) =>
    expect(html(markdown)).not.toMatch(/evil|alert|<(img|iframe|style|form|input|script|link|svg|base)/),
  );
  it("leaves no address that the web view could follow", () => {
    const out = html("[x](https://example.com/a)");
    expect(out).not.toContain(" href=");
    expect(out).toContain('data-href="https://example.com/a"');
  });
  it("drops the address of a script link", () => expect(html("[x](javascript:alert(1))")).not.toContain("javascript"));
});
