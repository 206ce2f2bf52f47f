import { type Followed, type Receive, type Streams } from "./stream.js";
import type { Link } from "./transport.js";
/** Whether tabs can share here. */
export declare const canShare: () => boolean;
/** Streams that the tabs with the same host and the same caller share. `who` is the caller: tabs of another one have a connection of their own. */
export declare class Tabs implements Streams {
    private readonly link;
    private readonly who;
    private readonly own;
    private group;
    private joining;
    /** Where who is another one each time it is asked, no two tabs have the same. */
    private alone;
    constructor(link: Link, who: () => Promise<string>);
    follow(followed: Followed, receive: Receive): () => void;
    private readonly name;
    private join;
}
