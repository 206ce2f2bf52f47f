import { type Link } from "./transport.js";
/** A stream: what it is of, as JSON, and where it is. */
export interface Followed {
    readonly request: string;
    after: string | undefined;
}
/** A text is the JSON of the event, of the position, or of the KitError that ended the stream. */
export type Receive = (kind: "event" | "position" | "error", text: string) => void;
/** What carries streams. */
export interface Streams {
    /** Begins a stream; what it returns ends it. */
    follow(followed: Followed, receive: Receive): () => void;
}
/** The position of an event, in its JSON. */
export declare const positionOf: (kind: string, text: string) => string | undefined;
/** Streams over connections of this page. `ready` is asked before each one is opened: false leaves it closed. */
export declare class Wires implements Streams {
    private readonly link;
    private readonly ready;
    private readonly all;
    constructor(link: Link, ready?: () => Promise<boolean>);
    /** How long the host may be silent, in ms. */
    get silence(): number;
    follow(followed: Followed, receive: Receive): () => void;
}
