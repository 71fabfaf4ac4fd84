import { useMemo } from "react";
import type { api } from "../backend";
import { type Item, ItemList, type Section } from "../call/ItemList";
import { EmptyList, SetAside } from "../call/ToolsTab";
import { updateKey, useActions, useAppState, useCatalog, useServerView } from "../state";
import { Badge } from "../ui";
import { ResourcePane } from "./ResourcePane";
import { TemplatePane } from "./TemplatePane";

const templatePrefix = "template ";

/** The resources and resource templates of a server: list, address, contents. */
export function ResourcesTab({ server }: { server: api.Server }) {
  const { catalog, loading, failure } = useCatalog(server.id);
  const view = useServerView(server.id);
  const actions = useActions();
  const updates = useAppState((state) => state.updates);
  const resources = catalog?.resources ?? noResources;
  const templates = catalog?.templates ?? noTemplates;

  const sections = useMemo<Section[]>(
    () =>
      [
        {
          title: "Resources",
          items: resources.map((resource) => toItem(resource, updates[updateKey(server.id, resource.uri)] ?? 0)),
        },
        { title: "Templates", items: templates.map(toTemplateItem) },
      ].filter((section) => section.items.length > 0),
    [resources, templates, updates, server.id],
  );

  const wanted = view.selected.resource;
  const template =
    templates.find((candidate) => templatePrefix + candidate.uriTemplate === wanted) ??
    (resources.length === 0 && wanted === "" ? templates[0] : undefined);
  // A link of a result may name a resource that is not in the list.
  const resource = template
    ? undefined
    : (resources.find((candidate) => candidate.uri === wanted) ??
      (wanted !== "" && !wanted.startsWith(templatePrefix) ? linked(wanted) : resources[0]));
  const selected = template ? templatePrefix + template.uriTemplate : (resource?.uri ?? "");

  return (
    <div className="tab-columns">
      <ItemList
        what="resources"
        sections={sections}
        selected={selected}
        onSelect={(key) => actions.selectItem(server.id, "resource", key)}
        empty={<EmptyList server={server} loading={loading} failure={failure} what="resources" />}
        notes={<SetAside problems={server.problems} prefix="resource" what="resource" />}
      />
      {template ? (
        <TemplatePane key={`${server.id} ${template.uriTemplate}`} server={server} template={template} />
      ) : (
        resource && <ResourcePane key={`${server.id} ${resource.uri}`} server={server} resource={resource} />
      )}
    </div>
  );
}

const noResources: api.Resource[] = [];
const noTemplates: api.Template[] = [];

function linked(uri: string): api.Resource {
  return { uri, name: uri, title: "", description: "", mimeType: "", size: -1, raw: "" };
}

function toItem(resource: api.Resource, updates: number): Item {
  return {
    key: resource.uri,
    label: resource.title || resource.name || resource.uri,
    detail: [resource.uri, resource.mimeType, resource.description].filter(Boolean).join("\n"),
    badges: updates > 0 ? <Badge tone="needs">updated</Badge> : undefined,
  };
}

function toTemplateItem(template: api.Template): Item {
  return {
    key: templatePrefix + template.uriTemplate,
    label: template.title || template.name || template.uriTemplate,
    detail: [template.uriTemplate, template.description].filter(Boolean).join("\n"),
  };
}
