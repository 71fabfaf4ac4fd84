import { useEffect, useRef, useState } from "react";
import { LinkDialog } from "./LinkDialog";

/** Markdown of a server: text, lists, tables, code. Nothing in it is fetched, and a link says where it leads before it opens. */
export function Markdown({ text, label }: { text: string; label: string }) {
  const box = useRef<HTMLElement>(null);
  const [link, setLink] = useState<string | undefined>(undefined);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    let gone = false;
    import("./sanitise").then(
      ({ render }) => {
        if (!gone) box.current?.replaceChildren(render(text));
      },
      () => setBroken(true),
    );
    return () => {
      gone = true;
    };
  }, [text]);
  if (broken) return <pre className="pre">{text}</pre>;
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Enter on a link is a click */}
      <section
        ref={box}
        className="markdown selectable"
        aria-label={label}
        onClick={(event) => {
          const anchor = (event.target as HTMLElement).closest("a");
          if (!anchor) return;
          event.preventDefault();
          setLink(anchor.getAttribute("data-href") ?? "");
        }}
      />
      {link !== undefined && <LinkDialog url={link} onClose={() => setLink(undefined)} />}
    </>
  );
}
