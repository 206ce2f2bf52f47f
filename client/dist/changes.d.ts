import { type Streams } from "./stream.js";
import { type Call } from "./transport.js";
export interface ChangesQuery {
    readonly after?: string;
    readonly filter?: unknown;
    readonly fields?: readonly string[];
    readonly signal?: AbortSignal;
    readonly [further: string]: unknown;
}
/** The events, without end: a stream that breaks off is resumed. It ends when the signal is aborted. */
export declare function changes(streams: Streams, call: Call, query?: ChangesQuery): AsyncGenerator<any, void>;
