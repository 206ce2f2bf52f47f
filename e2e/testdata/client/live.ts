// The client over every transport: the same program prints the same.

import { connect, etag, fieldErrors, KitError } from "@shop/catalog/client";
import { rows } from "@shop/catalog";
import { productQueries } from "@shop/catalog/query";
import { QueryClient, QueryObserver, MutationObserver } from "@tanstack/query-core";

declare const process: { argv: string[] };
const [, , url, transport] = process.argv as [string, string, string, "rest" | "envelope" | "graphql"];
const print = (name: string, value: unknown): void => console.log(name, JSON.stringify(value, (_, x) => (typeof x === "bigint" ? `${x}n` : x)));
const staff = { "x-frond-user": '{"id":"eva","roles":["staff"]}' };
const client = connect({ url, transport, headers: staff, strict: rows });

const cheap = await client.product.list({ filter: { price: { lt: 5000 }, category: { name: { startsWith: "Esp" } } }, sort: ["price", "name"], limit: 2 });
print("list", [cheap.items.map((p) => p.name), cheap.items.map((p) => etag(p) !== undefined), cheap.hasMore, cheap.total]);
const names = await client.product.list({ filter: { status: { eq: "active" } }, sort: "name", fields: ["id", "name"], limit: 1, total: false });
print("fields", [names.items, names.total]);
const sent: string[] = [];
const watched = connect({ url, transport, headers: staff, fetch: (to, init) => (sent.push(new URL(String(to)).pathname), fetch(to, init)) });
const related = await watched.product.list({ filter: { id: { in: ["p-assam", "p-apron"] } }, sort: "id", total: false, select: { id: true, category: { name: true, parent: { name: true } }, reviews: { limit: 1, rating: true }, companions: { name: true } } });
print("select", related.items.map((p) => [p.id, p.category?.name, p.category?.parent?.name, p.reviews.items, p.reviews.hasMore, p.companions.items.length]));
print("select sent", sent.map((path) => path === { rest: "/api/catalog/products", envelope: "/_kit/call", graphql: "/graphql" }[transport]));
print("select one", await client.category.findById("c-espresso", { select: { products: { limit: 1, id: true, dimensions: true, category: { id: true } } } }));
print("select none", await client.product.findById("nothing", { select: { category: { name: true } } }));
print("select elsewhere", (await client.product.findByIds(["p-assam"], { select: { lines: { limit: 1, order: { status: true } } } })).map((p) => p.lines.items.map((l) => typeof l.order?.status)));
let n = 0;
for await (const page of client.product.pages({ limit: 7, sort: "id" })) n += page.items.length;
let m = 0;
for await (const _ of client.product.each({ limit: 50, fields: ["id"] })) m++;
print("pages", [n === (await client.product.list({ limit: 0 })).total, n === m]);

const made = await client.product.create({ sku: "TST-0001", name: "Test cup", price: 900, weight: "0.250", categoryId: "c-espresso", supplierId: null, ean: 9000000000001n });
print("create", [made.name, made.ean, typeof etag(made)]);
const read = (await client.product.findById(made.id))!;
print("read", [read.sku, read.dimensions, etag(read) === etag(made)]);
const moved = await client.product.update(made.id, { price: 950, dimensions: { width: 3, depth: 4, height: 5 } }, { ifMatch: etag(read)! });
print("update", [moved.price, moved.dimensions, etag(moved) !== etag(read)]);
const refusal = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no failure",
    (err: unknown) => (err instanceof KitError ? [err.code, err.entity, err.operation, err.details] : String(err)),
  );
const code = async (promise: Promise<unknown>): Promise<unknown> => ((await refusal(promise)) as unknown[])[0];
print("stale", await code(client.product.update(made.id, { price: 1000 }, { ifMatch: etag(read)! })));
sent.length = 0;
print("as it is", await watched.product.update(made.id, { price: 1000 }, { ifMatch: etag(read)! }).catch((err: KitError) => err.details && "row" in err.details && [err.details.row.price, etag(err.details.row) === etag(moved), sent.length]));
print("where", await code(client.product.update(made.id, { price: 1000 }, { where: { stock: { gte: 1 } } })));
print("refused", await refusal(client.product.create({ sku: "x", name: "", price: -1, weight: null, categoryId: "c-espresso", supplierId: null })));
print("fields of a form", await client.product.create({ sku: "x", name: "", price: 1, weight: null, categoryId: "c-espresso", supplierId: null }).catch(fieldErrors));
print("unknown", await refusal(client.product.list({ select: { id: true, category: { nothing: true } as any } })));
print("part", Object.keys(await client.product.update(made.id, { price: 960 }, { fields: ["id", "price"] })));
print("ids", (await client.product.findByIds([made.id, "nobody", "p-tamper"])).map((p) => p.name));
sent.length = 0;
const tick = await Promise.all([watched.product.list({ limit: 1, sort: "id" }), watched.product.findById(made.id), code(watched.product.create({ sku: "x", name: "", price: -1, weight: null, categoryId: "c-espresso", supplierId: null }))]);
print("one tick", [tick[0].items.length, typeof tick[0].position, tick[1]?.ean, tick[2], sent.length === { rest: 3, envelope: 1, graphql: 3 }[transport]]);
print("none", [await client.product.findById("nobody"), await code(client.product.update("nobody", { price: 1 }))]);
print("denied", await code(connect({ url, ...(transport && { transport }) }).product.create({ sku: "TST-0002", name: "Test cup", price: 900, weight: null, categoryId: "c-espresso", supplierId: null })));
print("call", (await client.call("product.findById", made.id))?.name);

// Writes of many rows, and calls that are one transaction.
const cup = (n: number, price: number) => ({ sku: `MNY-000${n}`, name: `Cup ${n}`, price, weight: null, categoryId: "c-espresso", supplierId: null });
const cups = await client.product.createMany([cup(1, 100), { ...cup(2, 200), ean: 9000000000002n }]);
print("created many", cups.items.map((p) => [p.sku, p.ean, typeof etag(p)]));
print("refused many", await refusal(client.product.createMany([cup(3, 100), cup(4, -1)])));
print("updated many", [await client.product.updateMany({ sku: { startsWith: "MNY-" } }, { stock: 4 }), await client.product.updateMany({ sku: { startsWith: "MNY-" } }, { stock: 5 }, { fields: ["stock"] })]);
print("too many", await refusal(client.product.updateMany({ sku: { startsWith: "MNY-" } }, { stock: 6 }, { max: 1 })));
print("undefined", await code(client.product.deleteMany({ sku: undefined } as any)));
const [again, fresh] = [await client.product.upsert("sku", cup(1, 150)), await client.product.upsert("sku", cup(3, 300), { fields: ["price"] })];
print("upsert", [again.created, again.item.price, typeof etag(again.item), fresh]);
const report = await client.product.import("sku", [cup(3, 350), cup(4, 400), cup(5, -1)]);
print("import", [report.created, report.updated, report.complete, report.faults.map((f) => [f.row, f.column, f.code])]);
const exported: unknown[] = [];
for await (const row of client.product.export({ filter: { sku: { startsWith: "MNY" } }, sort: "-sku" })) exported.push([row.sku, row.ean]);
for await (const row of client.product.export({ filter: { id: { eq: "p-assam" } }, select: { id: true, category: { name: true } } })) exported.push(row);
print("export", exported);
const bytes: Uint8Array<ArrayBuffer>[] = [];
for await (const part of client.product.export({ format: "csv", filter: { sku: { startsWith: "MNY" } }, sort: "sku", fields: ["sku", "price", "name"] })) bytes.push(part);
print("export of bytes", await new Blob(bytes).text());
sent.length = 0;
const ids: string[] = [];
for await (const row of watched.product.export({ fields: ["id"] })) ids.push(row.id);
print("export sent", [ids.length === n + 5, sent.join()]);
const file = await client.product.import("sku", new Blob(['{"sku":"MNY-0003"}\n', JSON.stringify({ ...cup(4, 450) })]), { format: "ndjson", dryRun: true });
print("import of a file", [file.created, file.updated, file.rows, file.faults[0]?.line, file.faults[0]?.column]);
print("refused export", [await refusal(client.product.export({ filter: { sku: undefined } as any })[Symbol.asyncIterator]().next()), await code(client.product.export({ total: true } as any)[Symbol.asyncIterator]().next())]);
sent.length = 0;
const { kept: keptCup, seen, count } = await watched.atomic((call) => {
  const kept = call("product.create", { ...cup(6, 600), ean: 9000000000006n });
  return { kept, seen: [call("product.findById", kept.id)!.ean], count: call("product.updateMany", { id: { eq: kept.id } }, { price: 650 }).count };
});
print("atomic", [keptCup.price, typeof etag(keptCup), seen, count, (await client.product.findById(keptCup.id))?.price, sent.join() === (transport === "rest" ? "/api/atomic" : "/_kit/call")]);
const undone = await client.atomic((call) => [call("product.delete", keptCup.id), call("product.create", cup(1, 1))]).catch((err: KitError) => [err.code, err.call, err.operation]);
print("undone", [undone, (await client.product.findById(keptCup.id))?.price]);
print("unknown to come", await code(client.atomic((call) => call("product.findById", (call("product.findById", keptCup.id) as any).nothing))));
const valueOf = (use: (p: any) => unknown) => client.atomic((call) => use(call("product.findById", keptCup.id))).catch((err) => /\$result": "0/.test(err.message));
print("values to come", await Promise.all([(p: any) => p.price + 1, (p: any) => ({ ...p }), (p: any) => `${p.name}`, (p: any) => [...p], (p: any) => p.name.toUpperCase(), (p: any) => p < 3, (p: any) => "id" in p].map(valueOf)));
const rehearsal = await client.product.update(keptCup.id, { price: 700 }, { rehearse: true });
print("rehearsed", [rehearsal.result.price, rehearsal.changes.map(({ entity, key, change, before, after }) => [entity, key === keptCup.id, change, before?.price, after?.price]), rehearsal.events.length, rehearsal.more, (await client.product.findById(keptCup.id))?.price]);
const other = (err: KitError) => [err.code, (err.details as any).reason];
print("another call", await client.product.update(keptCup.id, { price: 701 }, { approve: rehearsal.rehearsal }).catch(other));
print("approved", [(await client.product.update(keptCup.id, { price: 700 }, { approve: rehearsal.rehearsal })).price, await client.product.update(keptCup.id, { price: 700 }, { approve: rehearsal.rehearsal }).catch(other)]);
const gone = await client.product.delete(keptCup.id, { rehearse: true });
print("rehearsed delete", [gone.result, gone.changes.map(({ change, after }) => [change, after])]);
const calls = (sending: { rehearse: true } | { approve: string }) => client.atomic((call) => [call("product.update", keptCup.id, { price: 710 }).price, call("product.findById", keptCup.id)!.price], sending as { rehearse: true });
const together = await calls({ rehearse: true });
print("rehearsed together", [together.result, together.changes.length, await calls({ approve: together.rehearsal }), (await client.product.findById(keptCup.id))?.price]);
await client.product.update(keptCup.id, { price: 650 });
const many = new MutationObserver(new QueryClient(), productQueries(client).updateMany(new QueryClient()));
print("mutation of many", await many.mutate({ where: { sku: { eq: "MNY-0001" } }, patch: { price: 160 }, max: 1 }));
print("deleted many", await client.product.deleteMany({ sku: { startsWith: "MNY-" } }));

// Files of rows.
const picture = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="), (sign) => sign.charCodeAt(0));
const uploaded = await client.product.upload("image", picture, { type: "image/png", name: "ä 'b'.png" });
print("upload", [uploaded.name, uploaded.type, uploaded.size === picture.length, (await client.product.update(made.id, { image: uploaded.id })).image === uploaded.id]);
const set = await client.product.setFile(made.id, "image", new File([picture], "c.png", { type: "image/png" }));
print("set file", [set.name, (await client.product.findById(made.id))?.image === set.id]);
print("refused file", [await refusal(client.product.setFile(made.id, "image", new Blob(["x"], { type: "text/plain" }))), await code(client.product.setFile("nobody", "image", picture, { type: "image/png" }))]);
print("delete file", [await client.product.deleteFile(made.id, "image"), (await client.product.findById(made.id))?.image]);

// Abort, retries, and a host that is away.
print("aborted", await refusal(client.product.list({}, { signal: AbortSignal.abort("stop") })));
let tries = 0;
const flaky = connect({ url, transport, headers: staff, fetch: async (...args) => (++tries < 3 ? Promise.reject(new Error("away")) : fetch(...args)) });
print("retried", [(await flaky.product.findById("p-tamper"))?.name, tries]);
tries = -10;
print("commands are not", [await code(flaky.product.delete("p-tamper")), tries]);

// TanStack Query: a patch is shown at once where the judge accepts it, and taken back where the host refuses.
const cache = new QueryClient();
const options = productQueries(client);
const observer = new QueryObserver(cache, options.findById(made.id));
const stop = observer.subscribe(() => {});
await cache.fetchQuery(options.list({ filter: { id: { eq: made.id } } }));
await cache.fetchQuery(options.findById(made.id));
const update = new MutationObserver(cache, options.update(cache));
const shown = (): unknown => [observer.getCurrentResult().data?.price, (cache.getQueryData(options.list({ filter: { id: { eq: made.id } } }).queryKey) as { items: { price: number }[] }).items[0]!.price];
print("kept", shown());
const running = update.mutate({ id: made.id, patch: { price: 970 } });
await new Promise((done) => setTimeout(done, 0));
print("shown", shown());
await running;
await cache.refetchQueries();
print("written", shown());
print("judged", await code(update.mutate({ id: made.id, patch: { price: -1 } })));
print("as before", shown());
const stale = update.mutate({ id: made.id, patch: { price: 980 }, ifMatch: "old" });
print("taken back", [await code(stale), shown()]);
const pages = await cache.fetchInfiniteQuery({ ...options.infinite({ limit: 5, sort: "id" }), pages: 2 });
print("infinite", pages.pages.map((page) => page.items.length));
stop();
print("delete", [await client.product.delete(made.id), await client.product.delete(made.id)]);
cache.clear();
