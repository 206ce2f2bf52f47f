import type { Schema } from "./judge.js";
import { type Door, type Fact } from "./transport.js";
export interface ClientOptions<Doors extends string = string> {
    /** The host's address, such as http://127.0.0.1:8080; "" is the page's own. */
    readonly url: string;
    /** How calls are sent; "envelope" (JSON-RPC) where it is left out. Results and failures are the same. */
    readonly transport?: "rest" | "envelope" | "graphql";
    /** Sent with every call, such as Authorization; a function is called for each. */
    readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
    /** Instead of the global fetch. */
    readonly fetch?: typeof globalThis.fetch;
    /** How often a query that found no host is sent again; 2 where it is left out. Commands never are. */
    readonly retries?: number;
    /** Schemas of rows: an answer that they refuse fails with BAD_GATEWAY (`rows` of the package). */
    readonly strict?: {
        readonly [door in Doors]?: Schema<never>;
    };
}
/** What a single call may carry. */
export interface Sending {
    readonly signal?: AbortSignal;
}
/** The version of a row that a client gave, for ifMatch; undefined where the host told none. */
export declare const etag: (row: object) => string | undefined;
/** Gives a copy of a row the version of the row. */
export declare const sameVersion: (row: object, copy: object) => void;
export declare function connect<Client>(doors: {
    readonly [member: string]: Door;
}, options: string | ClientOptions, facts?: {
    readonly [name: string]: Fact;
}): Client;
