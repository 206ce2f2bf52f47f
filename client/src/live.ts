// The part of the client that follows the host: a page loads it with its first stream.

export { changes } from "./changes.js";
export { Wires } from "./stream.js";
export { canShare, Tabs } from "./tabs.js";
export { watch } from "./watch.js";
