import { useRef } from "react";
import type { api } from "../backend";
import { CallLayout } from "../call/CallLayout";
import { LastCalls } from "../call/LastCalls";
import { RunButton } from "../call/RunButton";
import { Running } from "../call/Running";
import { useRunKey } from "../call/useRunKey";
import { ResultView } from "../result/ResultView";
import { updateKey, useActions, useAppState, useServerView, useShownCall } from "../state";
import { Checkbox, formatBytes, LinkButton, Note } from "../ui";
import "./resources.css";

/** One resource: what is known about it, Read, and whether it tells of changes. */
export function ResourcePane({ server, resource }: { server: api.Server; resource: api.Resource }) {
  const actions = useActions();
  const call = useShownCall(server.id, "resource", resource.uri);
  const subscribed = useServerView(server.id).subscribed.includes(resource.uri);
  const key = updateKey(server.id, resource.uri);
  const updates = useAppState((state) => state.updates[key] ?? 0);
  const pane = useRef<HTMLElement>(null);

  const read = () => {
    if (call?.outcome === "running" || server.state !== "ready") return;
    actions.clearUpdates(key);
    void actions.call(server.id, "resource", resource.uri, "").then((ended) => {
      actions.announce(
        `${resource.name}: ${ended.outcome === "done" ? "read" : (ended.error?.message ?? ended.outcome)}`,
      );
    });
  };
  useRunKey(pane, read);

  const facts: [string, string][] = [
    ["Type", resource.mimeType],
    ["Size", resource.size >= 0 ? formatBytes(resource.size) : ""],
    ["Name", resource.title ? resource.name : ""],
  ];
  return (
    <CallLayout
      ref={pane}
      title={resource.title || resource.name || resource.uri}
      name={resource.title || resource.name || resource.uri}
      description={resource.description}
      controls={
        <RunButton
          label="Read"
          call={call}
          disabled={server.state !== "ready"}
          reason="Not connected"
          onRun={read}
          onCancel={(id) => void actions.cancelCall(id)}
        />
      }
      form={
        <>
          <p className="mono selectable resource-uri">{resource.uri}</p>
          <dl className="facts">
            {facts
              .filter(([, value]) => value)
              .map(([name, value]) => (
                <div key={name}>
                  <dt className="t3">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
          </dl>
          {server.capabilities.includes("resources.subscribe") && (
            <Checkbox
              isSelected={subscribed}
              isDisabled={server.state !== "ready"}
              onChange={(on) => void actions.subscribe(server.id, resource.uri, on)}
            >
              Tell me when it changes
            </Checkbox>
          )}
          {updates > 0 && (
            <Note tone="needs">
              {call ? "It has changed since you read it" : "It has changed"}
              {updates > 1 ? `, ${updates} times. ` : ". "}
              <LinkButton onPress={read}>{call ? "Read again" : "Read"}</LinkButton>
            </Note>
          )}
          <LastCalls
            serverId={server.id}
            kind="resource"
            name={resource.uri}
            shown={call}
            onPick={(picked) => {
              actions.show(server.id, "resource", resource.uri, picked.id);
              void actions.loadCall(picked.id);
            }}
          />
        </>
      }
      result={
        call === undefined ? (
          <p className="t3 result-hint">The contents appear here.</p>
        ) : call.outcome === "running" ? (
          <Running call={call} />
        ) : (
          <ResultView key={call.id} call={call} />
        )
      }
    />
  );
}
