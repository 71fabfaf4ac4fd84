// Lets code for Cloudflare Workers run on Node: the module that only exists there becomes a stub.
import { register } from "node:module";

const data = (source) => `data:text/javascript,${encodeURIComponent(source)}`;
const stub = data(`
export class WorkerEntrypoint { constructor(ctx, env) { Object.assign(this, { ctx, env }); } }
export const env = {};
export function waitUntil() {}
`);
register(
  data(`export function resolve(name, context, next) {
  return name === "cloudflare:workers" ? { url: ${JSON.stringify(stub)}, shortCircuit: true } : next(name, context);
}`),
);
