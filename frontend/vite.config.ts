import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** The policy of both pages. The program sends the same one as a header; the meta element covers a page without it. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'none'",
  "child-src 'none'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const pages = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".html"));

export default defineConfig({
  plugins: [
    react(),
    {
      // Only in a build: the development server works with inline scripts of its own.
      name: "content-security-policy",
      apply: "build",
      transformIndexHtml: () => [
        {
          tag: "meta",
          attrs: { "http-equiv": "Content-Security-Policy", content: policy },
          injectTo: "head-prepend",
        },
      ],
    },
  ],
  build: {
    target: "safari15",
    sourcemap: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: Object.fromEntries(pages.map((name) => [name.slice(0, -5), resolve(import.meta.dirname, name)])),
    },
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    // Typing into a whole form takes its time on a busy machine; a test that hangs still ends.
    testTimeout: 30_000,
  },
});
