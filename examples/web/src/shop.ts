import { connect } from "@shop/catalog/client";

/** The client of this page. identity.dev of the example reads the caller from the header. */
export const shop = connect({ url: "", transport: "rest", headers: { "X-Frond-User": '{"id":"eva","roles":["staff"]}' } });
