import type { api } from "../backend";
import { Note } from "../ui";
import { Exact } from "./Exact";
import { asciiHost } from "./visible";
import "./review.css";

/** Everything of an entry that somebody else proposed: nothing is cut, one argument per line, what cannot be seen is named. */
export function Entry({ config }: { config: api.Config }) {
  const local = config.transport === "stdio" || config.command !== "";
  const host = local ? "" : asciiHost(config.url);
  return (
    <div className="entry">
      <dl className="facts-list">
        <Row name="Name" texts={[config.name]} />
        {local ? (
          <>
            <Row name="Program" texts={[config.command]} />
            <Row name="Arguments" texts={config.args} numbered />
            {config.cwd ? <Row name="Directory" texts={[config.cwd]} /> : null}
            {config.env.length > 0 ? <Row name="Environment" texts={config.env.map(variableText)} /> : null}
          </>
        ) : (
          <>
            <Row name="Address" texts={[config.url]} />
            {config.headers.length > 0 ? <Row name="Headers" texts={config.headers.map(variableText)} /> : null}
          </>
        )}
      </dl>
      {host ? (
        <Note tone="needs">
          The address has letters that look like others. It is really <span className="mono">{host}</span>.
        </Note>
      ) : null}
      {local ? (
        <Note tone="failed">
          This runs a program on your computer, with all your rights: it can read, change and send everything that you
          can. Go on only if you know where it comes from.
        </Note>
      ) : null}
    </div>
  );
}

const variableText = (variable: api.Variable): string =>
  variable.secret || variable.value === ""
    ? `${variable.name} (you enter its value)`
    : `${variable.name}=${variable.value}`;

function Row({ name, texts, numbered = false }: { name: string; texts: string[]; numbered?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {texts.length === 0 ? <span className="t3">none</span> : null}
        <ol className="entry-lines" data-numbered={numbered || undefined}>
          {texts.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: arguments have no identity but their place.
            <li key={index} className="mono selectable">
              <Exact text={text} />
            </li>
          ))}
        </ol>
      </dd>
    </div>
  );
}
