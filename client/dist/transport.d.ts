import { KitError } from "./errors.js";
import type { DoorNames } from "./graphql.js";
/** What the client knows of a door. */
export interface Door {
    readonly frond: string;
    readonly door: string;
    /** The path of REST: /api/catalog/products. */
    readonly path: string;
    /** The name of the primary key. */
    readonly key?: string;
    /** Rows have versions. */
    readonly etag?: 1;
    /** The names of members that are int64. */
    readonly big?: readonly string[];
    /** Doors whose rows show something of these. */
    readonly shownBy?: readonly string[];
    /** Where its changes are announced: /api/catalog/facts/productChanged. */
    readonly changes?: string;
    /** The fields that hold files, with the segments of their paths. */
    readonly files?: {
        readonly [field: string]: string;
    };
    /** The fields that update takes. */
    readonly writes?: Writes;
    readonly ops: {
        readonly [name: string]: Op;
    };
}
/** Names that a patch may have: 1 is one value, an object is merged member by member. */
export interface Writes {
    readonly [name: string]: 1 | Writes;
}
/** What the client knows of a fact: of a door, what a stream of events needs. */
export type Fact = Pick<Door, "door" | "key" | "changes" | "big">;
/** What the client knows of an operation. */
export interface Op {
    readonly builtin?: string;
    readonly open?: 1;
    readonly query?: 1;
    readonly params?: readonly string[];
    readonly parameters?: readonly string[];
    readonly body?: 1;
    /** As of the door, where the answer has other members than rows. */
    readonly big?: readonly string[];
    /** The segment of REST behind the path. */
    readonly at?: string;
}
/** One call: the operation and its invocation. */
export interface Call {
    readonly door: Door;
    readonly name: string;
    readonly op: Op;
    readonly params?: {
        readonly [name: string]: unknown;
    };
    readonly query?: {
        readonly [name: string]: unknown;
    };
    readonly body?: unknown;
    readonly signal?: AbortSignal;
    /** The page has to have the position of the log. */
    readonly position?: boolean;
}
/** A result, with the version of the row where the host tells it beside the row. */
export interface Answer {
    readonly result: any;
    readonly version?: string;
}
export interface Link {
    readonly url: string;
    /** The names of doors in GraphQL. */
    names(): Promise<DoorNames>;
    /** Reports that the caller is not known; true: the request may be sent again. */
    unauthorized(err: KitError): Promise<boolean>;
    /** Sends a call with those of the same tick; undefined where each is a request of its own. */
    readonly batch?: ((call: Call, id: number) => Promise<Answer>) | undefined;
    /** The request, with headers of the caller, sent over another function where the client has the global fetch; it fails with SERVICE_UNAVAILABLE where there is no host. */
    fetch(call: Call, path: string, init: {
        method: string;
        headers?: Record<string, string>;
        body?: BodyInit | undefined;
    }, over?: typeof globalThis.fetch): Promise<Response>;
}
export type Transport = (link: Link, call: Call) => Promise<Answer>;
/** A KitError that names the operation. */
export declare const failure: ({ door, name }: Call, code: string, message: string, details?: unknown) => KitError;
/** Refuses a condition that was never filled in: JSON leaves undefined out, and the call would do more than it says. */
export declare function conditions(call: Call, query?: object): void;
/** The JSON of a response; undefined where there is none. */
export declare function json(response: Response, call: Call): Promise<any>;
/** The failure of a response that no host of a Frond gives. */
export declare const noAnswer: (call: Call, response: Response, what: string) => KitError;
/** A page with the position of the log that stands beside it. */
export declare function positioned(response: Response, result: any, own?: string): any;
/** JSON-RPC 2.0 at /_kit/call. */
export declare const envelope: Transport;
/** The frame of a call. */
export declare const frameOf: ({ door, name, params, query, body }: Call, id: number) => string;
/** Sends the frame of a call by itself. */
export declare function alone(link: Link, call: Call, id: number): Promise<Answer>;
/** The result in the frame that answers a call. A page of a batch has its position in the frame. */
export declare function answered(call: Call, id: number, response: Response, frame: any, position?: string): Answer;
/** Whether a call is rehearsed: the answer is a rehearsal then. */
export declare const rehearsed: ({ query }: Call) => boolean;
/** Whether the operation is a built-in one that writes many rows. They go over the envelope alone. */
export declare const manyRows: ({ builtin }: Op) => boolean;
/** The text of a parameter on REST. */
export declare const parameter: (key: string, value: unknown) => string;
