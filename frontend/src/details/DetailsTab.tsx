import { type ReactNode, useEffect, useState } from "react";
import { type api, failureOf } from "../backend";
import { logLevelKey, logLevelOf, logLevels } from "../servers/config";
import { transportName } from "../servers/groups";
import { AccountPanel } from "../signin/AccountPanel";
import { useActions, useBackend } from "../state";
import { Badge, Button, formatDuration, Note, Select, visibleText } from "../ui";
import "./details.css";

export function DetailsTab({ server }: { server: api.Server }) {
  const actions = useActions();
  const { config, failure } = useConfig(server);
  return (
    <div className="details">
      <Section title="Server">
        <Facts rows={serverFacts(server)} />
      </Section>
      {server.instructions ? (
        <Section title="Instructions">
          <p className="instructions selectable">{visibleText(server.instructions)}</p>
        </Section>
      ) : null}
      {hasAccount(server) ? (
        <Section title="Account">
          <AccountPanel server={server} />
        </Section>
      ) : null}
      <Section title="Capabilities">
        {server.capabilities.length > 0 ? (
          <p className="capabilities">
            {server.capabilities.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
          </p>
        ) : (
          <p className="t2">Known after the first connection.</p>
        )}
      </Section>
      {config && server.capabilities.includes("logging") ? (
        <Section title="Logs">
          <LogLevel serverId={server.id} config={config} />
        </Section>
      ) : null}
      <Section
        title="Configuration"
        action={
          <Button size="small" onPress={() => actions.openDialog({ kind: "edit", serverId: server.id })}>
            Edit
          </Button>
        }
      >
        {config ? <Facts rows={configFacts(config)} /> : null}
        {failure ? (
          <Note tone="failed">
            {failure.message} {failure.hint}
          </Note>
        ) : null}
      </Section>
      <Section title={`Problems ${server.problems.length || ""}`}>
        <Problems problems={server.problems} />
      </Section>
    </div>
  );
}

/** How much the server is asked to log. It takes effect at once. */
function LogLevel({ serverId, config }: { serverId: string; config: api.Config }) {
  const backend = useBackend();
  const [failure, setFailure] = useState<api.Failure>();
  const choose = async (key: string) => {
    setFailure(undefined);
    try {
      await backend.editServer(serverId, { ...config, logLevel: logLevelOf(key) });
    } catch (thrown) {
      setFailure(failureOf(thrown));
    }
  };
  return (
    <>
      <Select
        label="What the server logs"
        value={logLevelKey(config.logLevel)}
        options={logLevels}
        onChange={(key) => void choose(key)}
      />
      {failure ? (
        <Note tone="failed">
          {failure.message} {failure.hint}
        </Note>
      ) : null}
    </>
  );
}

/** Local programs are not signed in to; of a remote one it is only shown where there is something to say. */
function hasAccount(server: api.Server): boolean {
  return server.account !== undefined || server.signIn !== undefined || server.state === "authenticating";
}

function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  return (
    <section className="details-section">
      <div className="details-title">
        <h2>{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

type Fact = [name: string, value: ReactNode];

function Facts({ rows }: { rows: Fact[] }) {
  return (
    <dl className="facts-list">
      {rows
        .filter(([, value]) => value !== "" && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="selectable">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

const eraWords: Record<string, string> = { modern: "modern", legacy: "legacy" };

function serverFacts(server: api.Server): Fact[] {
  const { serverInfo: info } = server;
  return [
    ["Program", [info.title || info.name, info.version].filter(Boolean).join(" ")],
    ["State", server.detail],
    ["Protocol", [server.protocolVersion, eraWords[server.era]].filter(Boolean).join(", ")],
    ["Transport", transportName(server.actualTransport || server.transport)],
    [
      "Endpoint",
      <span key="e" className="mono">
        {server.endpoint}
      </span>,
    ],
    ["Process", server.pid > 0 ? String(server.pid) : ""],
    ["Latency", server.latencyMs > 0 ? formatDuration(server.latencyMs) : ""],
  ];
}

function configFacts(config: api.Config): Fact[] {
  const seconds = (ms: number, fallback: number) => `${ms > 0 ? ms / 1000 : fallback} s`;
  const mono = (text: string) => (text ? <span className="mono">{visibleText(text)}</span> : "");
  return [
    ["Transport", transportName(config.transport)],
    ["URL", mono(config.url)],
    ["Command", mono(config.command)],
    ["Arguments", config.args.length > 0 ? <Lines key="a" lines={config.args.map(visibleText)} /> : ""],
    ["Directory", mono(config.cwd)],
    ["Headers", config.headers.length > 0 ? <Lines key="h" lines={config.headers.map(variable)} /> : ""],
    ["Environment", config.env.length > 0 ? <Lines key="v" lines={config.env.map(variable)} /> : ""],
    ["Attempts", config.maxAttempts < 0 ? "for ever" : String(config.maxAttempts || 3)],
    [
      "Time limits",
      `connect ${seconds(config.connectMs, 30)}, lists ${seconds(config.discoveryMs, 30)}, call ${seconds(config.callIdleMs, 60)} silent and ${seconds(config.callTotalMs, 600)} in all`,
    ],
    ["Folders", (config.roots ?? []).length > 0 ? <Lines key="r" lines={config.roots.map(visibleText)} /> : ""],
    ["Logs", config.logLevel ? `from ${config.logLevel} on` : ""],
    ["Local network", config.trustLocalNetwork ? "trusted" : ""],
    ["At the start", config.enabled ? "connects" : "stays disconnected"],
  ];
}

const variable = (row: api.Variable): string =>
  `${row.name}: ${row.secret ? "secret, stored" : visibleText(row.value)}`;

function Lines({ lines }: { lines: string[] }) {
  return (
    <ul className="mono">
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal lines are told apart by their place only.
        <li key={index}>{line}</li>
      ))}
    </ul>
  );
}

function Problems({ problems }: { problems: api.Problem[] }) {
  if (problems.length === 0) return <p className="t2">None: what was received followed the specification.</p>;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col">About</th>
          <th scope="col">What was wrong and what was done</th>
        </tr>
      </thead>
      <tbody>
        {problems.map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal problems are told apart by their place only.
          <tr key={index}>
            <td className="mono problem-code">{problem.code}</td>
            <td>{problem.subject}</td>
            <td className="t2 selectable">{problem.message}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The stored configuration, again after each change of the server (which an edit is). */
function useConfig(server: api.Server): { config?: api.Config; failure?: api.Failure } {
  const backend = useBackend();
  const [state, setState] = useState<{ config?: api.Config; failure?: api.Failure }>({});
  const { id, updatedAt } = server;
  // biome-ignore lint/correctness/useExhaustiveDependencies: updatedAt changes when the configuration does.
  useEffect(() => {
    let stale = false;
    backend.serverConfig(id).then(
      (config) => stale || setState({ config }),
      (thrown) => stale || setState({ failure: failureOf(thrown) }),
    );
    return () => {
      stale = true;
    };
  }, [backend, id, updatedAt]);
  return state;
}
