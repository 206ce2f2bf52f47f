import { type Answer, type Call, type Link } from "./transport.js";
/** Sends the calls of a link. */
export declare function batches(link: Link): (call: Call, id: number) => Promise<Answer>;
