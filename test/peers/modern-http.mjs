// Protocol revision 2026-07-28 over Streamable HTTP on 127.0.0.1:$PORT; prints one line when it listens.
import { createServer as createHttpServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createServer } from "./modern-server.mjs";

const http = createHttpServer(toNodeHandler(createMcpHandler(createServer)));
http.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => {
  console.log(`listening on ${http.address().port}`);
});
