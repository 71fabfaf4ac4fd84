import { useMemo, useRef, useState } from "react";
import type { api } from "../backend";
import { useActions, useCatalog, useServerView } from "../state";
import { Badge, LinkButton, Note, plural } from "../ui";
import { type Item, ItemList, type Section } from "./ItemList";
import { ToolPane } from "./ToolPane";

/** The tools of a server: list, form and result in one view. */
export function ToolsTab({ server }: { server: api.Server }) {
  const { catalog, loading, failure } = useCatalog(server.id);
  const view = useServerView(server.id);
  const actions = useActions();
  const tools = catalog?.tools ?? none;
  const sections = useMemo<Section[]>(() => [{ title: "Tools", items: tools.map(toItem) }], [tools]);
  const tool = tools.find((candidate) => candidate.name === view.selected.tool) ?? tools[0];

  return (
    <div className="tab-columns">
      <ItemList
        what="tools"
        sections={sections}
        selected={tool?.name ?? ""}
        onSelect={(name) => actions.selectItem(server.id, "tool", name)}
        empty={<EmptyList server={server} loading={loading} failure={failure} what="tools" />}
        notes={<SetAside problems={server.problems} prefix="tool" what="tool" />}
      />
      {tool && <ToolPane key={`${server.id} ${tool.name}`} server={server} tool={tool} />}
    </div>
  );
}

const none: api.Tool[] = [];

function toItem(tool: api.Tool): Item {
  return {
    key: tool.name,
    label: tool.name,
    detail: [tool.title, tool.description].filter(Boolean).join("\n"),
    badges: <ToolBadges tool={tool} short />,
  };
}

/** What a tool says about itself. In the list only the one that matters most. */
export function ToolBadges({ tool, short = false }: { tool: api.Tool; short?: boolean }) {
  const badges = [
    tool.destructive === "true" && tool.readOnly !== "true" && (
      <Badge key="d" tone="warn">
        destructive
      </Badge>
    ),
    tool.readOnly === "true" && <Badge key="r">read-only</Badge>,
    tool.idempotent === "true" && tool.readOnly !== "true" && <Badge key="i">idempotent</Badge>,
    !short && tool.openWorld === "true" && <Badge key="o">open world</Badge>,
  ].filter(Boolean);
  return <>{short ? badges[0] : badges}</>;
}

/** Why a list is empty, and what to do about it. */
export function EmptyList({
  server,
  loading,
  failure,
  what,
}: {
  server: api.Server;
  loading: boolean;
  failure: api.Failure | undefined;
  what: string;
}) {
  const actions = useActions();
  if (failure)
    return (
      <Note tone="failed">
        {failure.message} {failure.hint}{" "}
        <LinkButton onPress={() => void actions.refresh(server.id)}>Load again</LinkButton>
      </Note>
    );
  if (loading || server.state === "discovering" || server.state === "connecting") return <p>Loading the {what}…</p>;
  if (server.state === "ready") return <p>This server offers no {what}.</p>;
  return <p>The {what} appear here once the server is connected.</p>;
}

/** What the server offers in a form that cannot be used; it is named, not dropped in silence. */
export function SetAside({
  problems,
  prefix,
  what,
}: {
  problems: readonly api.Problem[];
  prefix: string;
  what: string;
}) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLUListElement>(null);
  const aside = problems.filter((problem) => problem.code.startsWith(prefix));
  if (aside.length === 0) return null;
  return (
    <div className="set-aside">
      <Note tone="needs">
        {aside.length === 1
          ? `One ${what} has a problem: ${aside[0]?.subject}.`
          : `${plural(aside.length, what)} have problems.`}{" "}
        <LinkButton aria-expanded={open} onPress={() => setOpen(!open)}>
          {open ? "Hide" : "Show"}
        </LinkButton>
        {open && (
          <ul ref={box} className="set-aside-list">
            {aside.map((problem) => (
              <li key={`${problem.code} ${problem.subject} ${problem.message}`}>
                <b className="mono">{problem.subject}</b>: {problem.message}
              </li>
            ))}
          </ul>
        )}
      </Note>
    </div>
  );
}
