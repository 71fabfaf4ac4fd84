import { type ReactNode, useEffect, useRef } from "react";
import { ListBox, ListBoxItem, ListLayout, Virtualizer } from "react-aria-components";

export interface LogTableProps<T> {
  label: string;
  rows: T[];
  keyOf(row: T): string;
  /** What a screen reader and type-ahead use. */
  textOf(row: T): string;
  render(row: T): ReactNode;
  onOpen(row: T): void;
  empty: string;
}

const layout = { rowHeight: 22 };

/**
 * A virtualised list whose newest row is at the end and stays in sight, unless the person has scrolled away from it or is
 * moving through the rows.
 */
export function LogTable<T>({ label, rows, keyOf, textOf, render, onOpen, empty }: LogTableProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const lastTop = useRef(0);

  // The virtualizer grows its content a moment after the rows came, and the drawer may get another height: whichever it was, what
  // was at the end stays at the end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the content element appears with the first row
  useEffect(() => {
    const element = list.current;
    if (!element) return;
    const follow = () => {
      if (following.current) element.scrollTop = element.scrollHeight;
    };
    follow();
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [rows.length === 0]);

  return (
    <Virtualizer layout={ListLayout} layoutOptions={layout}>
      <ListBox
        ref={list}
        aria-label={label}
        className="log-table"
        items={rows.map((row) => ({ id: keyOf(row), row }))}
        selectionMode="none"
        onAction={(key) => {
          const row = rows.find((candidate) => keyOf(candidate) === key);
          if (row) onOpen(row);
        }}
        renderEmptyState={() => <p className="log-empty">{empty}</p>}
        onScroll={(event) => {
          // Only the person scrolls up; that the content grew is no reason to stay behind.
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          if (scrollHeight - scrollTop - clientHeight < 24) following.current = true;
          else if (scrollTop < lastTop.current) following.current = false;
          lastTop.current = scrollTop;
        }}
      >
        {({ id, row }) => (
          <ListBoxItem id={id} textValue={textOf(row)} className="log-item">
            {render(row)}
          </ListBoxItem>
        )}
      </ListBox>
    </Virtualizer>
  );
}
