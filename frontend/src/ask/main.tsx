import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "../tokens.css";
import "../base.css";
import "../ui/ui.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadPrompt } from "../backend";
import { AskWindow } from "./AskWindow";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root.");

loadPrompt().then((backend) => {
  createRoot(root).render(
    <StrictMode>
      <AskWindow backend={backend} />
    </StrictMode>,
  );
});
