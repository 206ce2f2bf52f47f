// Pages that follow the host, and edits that are shown ahead of it.

import type { Product } from "@shop/catalog";
import { connect, etag, KitError, type Page as PageOf } from "@shop/catalog/client";
import { productQueries } from "@shop/catalog/query";
import { MutationObserver, QueryClient, QueryObserver } from "@tanstack/query-core";

declare const process: { argv: string[]; exit(code: number): never };
const [, , url, transport] = process.argv as [string, string, string, "rest" | "envelope" | "graphql"];
const print = (name: string, value: unknown): void => console.log(name, JSON.stringify(value));
const client = connect({ url, transport, headers: { "x-frond-user": '{"id":"eva","roles":["staff"]}' } });
const product = client.product;
const code = (promise: Promise<unknown>): Promise<unknown> => promise.then(() => "no failure", (err: unknown) => (err instanceof KitError ? err.code : String(err)));
const prefix = { rest: "WRS", envelope: "WEN", graphql: "WGR" }[transport];
let made = 0;
const make = (name: string, price: number) => product.create({ sku: `${prefix}-${String(++made).padStart(4, "0")}`, name, price, weight: null, categoryId: "c-tea", supplierId: null });

// A page, and what happens to it.
const stop = new AbortController();
const one = await make("Watched one", 100);
const filter = { sku: { startsWith: prefix }, price: { lt: 1000 } };
const watched = product.watch({ filter, sort: "price", limit: 2 }, { signal: stop.signal });
const pages = watched[Symbol.asyncIterator]();
type Page = PageOf<Product>;
const last: { page?: Page } = {};
/** The next page that is so. */
const until = async (want: (page: Page) => boolean): Promise<unknown> => {
  for (;;) {
    if (last.page && want(last.page)) return last.page.items.map((p) => [p.name, p.price]);
    last.page = (await pages.next()).value;
  }
};
const names = (...list: string[]) => (page: Page): boolean => list.join() === page.items.map((p) => p.name).join();
print("first", await until(names("Watched one")));
const two = await make("Watched two", 50);
print("created", await until(names("Watched two", "Watched one")));
await product.update(one.id, { price: 40 });
print("in another order", await until(names("Watched one", "Watched two")));
const three = await make("Watched three", 45);
print("beyond the limit", [await until(names("Watched one", "Watched three")), last.page!.hasMore, last.page!.total]);
await product.update(three.id, { price: 5000 });
print("left", await until(names("Watched one", "Watched two")));
await product.update(one.id, { name: "Watched uno" });
print("updated", [await until(names("Watched uno", "Watched two")), etag(last.page!.items[0]!) === etag((await product.findById(one.id))!)]);

// Two edits at once, and one that fails between others.
const version = etag(last.page!.items[0]!)!;
const edits = [watched.update(one.id, { price: 41 }, { ifMatch: version }), watched.update(one.id, { name: "Watched een" }, { ifMatch: version })];
print("both are shown", await until((page) => page.items[0]!.price === 41 && page.items[0]!.name === "Watched een"));
print("both are kept", [(await Promise.all(edits)).map((p) => [p.name, p.price]), await until((page) => page.items[0]!.price === 41 && etag(page.items[0]!) !== version)]);
const mixed = [watched.update(one.id, { price: 42 }), watched.update(one.id, { name: "x" }), watched.update(one.id, { description: "kept" })].map(code);
print("one is taken back", [await Promise.all(mixed), await until((page) => page.items[0]!.price === 42 && page.items[0]!.description === "kept")]);
const before = etag(last.page!.items[0]!)!;
await product.update(one.id, { stock: 3 });
const late = [watched.update(one.id, { price: 43 }, { ifMatch: before }), watched.update(one.id, { description: "lost" }, { ifMatch: before })].map(code);
print("edits of an older row", [await Promise.all(late), await until((page) => page.items[0]!.stock === 3 && page.items[0]!.price === 42)]);
print("an edit of the newer row", [await code(watched.update(one.id, { price: 44 }, { ifMatch: etag(last.page!.items[0]!)! })), await until((page) => page.items[0]!.price === 44 && page.items[0]!.description === "kept")]);
await product.delete(one.id);
print("deleted", await until(names("Watched two")));

// Writers meanwhile: the page ends as the list is.
const writing = Promise.all(Array.from({ length: 4 }, async (_, i) => {
  const row = await make(`Writer ${i}`, 60 + i);
  for (let n = 0; n < 15; n++) await product.update(row.id, { stock: n, price: 60 + ((i * 7 + n * 3) % 40) });
}));
await writing;
const wanted = async (): Promise<string> => JSON.stringify((await product.list({ filter, sort: "price", limit: 2 })).items);
const end = await wanted();
print("as the list is", [(await until((page) => JSON.stringify(page.items) === end)) !== undefined]);
const ended = pages.next();
stop.abort();
print("ended", (await ended).done);

// A row keeps its version however it is copied.
const row = (await product.findById(two.id))!;
print("versions", [{ ...row }, JSON.parse(JSON.stringify(row)), structuredClone(row)].map((copy) => etag(copy) === etag(row) && etag(row) !== undefined));

// TanStack Query: a live list, and edits of one row.
const cache = new QueryClient({ defaultOptions: { mutations: { retry: false } } });
cache.mount();
const options = productQueries(client);
const live = options.live({ filter: { id: { eq: two.id } } });
const observer = new QueryObserver(cache, live);
const shown = (want: (p: { name: string; price: number; stock: number }) => boolean): Promise<unknown> =>
  new Promise((done) => {
    const look = (): void => {
      const [p] = observer.getCurrentResult().data?.items ?? [];
      if (p && want(p)) queueMicrotask(() => (leave(), done([p.name, p.price, p.stock])));
    };
    const leave = observer.subscribe(look);
    look();
  });
const leave = observer.subscribe(() => {});
print("live", await shown(() => true));
await product.update(two.id, { stock: 7 });
print("live changes", await shown((p) => p.stock === 7));
const update = () => new MutationObserver(cache, options.update(cache));
const quick = [update().mutate({ id: two.id, patch: { price: 51 } }), update().mutate({ id: two.id, patch: { name: "Watched zwei" } }), update().mutate({ id: two.id, patch: { stock: 8 }, ifMatch: "old" })].map(code);
print("quick edits", await shown((p) => p.price === 51 && p.name === "Watched zwei" && p.stock === 8));
print("quick edits are kept", [await Promise.all(quick), await shown((p) => p.stock === 7 && p.price === 51)]);
leave();
await product.update(two.id, { stock: 9 });
const again = observer.subscribe(() => {});
print("live again", await shown((p) => p.stock === 9));
again();
cache.clear();

// Read ahead without an observer, as on a server: the stream ends, and an observer that comes follows.
const followed: AbortSignal[] = [];
const watch = (query: any, sending: any) => (followed.push(sending.signal), client.product.watch(query, sending));
const ahead = productQueries({ ...client, product: { ...client.product, watch } } as any).live({ filter: { id: { eq: two.id } } });
await cache.prefetchQuery(ahead);
print("read ahead", [cache.getQueryState(ahead.queryKey)?.isInvalidated, followed.map((signal) => signal.aborted)]);
const follower = new QueryObserver(cache, ahead);
const stock = (n: number) => new Promise<unknown>((done) => follower.subscribe(({ data }) => data?.items[0]?.stock === n && done(n)));
const nine = stock(9);
for (const n of [10, 11]) {
  await nine;
  const seen = stock(n);
  await product.update(two.id, { stock: n });
  print("follows late", await seen);
}
print("one stream", followed.map((signal) => signal.aborted));
cache.clear();
for await (const p of product.each({ filter: { sku: { startsWith: prefix } }, fields: ["id"] })) await product.delete(p.id);
