import { createContext, type ReactNode, useCallback, useContext, useEffect } from "react";
import { useStore } from "zustand";
import type { api, Backend } from "../backend";
import {
  type AppState,
  type CallKind,
  type CatalogEntry,
  type Draft,
  draftKey,
  emptyDraft,
  emptyView,
  type ServerView,
} from "./model";
import type { Actions, App } from "./store";

const AppContext = createContext<App | null>(null);

/** Gives the page its store and keeps it fed while mounted. */
export function AppProvider({ app, children }: { app: App; children: ReactNode }) {
  useEffect(() => app.actions.start(), [app]);
  return <AppContext value={app}>{children}</AppContext>;
}

function useApp(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("This component needs an AppProvider around it.");
  return app;
}

export const useBackend = (): Backend => useApp().backend;
export const useActions = (): Actions => useApp().actions;

/** Reads the state. The selector must return something stable: a part of the state, not a new object. */
export function useAppState<T>(select: (state: AppState) => T): T {
  return useStore(useApp().store, select);
}

const noCatalog: CatalogEntry = { version: "", loading: false };

export function useCatalog(serverId: string): CatalogEntry {
  return useAppState((state) => state.catalogs[serverId] ?? noCatalog);
}

export function useServerView(serverId: string): ServerView {
  return useAppState((state) => state.views[serverId] ?? emptyView);
}

export interface DraftHandle extends Draft {
  setText(text: string, mode?: "form" | "json"): void;
}

/** The arguments that are being written for one tool, prompt or resource; they outlive the component. */
export function useDraft(serverId: string, kind: CallKind, name: string): DraftHandle {
  const actions = useActions();
  const draft = useAppState((state) => state.views[serverId]?.drafts[draftKey(kind, name)] ?? emptyDraft);
  const setText = useCallback(
    (text: string, mode?: "form" | "json") => actions.setDraft(serverId, kind, name, text, mode),
    [actions, serverId, kind, name],
  );
  return { ...draft, setText };
}

/** The call whose result is on show for one tool, prompt or resource: running, ended, or none yet. */
export function useShownCall(serverId: string, kind: CallKind, name: string): api.Call | undefined {
  return useAppState((state) => state.calls[state.views[serverId]?.shown[draftKey(kind, name)] ?? ""]);
}
