import { type ReactNode, useMemo, useState } from "react";
import { Header, ListBox, ListBoxItem, ListBoxSection, ListLayout, Virtualizer } from "react-aria-components";
import { useAppState } from "../state";
import { SearchField } from "../ui";
import "./call.css";

export interface Item {
  /** Unique in the list; what is selected. */
  key: string;
  label: string;
  /** Searched besides the label, and the tooltip. */
  detail: string;
  badges?: ReactNode;
}

export interface Section {
  title: string;
  items: Item[];
}

interface Props {
  /** "tools": for the search field and the screen reader. */
  what: string;
  sections: Section[];
  selected: string;
  onSelect: (key: string) => void;
  /** Below the list: what was set aside, what failed. */
  notes?: ReactNode;
  empty: ReactNode;
}

/** A searchable, virtualised list in 28 px rows; five thousand of them are as quick as five. */
export function ItemList({ what, sections, selected, onSelect, notes, empty }: Props) {
  const [query, setQuery] = useState("");
  const rowHeight = useAppState((state) => (state.settings.density === "comfortable" ? 32 : 28));
  const count = sections.reduce((sum, section) => sum + section.items.length, 0);
  const found = useMemo(
    () =>
      sections
        .map((section) => ({ ...section, items: section.items.filter((item) => matches(item, query)) }))
        .filter((section) => section.items.length > 0),
    [sections, query],
  );
  const titled = sections.length > 1;
  const layoutOptions = useMemo(() => ({ rowHeight, headingHeight: 26 }), [rowHeight]);

  return (
    <aside className="item-list" aria-label={`List of ${what}`}>
      <SearchField label={`Search ${count} ${what}`} value={query} onChange={setQuery} shortcut="/" slash />
      {count === 0 ? (
        <div className="item-empty t2">{empty}</div>
      ) : (
        <Virtualizer layout={ListLayout} layoutOptions={layoutOptions}>
          <ListBox
            aria-label={what}
            className="item-box"
            selectionMode="single"
            selectionBehavior="replace"
            disallowEmptySelection
            selectedKeys={selected === "" ? [] : [selected]}
            onSelectionChange={(keys) => {
              if (keys === "all") return;
              const [key] = keys;
              if (key !== undefined) onSelect(String(key));
            }}
            renderEmptyState={() => <p className="item-empty t3">Nothing fits “{query}”.</p>}
          >
            {titled
              ? found.map((section) => (
                  <ListBoxSection key={section.title} id={`section ${section.title}`}>
                    <Header className="item-section">{section.title}</Header>
                    {section.items.map(row)}
                  </ListBoxSection>
                ))
              : (found[0]?.items ?? []).map(row)}
          </ListBox>
        </Virtualizer>
      )}
      {notes}
    </aside>
  );
}

function row(item: Item) {
  return (
    <ListBoxItem key={item.key} id={item.key} textValue={item.label} className="list-row">
      <span className="clip grow" title={item.detail ? `${item.label}\n${item.detail}` : item.label}>
        {item.label}
      </span>
      {item.badges}
    </ListBoxItem>
  );
}

/** All words must occur; "cr iss" finds create_issue. */
export function matches(item: Item, query: string): boolean {
  const haystack = `${item.label} ${item.key} ${item.detail}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => haystack.includes(word));
}
