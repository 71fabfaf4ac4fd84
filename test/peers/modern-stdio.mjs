// Protocol revision 2026-07-28 over stdio; a client that opens with initialize gets 2025-11-25.
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./modern-server.mjs";

serveStdio(createServer);
