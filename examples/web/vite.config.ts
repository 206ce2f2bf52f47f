import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// The gateway that serves examples/shop. Its paths are reached through this page's own origin,
// so that no rule about other origins is needed.
const shop = process.env["SHOP"] ?? "http://127.0.0.1:8080";
const proxy = { "/api": shop, "/_kit": shop };
const contract = (name: string) => fileURLToPath(new URL(`.contract/npm/${name}.js`, import.meta.url));

export default defineConfig({
  server: { proxy },
  // What is built runs under a strict policy: the judge makes no code of strings.
  preview: { proxy, headers: { "Content-Security-Policy": "default-src 'self'" } },
  resolve: { alias: { "@shop/catalog/client": contract("client"), "@shop/catalog": contract("index") } },
  worker: { format: "es" },
});
