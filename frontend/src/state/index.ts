export * from "./context";
export * from "./model";
export { type App, allMessages, createApp, emptyInput } from "./store";
