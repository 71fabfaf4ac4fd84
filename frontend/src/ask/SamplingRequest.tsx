import { useMemo } from "react";
import { JsonViewer } from "../json/JsonViewer";
import { Blocks } from "../result/Blocks";
import { Note, visibleText } from "../ui";
import { readSampling, type SamplingPart } from "./sampling";

/** What a server asks of a language model: the conversation so far, and what the answer should be like. */
export function SamplingRequest({ params }: { params: string }) {
  const request = useMemo(() => readSampling(params), [params]);
  if (!request) {
    return (
      <>
        <Note tone="needs">It holds no messages that can be shown; this is what the server sent.</Note>
        <JsonViewer text={params} label="What the server sent" />
      </>
    );
  }
  return (
    <section className="sampling" aria-label="What the server asks">
      {request.systemPrompt && (
        <div className="sampling-message">
          <h2 className="t3 small">System</h2>
          <p className="selectable sampling-text">{visibleText(request.systemPrompt)}</p>
        </div>
      )}
      {request.messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a request does not change
        <div key={index} className="sampling-message">
          <h2 className="t3 small">{message.role ? visibleText(message.role) : "Nobody in particular"}</h2>
          {message.parts.map((part, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a request does not change
            <Part key={place} part={part} />
          ))}
        </div>
      ))}
      {request.wishes.length > 0 && (
        <dl className="sampling-wishes small">
          {request.wishes.map(([name, words]) => (
            <div key={name}>
              <dt className="t3">{name}</dt>
              <dd className="selectable">{visibleText(words)}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="t2">
        This program has no language model. Write the answer yourself, or paste one; it goes to the server as it stands
        here.
      </p>
    </section>
  );
}

function Part({ part }: { part: SamplingPart }) {
  switch (part.kind) {
    case "call":
      return (
        <>
          <p>
            The model called <span className="mono">{visibleText(part.name)}</span>
          </p>
          <JsonViewer text={part.input} label={`What ${part.name} was given`} />
        </>
      );
    case "outcome":
      return (
        <>
          <p>{part.failed ? "The tool failed:" : "The tool answered:"}</p>
          <Blocks blocks={part.blocks} />
        </>
      );
    case "content":
      return <Blocks blocks={[part.block]} />;
  }
}
