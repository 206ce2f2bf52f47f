export { changes } from "./changes.js";
export { Wires } from "./stream.js";
export { canShare, Tabs } from "./tabs.js";
export { watch } from "./watch.js";
