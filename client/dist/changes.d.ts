import { type Call, type Link } from "./transport.js";
export interface ChangesQuery {
    readonly after?: string;
    readonly filter?: unknown;
    readonly fields?: readonly string[];
    readonly signal?: AbortSignal;
    readonly [further: string]: unknown;
}
/** The events, without end: a stream that breaks off is resumed. It ends when the signal is aborted. */
export declare function changes(link: Link, call: Call, query?: ChangesQuery): AsyncGenerator<any, void>;
