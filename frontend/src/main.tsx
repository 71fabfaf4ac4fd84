import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./tokens.css";
import "./base.css";
import "./ui/ui.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadBackend } from "./backend";
import { Window } from "./shell/Window";
import { AppProvider, createApp } from "./state";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");

loadBackend().then((backend) => {
  createRoot(root).render(
    <StrictMode>
      <AppProvider app={createApp(backend)}>
        <Window />
      </AppProvider>
    </StrictMode>,
  );
});
