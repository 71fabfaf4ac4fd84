import { type ReactNode, useEffect, useRef, useState } from "react";
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
  const [atEnd, setAtEnd] = useState(true);

  useEffect(() => {
    const element = list.current;
    if (!element || !atEnd || rows.length === 0) return;
    element.scrollTop = element.scrollHeight;
  }, [rows, atEnd]);

  // The drawer gets another height: what was at the end stays at the end.
  useEffect(() => {
    const element = list.current;
    if (!element || !atEnd) return;
    const observer = new ResizeObserver(() => {
      element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [atEnd]);

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
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          setAtEnd(scrollHeight - scrollTop - clientHeight < 24);
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
