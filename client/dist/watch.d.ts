import type { Door } from "./transport.js";
export interface Source {
    readonly door: Door;
    /** Reads the page with its position. */
    list(query: any, sending: object): Promise<any>;
    changes(query: any): AsyncGenerator<any, void>;
    update?(id: unknown, patch: object, options?: object): Promise<any>;
}
/** Pages, the latest first for a reader that is slow. */
export declare function watch(source: Source, query?: any, sending?: {
    signal?: AbortSignal;
}): AsyncIterable<any> & {
    update: unknown;
};
