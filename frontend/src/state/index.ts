export * from "./context";
export * from "./model";
export { type App, createApp, emptyInput } from "./store";
