import type { Transport } from "./transport.js";
import { failure } from "./transport.js";

/** GraphQL at /graphql. */
export const graphql: Transport = async (_link, call) => {
  throw failure(call, "NOT_IMPLEMENTED", "the transport graphql is not here yet; use rest or envelope");
};
