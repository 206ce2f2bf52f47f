import { type Transport } from "./transport.js";
/** The REST surface. What it has no form for goes over the envelope: a query with a body, and an id that no path can have. */
export declare const rest: Transport;
