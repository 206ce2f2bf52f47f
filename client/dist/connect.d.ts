import { KitError } from "./errors.js";
import type { Schema } from "./judge.js";
import { type Door, type Fact } from "./transport.js";
import { etag } from "./version.js";
import type { DoorNames } from "./graphql.js";
import type { Atomic, Ref } from "./atomic.js";
export { etag };
export type { Atomic, Ref };
export interface ClientOptions<Doors extends string = string> {
    /** The host's address, such as http://127.0.0.1:8080; "" is the page's own. */
    readonly url: string;
    /** How calls are sent; "envelope" (JSON-RPC) where it is left out. Results and failures are the same. */
    readonly transport?: "rest" | "envelope" | "graphql";
    /** Sent with every call, such as Authorization; a function is called for each. */
    readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);
    /** Instead of the global fetch. */
    readonly fetch?: typeof globalThis.fetch;
    /** Whether calls of one tick leave as one request, in JSON-RPC; true where it is left out. */
    readonly batch?: boolean;
    /** How often a query that found no host is sent again; 2 where it is left out. Commands never are. */
    readonly retries?: number;
    /** Ends a call that takes longer, in ms, with GATEWAY_TIMEOUT. Streams go on. */
    readonly timeout?: number;
    /** Called when the host does not know the caller. true: what was sent is sent once more, with the headers of then. */
    readonly onUnauthorized?: (err: KitError) => boolean | void | Promise<boolean | void>;
    /** Whether the tabs of a browser have one connection for all that they follow. Where it is left out, those with equal headers do, if fetch is the global one; a text is the caller's name, which takes the place of the headers. */
    readonly share?: boolean | string;
    /** Schemas of rows: an answer that they refuse fails with BAD_GATEWAY (`rows` of the package). */
    readonly strict?: {
        readonly [door in Doors]?: Schema<never>;
    };
}
/** What a single call may carry. */
export interface Sending {
    readonly signal?: AbortSignal;
    /** In ms, instead of the client's. */
    readonly timeout?: number;
    /** The token of a rehearsal, beside a command: it is written if it changes what it changed in the rehearsal. */
    readonly approve?: string;
}
export declare function connect<Client>(doors: {
    readonly [member: string]: Door;
}, options: string | ClientOptions, facts?: {
    readonly [name: string]: Fact;
}, graphqlNames?: () => Promise<{
    readonly names: DoorNames;
}>): Client;
