import { JsonViewer } from "../json/JsonViewer";
import { Button, formatBytes } from "../ui";
import { Media } from "./Media";
import type { Annotations, Block, ResourceContents } from "./read";
import { TextBlock } from "./TextBlock";

interface Props {
  blocks: readonly Block[];
  /** Reads a resource of the same server; absent where that makes no sense. */
  onRead?: ((uri: string) => void) | undefined;
}

/** Content blocks in their order; resource links that follow each other share one table. */
export function Blocks({ blocks, onRead }: Props) {
  const groups: (Block | (Block & { kind: "link" })[])[] = [];
  for (const block of blocks) {
    const last = groups[groups.length - 1];
    if (block.kind !== "link") groups.push(block);
    else if (Array.isArray(last)) last.push(block);
    else groups.push([block]);
  }
  return (
    <>
      {groups.map((group, index) =>
        Array.isArray(group) ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
          <LinkTable key={index} links={group} onRead={onRead} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
          <OneBlock key={index} block={group} place={index + 1} />
        ),
      )}
    </>
  );
}

export function OneBlock({ block, place }: { block: Block; place: number }) {
  switch (block.kind) {
    case "text":
      return (
        <>
          <AnnotationLine annotations={block.annotations} />
          <TextBlock text={block.text} label={`Text ${place}`} />
        </>
      );
    case "image":
    case "audio":
      return (
        <>
          <AnnotationLine annotations={block.annotations} />
          <Media
            kind={block.kind}
            data={block.data}
            mimeType={block.mimeType}
            name={`${block.kind === "image" ? "Picture" : "Sound"} ${place} of the result`}
          />
        </>
      );
    case "link":
      return <LinkTable links={[block]} />;
    case "resource":
      return <ResourceBlock resource={block.resource} />;
    default:
      return (
        <section className="result-part">
          <h3>{block.type ? `Content of a type that is not known here: ${block.type}` : "Content without a type"}</h3>
          <JsonViewer text={block.json} label={`Content ${place}`} />
        </section>
      );
  }
}

function AnnotationLine({ annotations }: { annotations: Annotations | undefined }) {
  if (!annotations) return null;
  const words = [
    annotations.audience.length > 0 ? `for ${annotations.audience.join(" and ")}` : "",
    annotations.priority !== undefined ? `priority ${annotations.priority}` : "",
  ].filter(Boolean);
  return <h3 className="annotations">{words.join(" · ")}</h3>;
}

export function ResourceBlock({ resource, heading = true }: { resource: ResourceContents; heading?: boolean }) {
  const name = resource.uri || "a resource without a URI";
  return (
    <section className="result-part">
      {heading && (
        <h3 className="part-head">
          Resource <span className="mono clip">{name}</span>{" "}
          {resource.mimeType && <span className="t3">{resource.mimeType}</span>}
        </h3>
      )}
      {resource.text !== undefined ? (
        <TextBlock text={resource.text} mimeType={resource.mimeType} label={name} />
      ) : resource.blob !== undefined ? (
        <Media kind="blob" data={resource.blob} mimeType={resource.mimeType} name={name} />
      ) : (
        <p className="t3">The server sent neither text nor data for it.</p>
      )}
    </section>
  );
}

function LinkTable({
  links,
  onRead,
}: {
  links: readonly (Block & { kind: "link" })[];
  onRead?: ((uri: string) => void) | undefined;
}) {
  return (
    <section className="result-part">
      <h3>{links.length === 1 ? "Linked resource" : "Linked resources"}</h3>
      <table className="links">
        <thead>
          <tr>
            <th>Name</th>
            <th>URI</th>
            <th>Type</th>
            {onRead && (
              <th>
                <span className="visually-hidden">Action</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {links.map((link, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
            <tr key={index}>
              <td title={link.description || undefined}>{link.title || link.name || "—"}</td>
              <td className="mono selectable uri">{link.uri}</td>
              <td className="t2">
                {[link.mimeType, link.size !== undefined ? formatBytes(link.size) : ""].filter(Boolean).join(" · ") ||
                  "—"}
              </td>
              {onRead && (
                <td>
                  <Button size="small" aria-label={`Read ${link.uri}`} onPress={() => onRead(link.uri)}>
                    Read
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
