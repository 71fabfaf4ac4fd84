import { Plus } from "lucide-react";
import { useActions } from "../state";
import { Button, commandKey, Kbd } from "../ui";

/** No server is stored. */
export function Welcome() {
  const actions = useActions();
  return (
    <section className="welcome" aria-label="No servers yet" data-pane="">
      <h1>No servers yet</h1>
      <p className="t2">
        Add the first one: paste the address of a remote server, the command line of a local one, or the mcpServers
        block of another program. Jackfield keeps it, connects it, and brings it back when it starts.
      </p>
      <div className="row">
        <Button tone="primary" onPress={() => actions.openDialog({ kind: "add" })}>
          <Plus size={14} aria-hidden="true" />
          Add a server
        </Button>
        <span className="t3 small row">
          or press <Kbd>{commandKey("N")}</Kbd>
        </span>
      </div>
      <dl className="examples">
        <dt>A URL</dt>
        <dd className="mono">https://mcp.example.com/mcp</dd>
        <dt>A command line</dt>
        <dd className="mono">npx -y @modelcontextprotocol/server-everything</dd>
        <dt>A block of JSON</dt>
        <dd className="mono">{'{"mcpServers": {"files": {"command": "npx", "args": ["server-filesystem"]}}}'}</dd>
      </dl>
    </section>
  );
}
