import type { Transport } from "./transport.js";
/** GraphQL at /graphql. */
export declare const graphql: Transport;
