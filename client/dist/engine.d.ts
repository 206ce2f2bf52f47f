import type { Node, Run } from "./judge.js";
/** Judges a value by all of JSON Schema. The refusals come in the order of the value. */
export declare function engine(n: Node, v: unknown, r: Run): void;
