import { useEffect, useState } from "react";
import { formatBytes } from "../ui";
import { decodeBase64 } from "./read";

interface Props {
  kind: "image" | "audio" | "blob";
  data: string;
  mimeType: string;
  name: string;
}

/** A picture or a sound from the bytes of the result itself; anything else is described. */
export function Media({ kind, data, mimeType, name }: Props) {
  const [url, setUrl] = useState("");
  const [size, setSize] = useState<{ bytes: number; width?: number; height?: number } | undefined>(undefined);
  const [fault, setFault] = useState("");
  const shown =
    kind === "blob" ? (/^image\//.test(mimeType) ? "image" : /^audio\//.test(mimeType) ? "audio" : "other") : kind;

  useEffect(() => {
    const bytes = decodeBase64(data);
    if (!bytes) {
      setFault("The data is not valid Base64, so it cannot be shown.");
      return;
    }
    setFault("");
    setSize({ bytes: bytes.length });
    if (shown === "other") return;
    const made = URL.createObjectURL(
      new Blob([bytes], { type: mimeType || (shown === "image" ? "image/png" : "audio/wav") }),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, mimeType, shown]);

  const facts = [
    mimeType || "no type given",
    size && formatBytes(size.bytes),
    size?.width && `${size.width} × ${size.height}`,
  ]
    .filter(Boolean)
    .join(" · ");
  if (fault)
    return (
      <p className="small">
        <span className="failed-text">{fault}</span> <span className="t3">{facts}</span>
      </p>
    );
  return (
    <figure className="media">
      {shown === "image" && url && (
        <img
          src={url}
          alt={name}
          onLoad={(event) => {
            const { naturalWidth, naturalHeight } = event.currentTarget;
            setSize((before) => ({ bytes: before?.bytes ?? 0, width: naturalWidth, height: naturalHeight }));
          }}
          onError={() => setFault("This picture cannot be decoded.")}
        />
      )}
      {shown === "audio" && url && (
        // biome-ignore lint/a11y/useMediaCaption: a server sends no captions
        <audio controls src={url} aria-label={name} onError={() => setFault("This sound cannot be played here.")} />
      )}
      <figcaption className="small t3">{shown === "other" ? `Binary data · ${facts}` : facts}</figcaption>
    </figure>
  );
}
