// A fact as it happens: orders are placed, the stream is left, and resumed behind what it gave.

import { connect, etag, KitError } from "@shop/sales/client";

declare const process: { argv: string[] };
const [, , url, elsewhere] = process.argv as [string, string, string, string];
const print = (name: string, value: unknown): void => console.log(name, JSON.stringify(value));
const headers = { "x-frond-user": '{"id":"eva","roles":["staff"]}' };
const client = connect({ url, headers });

const customerId = (await client.customer.list({ limit: 1 })).items[0]!.id;
const shipTo = { name: "Eva", street: "Main Street 1", postalCode: "10115", city: "Berlin", country: "DE" };
const place = (giftNote: string) => client.order.create({ customerId, shipTo, giftNote, subtotal: 0 });

const first = await place("first");
let after = "";
for await (const { position, ...event } of client.facts.orderPlaced({ after: "start" })) {
  after = position;
  print("placed", [event.name, event.change, event.entity, event.key === first.id, event.data.reference === first.reference, event.version === etag(first), typeof event.id, typeof event.at, event.data.total]);
  break;
}

// What was placed meanwhile is not lost, and what does not meet the filter is not sent.
const second = await place("second");
await place("third");
const end = new AbortController();
const events = client.facts.orderPlaced({ after, filter: { giftNote: { ne: "third" } }, fields: ["id", "giftNote"], signal: end.signal })[Symbol.asyncIterator]();
const resumed = (await events.next()).value!;
print("resumed", [resumed.key === second.id, resumed.position > after, Object.keys(resumed.data), resumed.data.giftNote]);
const next = events.next();
const fourth = await place("fourth");
const live = (await next).value!;
print("live", [live.key === fourth.id, live.data.giftNote]);
const last = events.next();
end.abort();
print("ended", (await last).done ? [] : "not");

// A host that has no such fact.
try {
  for await (const event of connect({ url: elsewhere, headers }).facts.orderPlaced()) print("elsewhere", event);
} catch (err) {
  print("elsewhere", [err instanceof KitError, (err as KitError).code]);
}
