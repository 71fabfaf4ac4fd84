import { useMemo, useState } from "react";
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, TextField } from "react-aria-components";
import { useActions, useAppState } from "../state";
import { type Entry, highlight, paletteEntries, searchEntries } from "./entries";
import { useTarget } from "./target";
import "./palette.css";

const limit = 60;

/** A text field and not a search field: Escape closes the palette, also when something is typed. */
export function Palette() {
  const actions = useActions();
  const servers = useAppState((state) => state.servers);
  const catalogs = useAppState((state) => state.catalogs);
  const selectedServer = useAppState((state) => state.selectedServer);
  const saved = useAppState((state) => state.saved);
  const [query, setQuery] = useState("");
  const entries = useMemo(
    () => paletteEntries({ servers, catalogs, selectedServer, saved }),
    [servers, catalogs, selectedServer, saved],
  );
  const found = useMemo(() => searchEntries(entries, query, limit), [entries, query]);
  const go = useTarget();
  return (
    <ModalOverlay
      className="scrim palette-scrim"
      isOpen
      isDismissable
      onOpenChange={(open) => open || actions.closeDialog()}
    >
      <Modal className="modal palette">
        <Dialog className="dialog" aria-label="Find anything">
          <Autocomplete inputValue={query} onInputChange={setQuery}>
            <TextField
              aria-label="Find a server, tool, prompt, resource or command"
              className="palette-field"
              autoFocus
            >
              <Input
                className="palette-input"
                placeholder="Find a server, tool, prompt, resource or command"
                spellCheck={false}
              />
            </TextField>
            <Menu
              className="palette-list"
              aria-label="Found"
              items={found}
              onAction={(key) => {
                const entry = found.find((candidate) => candidate.key === key);
                if (!entry) return;
                actions.closeDialog();
                go(entry.target);
              }}
              renderEmptyState={() => <p className="side-empty">Nothing matches “{query}”.</p>}
            >
              {(entry) => <PaletteRow entry={entry} query={query} />}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function PaletteRow({ entry, query }: { entry: Entry; query: string }) {
  return (
    <MenuItem id={entry.key} textValue={`${entry.kind} ${entry.title} ${entry.place}`} className="palette-row">
      <span className="palette-kind t3">{entry.kind}</span>
      <span className="grow clip">
        {highlight(entry.title, query).map((piece, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no identity but their place.
          piece.hit ? <b key={index}>{piece.text}</b> : <span key={index}>{piece.text}</span>,
        )}
      </span>
      <span className="t3 small clip palette-place">{entry.place}</span>
      <span className="kbd palette-enter" aria-hidden="true">
        ↵
      </span>
    </MenuItem>
  );
}
