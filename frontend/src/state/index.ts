export * from "./context";
export * from "./model";
export { type App, createApp } from "./store";
