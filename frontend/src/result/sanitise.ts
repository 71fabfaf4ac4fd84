// Markdown to a document fragment that can do nothing: no image, style, frame, form, script or handler survives, and no link
// keeps an address that the web view could follow.
import DOMPurify from "dompurify";
import { Marked } from "marked";

const marked = new Marked({ gfm: true, breaks: false });

const tags = [
  "a",
  "b",
  "blockquote",
  "br",
  "code",
  "dd",
  "del",
  "dl",
  "dt",
  "em",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
  "hr",
  "i",
  "kbd",
  "li",
  "ol",
  "p",
  "pre",
  "s",
  "strong",
  "sub",
  "sup",
  "table",
  "tbody",
  "td",
  "th",
  "thead",
  "tr",
  "ul",
];

export function render(text: string): DocumentFragment {
  const html = marked.parse(text, { async: false });
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: ["href", "start", "align"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const anchor of fragment.querySelectorAll("a")) {
    const href = anchor.getAttribute("href") ?? "";
    anchor.setAttribute("data-href", href);
    anchor.removeAttribute("href");
    anchor.setAttribute("role", "link");
    anchor.setAttribute("tabindex", "0");
    anchor.setAttribute("title", href);
    anchor.addEventListener("keydown", (event) => {
      if (event.key === "Enter") anchor.click();
    });
  }
  return fragment;
}
