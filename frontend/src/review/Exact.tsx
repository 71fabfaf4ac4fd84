import { pieces } from "./visible";
import "./review.css";

/** A text of somebody else's as it really is. */
export function Exact({ text }: { text: string }) {
  if (text === "") return <span className="entry-hidden">empty</span>;
  return (
    <>
      {pieces(text).map((piece, at) =>
        piece.hidden ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text do not move.
          <span key={at} className="entry-hidden">
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
