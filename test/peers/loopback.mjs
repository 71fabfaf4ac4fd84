// Keeps a server that offers no address option on 127.0.0.1: `node --import ./loopback.mjs SERVER`.
import { Server } from "node:net";

const original = Server.prototype.listen;

Server.prototype.listen = function listen(...args) {
  const callback = typeof args.at(-1) === "function" ? [args.at(-1)] : [];
  const [first] = args;
  const options = typeof first === "object" && first !== null ? first : { port: Number(first) };
  return original.call(this, { ...options, host: "127.0.0.1" }, ...callback);
};
