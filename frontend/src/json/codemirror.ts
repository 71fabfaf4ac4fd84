// Everything of CodeMirror that this program uses: a chunk of its own, loaded when the first JSON is shown.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export { EditorState, EditorView };

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--busy)" },
  { tag: tags.string, color: "var(--ready)" },
  { tag: tags.number, color: "var(--accent)" },
  { tag: [tags.bool, tags.null], color: "var(--needs)" },
  { tag: [tags.separator, tags.brace, tags.squareBracket], color: "var(--text-2)" },
  { tag: tags.invalid, color: "var(--failed)" },
]);

const look = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--text)", height: "100%" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    fontSize: "12px",
    lineHeight: "1.55",
    fontVariantLigatures: "none",
    fontFeatureSettings: "normal",
  },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-line": { padding: "0 12px 0 4px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-3)", border: "none", paddingLeft: "4px" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 2px 0 6px", minWidth: "24px", fontSize: "11px" },
  ".cm-foldGutter .cm-gutterElement": { padding: "0 2px", cursor: "default" },
  ".cm-foldPlaceholder": {
    background: "var(--accent-soft)",
    border: "none",
    color: "var(--text-2)",
    padding: "0 6px",
    margin: "0 2px",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", color: "inherit" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--needs) 20%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--needs) 30%, transparent)", outline: "none" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--accent) 45%, transparent)" },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--text)", borderBottom: "1px solid var(--line)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "4px 8px", fontFamily: "var(--sans)", fontSize: "var(--size-small)" },
  ".cm-panel.cm-search label": {
    fontSize: "var(--size-small)",
    display: "inline-flex",
    alignItems: "center",
    gap: "3px",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--text-2)", fontSize: "16px" },
  ".cm-textfield": {
    backgroundColor: "var(--page)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    fontSize: "var(--size-small)",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--raised)",
    color: "var(--text)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
    fontSize: "var(--size-small)",
  },
  ".cm-fault": { textDecoration: "underline wavy var(--failed)", textUnderlineOffset: "3px" },
});

const setFault = StateEffect.define<number | undefined>();

const faultMark = Decoration.mark({ class: "cm-fault" });

/** The place of the first error, underlined. */
const faults = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setFault)) continue;
      const { length } = transaction.newDoc;
      if (effect.value === undefined || length === 0) next = Decoration.none;
      else {
        const from = Math.min(effect.value, length - 1);
        next = Decoration.set([faultMark.range(from, from + 1)]);
      }
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function shared(label: string): Extension[] {
  return [
    foldGutter({ openText: "▾", closedText: "▸" }),
    codeFolding({ placeholderText: "…" }),
    drawSelection(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 3 }),
    syntaxHighlighting(colours),
    look,
    EditorView.contentAttributes.of({ "aria-label": label }),
  ];
}

/** A short document reads better without numbers beside it. */
const numberedFrom = 20;

/** Above this many characters the viewer leaves line wrapping off: measuring wrapped lines costs more than it shows. */
const wrapLimit = 2_000_000;

export function createViewer(parent: HTMLElement, text: string, label: string, isJson: boolean): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        text.split("\n", numberedFrom).length >= numberedFrom ? lineNumbers() : [],
        shared(label),
        isJson ? json() : [],
        text.length < wrapLimit ? EditorView.lineWrapping : [],
        keymap.of([...searchKeymap, ...foldKeymap]),
        EditorState.readOnly.of(true),
        // Reachable and selectable by keyboard, but nothing can be typed.
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({
          tabindex: "0",
          role: "textbox",
          "aria-multiline": "true",
          "aria-readonly": "true",
        }),
      ],
    }),
  });
}

export interface EditorOptions {
  text: string;
  label: string;
  onChange: (text: string) => void;
  /** Ctrl/Cmd+Enter belongs to the page, not to the editor. */
  onRun: () => void;
  describedBy: string;
}

export function createEditor(
  parent: HTMLElement,
  { text, label, onChange, onRun, describedBy }: EditorOptions,
): EditorView {
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        shared(label),
        json(),
        history(),
        bracketMatching(),
        indentUnit.of("  "),
        EditorView.lineWrapping,
        faults,
        Prec.highest(
          keymap.of([
            {
              key: "Mod-Enter",
              run: () => {
                onRun();
                return true;
              },
            },
          ]),
        ),
        // Tab indents; Escape then Tab leaves, as CodeMirror's own help says.
        keymap.of([...searchKeymap, ...foldKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
        EditorView.contentAttributes.of({ "aria-describedby": describedBy }),
      ],
    }),
  });
}

/** Replaces the whole text, for a change that came from elsewhere; the caret stays where it can. */
export function replaceText(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

export function showFault(view: EditorView, offset: number | undefined): void {
  view.dispatch({ effects: setFault.of(offset) });
}
