import type { api } from "../backend";
import { Note } from "../ui";
import { Exact } from "./Exact";
import { asciiHost } from "./visible";
import "./review.css";

/**
 * Everything of an entry that somebody else proposed: nothing is cut, one argument per line, what cannot be seen is named. A list of
 * entries has their names outside, and warns of programs once for all.
 */
export function Entry({ config, listed = false }: { config: api.Config; listed?: boolean }) {
  const local = config.transport === "stdio" || config.command !== "";
  const host = local ? "" : asciiHost(config.url);
  return (
    <div className="entry">
      <dl className="facts-list">
        {listed ? null : <Row name="Name" texts={[config.name]} />}
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
      {local && !listed ? <ProgramWarning /> : null}
    </div>
  );
}

/** What it means that an entry, or several of a list, have a command. */
export function ProgramWarning({ several = false }: { several?: boolean }) {
  return (
    <Note tone="failed">
      {several
        ? "Local programs run on your computer, with all your rights: they"
        : "This runs a program on your computer, with all your rights: it"}{" "}
      can read, change and send everything that you can. Go on only if you know where{" "}
      {several ? "they come" : "it comes"} from.
    </Note>
  );
}

const variableText = (variable: api.Variable): string => {
  if (variable.value === "" && !variable.hasValue) return `${variable.name} (you enter its value)`;
  return `${variable.name}=${variable.secret ? "••••••" : variable.value}`;
};

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
