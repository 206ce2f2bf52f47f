// Programs that have to compile, and programs that must not: a misspelling, a wrong value or a
// field that was not selected is an error of types. Each @ts-expect-error is one program.

import { connect, etag, KitError, type Client, type ListQuery, type ProductFilter, type ProductSort } from "@shop/catalog/client";
import type { Client as Sales } from "@shop/sales/client";
import { productQueries } from "@shop/catalog/query";
import { details, fill, product, rows, type Product, type ProductInput, type ProductPatch } from "@shop/catalog";
import type { Cache } from "@shop/catalog/query";

declare const client: Client;
declare const sales: Sales;
declare const row: Product;
declare const cache: Cache;
const input: ProductInput = { sku: "ABC-0001", name: "Cup", price: 900, weight: null, categoryId: "c1", supplierId: null };

export const compile = [
  () => connect("http://127.0.0.1:8080"),
  () => connect({ url: "", transport: "rest" }),
  () => connect({ url: "", transport: "envelope", headers: { authorization: "Bearer x" } }),
  () => connect({ url: "", transport: "graphql", headers: async () => ({ authorization: "Bearer x" }), retries: 0 }),
  () => client.product.list(),
  () => client.product.list({ limit: 20, after: "c", total: false }),
  () => client.product.list({ filter: { price: { gte: 10, lt: 100 } } }),
  () => client.product.list({ filter: { status: { in: ["active", "retired"] } } }),
  () => client.product.list({ filter: { ean: { eq: 2900000010000n } } }),
  () => client.product.list({ filter: { name: { icontains: "cup" }, supplierId: { isNull: true } } }),
  () => client.product.list({ filter: { category: { name: { startsWith: "E" } } } }),
  () => client.product.list({ filter: { reviews: { some: { rating: { gte: 4 } } } } }),
  () => client.product.list({ filter: { tags: { has: "steel" } } }),
  () => client.product.list({ filter: { or: [{ price: { lt: 5 } }, { not: { stock: { eq: 0 } } }] } }),
  () => client.product.list({ filter: { category: { parent: { name: { eq: "Coffee" } } } } }),
  () => client.product.list({ sort: "-createdAt" }),
  () => client.product.list({ sort: ["-price", "name"] }),
  () => client.product.list({ sort: ["-category.name", "category.parent.name", "reviews.count", "-reviews.rating.avg", "reviews.title.countDistinct"] }),
  () => client.product.list({ sort: ["category.parent.parent.name", "category.products.count", "-category.products.price.avg"] }),
  () => client.product.list({ filter: { reviews: { avg: { rating: { gte: 4 } }, min: { createdAt: { lt: "2026-01-01T00:00:00Z" } }, countDistinct: { customerId: { gt: 1 } } } } }),
  () => client.product.list({ search: "tea", sort: "-rank", offset: 20, count: "estimated" }),
  () => client.product.list({ before: "c", limit: 3 }),
  async (after: string | undefined) => (await client.product.list(after === undefined ? {} : { after })).items[0]!.name,
  async (query: ListQuery<ProductFilter, ProductSort>) => (await client.product.list(query)).items[0]!.name,
  async () => (await client.product.list({ select: { id: true, category: { name: true }, reviews: { limit: 3, rating: true } } })).items.map((p) => p.id + p.category?.name + p.reviews.items[0]?.rating),
  async (fields: ("id" | "name")[]) => (await client.product.list({ fields })).items[0]!.name,
  async () => (await client.product.list()).items.map((p) => p.name.length),
  async () => (await client.product.list({ fields: ["id", "name"] })).items.map((p) => p.id + p.name),
  async () => (await client.product.list({ fields: ["*", "etag"] })).items.map((p) => p.etag.length + p.price),
  async () => (await client.product.list({ fields: ["inStock"] })).items.every((p) => p.inStock),
  async () => (await client.product.findById("p1"))?.status === "active",
  async () => (await client.product.findById("p1", { fields: ["price"] }))?.price,
  async () => (await client.product.findByIds(["a", "b"])).length,
  async () => (await client.product.create(input)).id,
  async () => (await client.product.create(input, { fields: ["id"] })).id,
  async () => client.product.update("p1", { price: 1, ean: null }),
  async () => client.product.update("p1", { dimensions: { width: 3 } }),
  async () => client.product.update("p1", { price: 1 }, { ifMatch: etag(row) }),
  async () => client.product.update("p1", { price: 1 }, { ifMatch: ["a", "b"], where: { stock: { gte: 1 } } }),
  async () => (await client.product.update("p1", {}, { fields: ["etag"] })).etag.length,
  async () => (await client.product.delete("p1", { where: { status: { eq: "draft" } } })) === true,
  async () => client.product.list({}, { signal: AbortSignal.timeout(5) }),
  async () => client.call("product.findById", "p1"),
  async () => (await client.product.aggregate({ by: "status", select: "count,price.avg,stock.sum" })).items.map((g) => [g.key.status === "draft", g.count + 1, g.price.avg?.toFixed(2), BigInt(g.stock.sum ?? 0)]),
  async () => (await client.product.aggregate({ by: ["status", "createdAt:month"], select: ["count", "price.max"], having: { count: { gte: 2 }, or: [{ price: { max: { lt: 9 } } }] }, sort: ["-count", "createdAt"] })).items.map((g) => [g.key.status === "draft", g.key.createdAt?.length, g.count + 1, g.price.max?.toFixed(2)]),
  async () => (await client.product.aggregate()).items.map((g) => g.count + 1),
  async () => (await client.product.aggregate({ search: "tea", filter: { price: { gt: 2 } }, zone: "Europe/Paris", limit: 3 })).items[0]!.count + 1,
  async () => (await client.call("product.aggregate", { select: ["stock.min"] })).items[0]?.stock?.min,
  async (select: ("count" | "price.avg")[]) => (await client.product.aggregate({ by: "status", select })).items[0]?.price?.avg,
  async (by: "status" | "name") => (await client.product.aggregate({ by })).items[0]!.key.status?.length,
  async () => (await productQueries(client).aggregate({ by: "status", select: "price.avg" }).queryFn({ signal: AbortSignal.timeout(5) })).items[0]!.price.avg,
  async () => (await client.product.createMany([input, input])).items[0]!.sku.length,
  async () => (await client.product.createMany([input], { fields: ["id"] })).items[0]!.id.length,
  async () => (await client.product.updateMany({ status: { eq: "draft" } }, { price: 1 })).count + 1,
  async () => (await client.product.updateMany({ status: { eq: "draft" } }, { price: 1 }, { max: 9, fields: ["price"] })).items[0]!.price + 1,
  async () => (await client.product.deleteMany({ price: { lt: 3 } }, { max: 5, signal: AbortSignal.timeout(5) })).count,
  async () => (await client.product.upsert("sku", input)).created || (await client.product.upsert("id", input, { fields: ["id"] })).item.id,
  async () => (await client.product.import("sku", [input], { dryRun: true, faults: 3 })).faults.map((f) => f.row + f.code),
  async () => (await client.product.import("sku", new Blob([]), { format: "csv", dryRun: true })).faults.map((f) => f.line + f.code),
  async () => {
    for await (const row of client.product.export({ sort: "name", limit: 5 })) row.name.length;
    for await (const row of client.product.export({ select: { category: { name: true } } })) row.category?.name;
    for await (const part of client.product.export({ format: "csv", escape: "formulas", fields: ["id", "name"] })) part.byteLength;
  },
  async () => productQueries(client).updateMany(cache).mutationFn({ where: { price: { lt: 3 } }, patch: { price: 4 }, max: 3 }),
  async () => {
    const { made, count } = await client.atomic((call) => {
      const made = call("product.create", input);
      call("product.update", made.id, { price: made.price, categoryId: made.categoryId });
      call("product.create", { ...input, name: made.name });
      return { made, count: call("product.updateMany", { id: { eq: made.id } }, { stock: 3 }).count };
    });
    return made.sku.length + count;
  },
  async () => (await client.call("product.delete", "p1")) === false,
  async () => (await client.product.update("p1", { price: 3 }, { rehearse: true })).changes[0]?.change === "UPDATED",
  async () => (await client.product.create(input, { approve: (await client.product.create(input, { rehearse: true })).rehearsal })).price,
  async () => {
    for await (const page of client.product.pages({ limit: 100 })) page.items[0]?.sku;
    for await (const p of client.product.each({ fields: ["sku"] })) p.sku.length;
  },
  async () => {
    try {
      await client.product.create(input);
    } catch (err) {
      if (err instanceof KitError) return err.code + String(err.details);
    }
    return "";
  },
  () => details(product.create, {}).map((d) => d.pointer + d.code),
  () => fill(product.create, { sku: "ABC-0001" }).status,
  () => product.create["~standard"].validate(input).issues?.[0]?.path,
  () => productQueries(client).list({ filter: { price: { gte: 1 } } }).queryKey,
  async () => (await productQueries(client).findById("p1").queryFn({ signal: AbortSignal.timeout(1) }))?.name,
  (patch: ProductPatch) => client.product.update("p1", patch),
  async () => {
    for await (const event of sales.facts.orderPlaced()) return event.id + event.position + event.name + event.entity + event.at + event.data.reference.length + event.data.total;
    for await (const { key, version, change } of sales.facts.orderShipped({ after: "start", signal: AbortSignal.timeout(5) })) return [key, version, change === "updated"];
    for await (const { data } of sales.facts.orderPlaced({ filter: { status: { in: ["open"] }, customer: { id: { eq: "c" } } }, fields: ["id", "shipping"] })) return data.shipping + 1;
    for await (const { data } of client.facts.productRetired({ filter: { name: { startsWith: "E" } } })) return data.name.length;
    return 0;
  },
  async () => {
    for await (const { key, change, data } of client.product.changes({ after: "start", filter: { price: { lt: 9 } } })) return key.length + (change === "left" ? 0 : data!.price);
    for await (const { data } of client.product.changes({ fields: ["id", "stock"] })) return data?.stock;
    return 0;
  },
  () => connect({ url: "", strict: rows }),
  () => connect({ url: "", strict: { product: rows.product } }),
  () => productQueries(client).delete(cache).mutationFn({ id: "p1", ifMatch: etag(row) }),
  (code: KitError["code"]) => code === "PRECONDITION_FAILED" || code === "DEPTH_LIMIT_EXCEEDED",
];

export const refused = [
  // Names.
  // @ts-expect-error no such key
  () => client.product.aggregate({ by: "statu" }),
  // @ts-expect-error a status has no months
  () => client.product.aggregate({ by: ["status:month"] }),
  // @ts-expect-error no such function
  () => client.product.aggregate({ select: ["price.median"] }),
  // @ts-expect-error a text has no sum
  () => client.product.aggregate({ select: "name.sum" }),
  // @ts-expect-error no such condition on groups
  () => client.product.aggregate({ having: { counts: { gte: 1 } } }),
  // @ts-expect-error a number of rows is a number
  () => client.product.aggregate({ having: { count: { gte: "1" } } }),
  // @ts-expect-error no such key of an order
  () => client.product.aggregate({ by: "status", sort: "-prices.avg" }),
  // @ts-expect-error no such field in a filter
  () => client.product.aggregate({ filter: { prices: { gt: 1 } } }),
  // @ts-expect-error not among the keys
  async () => (await client.product.aggregate({ by: "status" })).items[0]!.key.name,
  // @ts-expect-error perhaps another key
  async (by: "status" | "name") => (await client.product.aggregate({ by })).items[0]!.key.status.length,
  // @ts-expect-error perhaps not selected
  async (select: ("count" | "price.avg")[]) => (await client.product.aggregate({ select })).items[0]!.price.avg,
  // @ts-expect-error not selected
  async () => (await client.product.aggregate({ by: "status", select: ["price.avg"] })).items[0]!.price.max,
  // @ts-expect-error no such door
  () => client.produkt.list(),
  // @ts-expect-error no such operation
  () => client.product.lists(),
  // @ts-expect-error categories are never removed
  () => client.category.delete("c1"),
  // @ts-expect-error no such operation
  () => client.call("product.listt"),
  // @ts-expect-error no such door
  () => client.call("produkt.list"),
  // Writes of many rows, and calls that are one transaction.
  // @ts-expect-error no unique key
  () => client.product.upsert("name", input),
  // @ts-expect-error a condition is required
  () => client.product.deleteMany(),
  // @ts-expect-error no such field
  () => client.product.updateMany({ pric: { eq: 1 } }, { price: 1 }),
  // @ts-expect-error no rows without selected fields
  async () => (await client.product.updateMany({ price: { eq: 1 } }, { price: 1 })).items,
  // @ts-expect-error no such member of the row to come
  () => client.atomic((call) => call("product.update", call("product.create", input).idd, { price: 1 })),
  // @ts-expect-error a result to come has no text to compare
  () => client.atomic((call) => call("product.create", input).status === "active"),
  // @ts-expect-error nor a number to compute with
  () => client.atomic((call) => call("product.create", input).price + 1),
  // @ts-expect-error a price is no text
  () => client.atomic((call) => call("product.update", "p1", { name: call("product.create", input).price })),
  // @ts-expect-error no such field beside a reference
  () => client.atomic((call) => call("product.update", "p1", { name: call("product.create", input).name, nmae: "x" })),
  // @ts-expect-error no method of a text to come
  () => client.atomic((call) => call("product.create", input).name.toUpperCase()),
  // Filters.
  // @ts-expect-error no such field
  () => client.product.list({ filter: { pric: { gte: 1 } } }),
  // @ts-expect-error no such operator
  () => client.product.list({ filter: { price: { gt_: 1 } } }),
  // @ts-expect-error a number has no contains
  () => client.product.list({ filter: { price: { contains: "1" } } }),
  // @ts-expect-error a price is a number
  () => client.product.list({ filter: { price: { gte: "1" } } }),
  // @ts-expect-error no such status
  () => client.product.list({ filter: { status: { eq: "actve" } } }),
  // @ts-expect-error a status has no order
  () => client.product.list({ filter: { status: { gt: "active" } } }),
  // @ts-expect-error in takes a list
  () => client.product.list({ filter: { status: { in: "active" } } }),
  // @ts-expect-error eq takes no null: isNull does
  () => client.product.list({ filter: { supplierId: { eq: null } } }),
  // @ts-expect-error operators, not a value
  () => client.product.list({ filter: { status: "active" } }),
  // @ts-expect-error no such field of a category
  () => client.product.list({ filter: { category: { nam: { eq: "x" } } } }),
  // @ts-expect-error a relation takes a filter, its key takes operators
  () => client.product.list({ filter: { category: { eq: "c1" } } }),
  // @ts-expect-error a relation to many takes some, none or every
  () => client.product.list({ filter: { reviews: { rating: { gte: 4 } } } }),
  // @ts-expect-error has takes one value
  () => client.product.list({ filter: { tags: { has: ["a"] } } }),
  // @ts-expect-error or takes a list
  () => client.product.list({ filter: { or: { price: { lt: 5 } } } }),
  // @ts-expect-error isNull is true or false
  () => client.product.list({ filter: { name: { isNull: "yes" } } }),
  // Orders and pages.
  // @ts-expect-error no such sort key
  () => client.product.list({ sort: "-createdAtt" }),
  // @ts-expect-error objects have no order
  () => client.product.list({ sort: "dimensions" }),
  // @ts-expect-error no such key among others
  () => client.product.list({ sort: ["name", "prize"] }),
  // @ts-expect-error no such field of a category
  () => client.product.list({ sort: "category.nmae" }),
  // @ts-expect-error no such relation
  () => client.product.list({ sort: "-categry.name" }),
  // @ts-expect-error no such field of the parent
  () => client.product.list({ sort: "category.parent.nmae" }),
  // @ts-expect-error no such relation of the parent
  () => client.product.list({ sort: "category.parent.parnt.name" }),
  // @ts-expect-error rows behind a relation to many have functions
  () => client.product.list({ sort: "reviews.rating" }),
  // @ts-expect-error no such function
  () => client.product.list({ sort: "reviews.rating.median" }),
  // @ts-expect-error a text has no average
  () => client.product.list({ sort: "reviews.title.avg" }),
  // @ts-expect-error no such field to average
  () => client.product.list({ filter: { reviews: { avg: { ratng: { gte: 4 } } } } }),
  // @ts-expect-error a text has no sum
  () => client.product.list({ filter: { reviews: { sum: { title: { gte: "a" } } } } }),
  // @ts-expect-error a moment has no average
  () => client.product.list({ filter: { reviews: { avg: { createdAt: { gte: "2026" } } } } }),
  // @ts-expect-error true and false have no least
  () => client.product.list({ filter: { reviews: { min: { verified: { eq: true } } } } }),
  // @ts-expect-error a relation has no distinct values
  () => client.product.list({ filter: { reviews: { countDistinct: { product: { gte: 1 } } } } }),
  // @ts-expect-error suppliers are not searched
  () => client.supplier.list({ search: "tea" }),
  // @ts-expect-error nor are they in groups
  () => client.supplier.aggregate({ search: "tea" }),
  // @ts-expect-error a cursor or an offset
  () => client.product.list({ offset: 3, after: "c" }),
  // @ts-expect-error total or count
  () => client.product.list({ total: true, count: "exact" }),
  // @ts-expect-error no such word of a list
  () => client.product.list({ limt: 3 }),
  // @ts-expect-error a limit is a number
  () => client.product.list({ limit: "3" }),
  // @ts-expect-error no such way to count
  () => client.product.list({ count: "roughly" }),
  // Fields.
  // @ts-expect-error no such field
  () => client.product.list({ fields: ["nam"] }),
  // @ts-expect-error a relation is no field
  () => client.product.list({ fields: ["category"] }),
  // @ts-expect-error nothing of the category is selected
  () => client.product.list({ select: { category: {} } }),
  // @ts-expect-error nothing is selected
  () => client.product.list({ select: {} }),
  // @ts-expect-error no such field of the category
  () => client.product.list({ select: { category: { nmae: true } } }),
  // @ts-expect-error fields or a selection
  () => client.product.list({ fields: ["id"], select: { name: true } }),
  // @ts-expect-error nothing of the row is selected
  () => client.product.findById("p1", { select: { category: { parent: {} } } }),
  // @ts-expect-error rows have no formulas
  () => client.product.export({ escape: "formulas" }),
  // @ts-expect-error the name was not selected
  async () => (await client.product.list({ fields: ["id"] })).items[0]!.name,
  // @ts-expect-error the price was not selected
  async () => (await client.product.findById("p1", { fields: ["id"] }))!.price,
  // @ts-expect-error there may be none
  async () => (await client.product.findById("p1")).name,
  // @ts-expect-error misspelt in a row
  async () => (await client.product.list()).items[0]!.nmae,
  // Bodies.
  // @ts-expect-error what is required is missing
  () => client.product.create({ name: "Cup" }),
  // @ts-expect-error no such field
  () => client.product.create({ ...input, colour: "red" }),
  // @ts-expect-error a name is no null
  () => client.product.update("p1", { name: null }),
  // @ts-expect-error the key cannot change
  () => client.product.update("p1", { id: "p2" }),
  // @ts-expect-error no such status
  () => client.product.update("p1", { status: "sold" }),
  // @ts-expect-error no such member
  () => client.product.update("p1", { dimensions: { breadth: 3 } }),
  // @ts-expect-error an id is a text
  () => client.product.findById(7),
  // Options.
  // @ts-expect-error a creation holds no row to a version
  () => client.product.create(input, { ifMatch: "x" }),
  // @ts-expect-error where is a filter
  () => client.product.update("p1", {}, { where: { stok: { gte: 1 } } }),
  // @ts-expect-error no such transport
  () => connect({ url: "", transport: "soap" }),
  // @ts-expect-error no url
  () => connect({ transport: "rest" }),
  // @ts-expect-error a query takes a filter as the client does
  () => productQueries(client).list({ filter: { pric: { gte: 1 } } }),
  // Facts.
  // @ts-expect-error no such fact
  () => sales.facts.orderPlacd(),
  // @ts-expect-error a fact of another Frond
  () => client.facts.orderPlaced(),
  // @ts-expect-error changes of a door are the door's
  () => sales.facts.orderChanged(),
  // @ts-expect-error no such field
  () => sales.facts.orderPlaced({ filter: { statuss: { eq: "open" } } }),
  // @ts-expect-error no such status
  () => sales.facts.orderPlaced({ filter: { status: { eq: "opened" } } }),
  // @ts-expect-error the view of the fact has no such field
  () => client.facts.productRetired({ filter: { stock: { gte: 1 } } }),
  // @ts-expect-error no such field to select
  () => sales.facts.orderPlaced({ fields: ["refrence"] }),
  // @ts-expect-error a position is a text
  () => sales.facts.orderPlaced({ after: 7 }),
  // @ts-expect-error no such word of a stream
  () => sales.facts.orderPlaced({ limit: 7 }),
  async () => {
    // @ts-expect-error misspelt in an event
    for await (const event of sales.facts.orderPlaced()) event.data.refrence;
  },
  async () => {
    // @ts-expect-error the reference was not selected
    for await (const event of sales.facts.orderPlaced({ fields: ["id"] })) event.data.reference;
  },
  // Changes.
  // @ts-expect-error no such field to select
  () => client.product.changes({ fields: ["pric"] }),
  // @ts-expect-error no such field
  () => client.product.changes({ filter: { pric: { lt: 9 } } }),
  // @ts-expect-error no such word of a stream
  () => client.product.changes({ filtr: { price: { lt: 9 } } }),
  async () => {
    // @ts-expect-error no such change
    for await (const event of client.product.changes()) if (event.change === "removed") return;
  },
  async () => {
    // @ts-expect-error where the row has left there is no data
    for await (const event of client.product.changes()) event.data.price;
  },
  async () => {
    // @ts-expect-error the price was not selected
    for await (const event of client.product.changes({ fields: ["id"] })) event.data?.price;
  },
  async () => {
    // @ts-expect-error the key of a product is a text
    for await (const event of client.product.changes()) event.key.toFixed();
  },
  // Pages and rows one by one.
  // @ts-expect-error no such word of a list
  () => client.product.pages({ limt: 3 }),
  // @ts-expect-error no such field to select
  () => client.product.each({ fields: ["nam"] }),
  async () => {
    // @ts-expect-error the name was not selected
    for await (const row of client.product.each({ fields: ["id"] })) row.name;
  },
  // @ts-expect-error no such option of a call
  () => client.product.list({}, { sgnal: AbortSignal.timeout(5) }),
  // @ts-expect-error ids are a list
  () => client.product.findByIds("p1"),
  // @ts-expect-error no such option
  () => client.product.delete("p1", { ifmatch: "v" }),
  // @ts-expect-error where is a filter with values of the field
  () => client.product.update("p1", {}, { where: { status: { eq: "sold" } } }),
  // @ts-expect-error no such member, at any depth
  () => client.product.list({ filter: { or: [{ not: { nam: { eq: "x" } } }] } }),
  // Connecting.
  // @ts-expect-error no such option
  () => connect({ url: "", transprot: "rest" }),
  // @ts-expect-error a number of times
  () => connect({ url: "", retries: "2" }),
  // @ts-expect-error no such door
  () => connect({ url: "", strict: { produkt: rows.product } }),
  // @ts-expect-error no such code
  (err: KitError) => err.code === "VALIDATON_FAILED",
  // @ts-expect-error no such member of a failure
  (err: KitError) => err.detials,
  // TanStack Query.
  // @ts-expect-error no such operation
  () => productQueries(client).lst(),
  // @ts-expect-error no such member
  () => productQueries(client).update(cache).mutationFn({ id: "p1", ptch: {} }),
  // @ts-expect-error no such field
  () => productQueries(client).update(cache).mutationFn({ id: "p1", patch: { pric: 1 } }),
  // @ts-expect-error no such option
  () => productQueries(client).delete(cache).mutationFn({ id: "p1", ifMach: "v" }),
  // @ts-expect-error no such field to select
  () => productQueries(client).infinite({ fields: ["nam"] }),
  // Judges.
  // @ts-expect-error no such judge
  () => details(product.creat, {}),
  // @ts-expect-error no such field
  () => fill(product.create, { nam: "x" }),
  // @ts-expect-error no such member of a detail
  () => details(product.create, {})[0]!.pfad,
  // @ts-expect-error no such member of an issue
  () => product.create["~standard"].validate(input).issues?.[0]?.pth,
];

// What is selected of a row and behind its relations.
const chosen = await client.product.list({ select: { id: true, etag: true, category: { name: true, parent: { id: true } }, reviews: { limit: 3, rating: true } } });
const one = chosen.items[0]!;
const idOfOne: string = one.id, versionOfOne: string = one.etag, parentOfOne: string | undefined = one.category?.parent?.id, ratingOfOne: number = one.reviews.items[0]!.rating, moreOfOne: boolean = one.reviews.hasMore;
// @ts-expect-error a field that was not selected
one.name;
// @ts-expect-error a relation to one row may be null
one.category.name;
// @ts-expect-error a field behind a relation that was not selected
one.category?.slug;
// @ts-expect-error a page is no list
one.reviews[0];
// @ts-expect-error a misspelt field
await client.product.list({ select: { id: true, nme: true } });
// @ts-expect-error a misspelt field behind a relation
await client.product.list({ select: { id: true, category: { name: true, slg: true } } });
// @ts-expect-error a misspelt field two relations away
await client.product.findById("p", { select: { reviews: { product: { sku: true, skuu: true } } } });
// @ts-expect-error a misspelt relation
await client.product.findById("p", { select: { id: true, categry: { name: true } } });
// @ts-expect-error a relation to one row has no limit
await client.product.findById("p", { select: { category: { limit: 3, name: true } } });
// @ts-expect-error a limit is a number
await client.product.findById("p", { select: { reviews: { limit: "3", rating: true } } });
// @ts-expect-error a relation has no value of its own
await client.product.findById("p", { select: { id: true, reviews: true } });
// @ts-expect-error a field has nothing behind it
await client.product.findById("p", { select: { name: { length: true } } });
// @ts-expect-error fields and select
await client.product.list({ select: { id: true }, fields: ["id"] });
// @ts-expect-error a command answers its own row
await client.product.update("p", {}, { select: { category: { name: true } } });
for await (const row of client.product.each({ select: { supplier: { name: true } } })) {
  // @ts-expect-error a field that was not selected
  row.supplier?.id;
}
// @ts-expect-error an export has no pages
client.product.export({ before: "c" });
// @ts-expect-error a format that there is not
client.product.export({ format: "xml" });
// @ts-expect-error a file has one format
await client.product.import("sku", new Blob([]), { dryRun: true });
for await (const row of client.product.export({ fields: ["id"] })) {
  // @ts-expect-error a field that was not selected
  row.name;
}
const fileOfOne: string = (await client.product.upload("image", new Blob([]), { name: "a.png", presigned: true })).id;
// @ts-expect-error a field without files
await client.product.upload("name", new Blob([]));
// @ts-expect-error a file is no text
await client.product.setFile("p", "image", "bytes");
// @ts-expect-error a door without files
await client.category.deleteFile("c", "image");
void [fileOfOne, idOfOne, versionOfOne, parentOfOne, ratingOfOne, moreOfOne];
