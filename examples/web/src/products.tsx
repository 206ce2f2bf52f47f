import type { Product } from "@shop/catalog";
import type { Change, ProductFilter, ProductSort } from "@shop/catalog/client";
import { useEffect, useState } from "preact/hooks";
import { shop } from "./shop.js";

const columns = ["id", "sku", "name", "price", "stock", "status"] as const;
type Row = Pick<Product, (typeof columns)[number]>;

/** The list with its filters. What is shown follows each change of a row, where the host announces them. */
export function Products({ written }: { written: number }) {
  const [name, setName] = useState("");
  const [status, setStatus] = useState<Product["status"] | "">("");
  const [sort, setSort] = useState<ProductSort>("name");
  const [rows, setRows] = useState<Row[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [failed, setFailed] = useState("");

  const filter: ProductFilter = { ...(name && { name: { icontains: name } }), ...(status && { status: { eq: status } }) };
  const read = (after: string | null, signal?: AbortSignal) =>
    shop.product.list({ filter, sort, limit: 10, total: false, fields: columns, ...(after !== null && { after }) }, signal ? { signal } : {});

  useEffect(() => {
    const abort = new AbortController();
    read(null, abort.signal).then(
      (page) => (setRows(page.items), setNext(page.hasMore ? page.endCursor : null), setFailed("")),
      (err: Error) => abort.signal.aborted || setFailed(err.message),
    );
    return () => abort.abort();
  }, [name, status, sort, written]);

  useEffect(() => {
    const abort = new AbortController();
    const changed = (id: string, row: Partial<Row>) => setRows((all) => all.map((old) => (old.id === id ? { ...old, ...row } : old)));
    // Without changes the list stays as it was read.
    follow(abort.signal, changed).catch((err: Error) => console.info("no changes are followed:", err.message));
    return () => abort.abort();
  }, []);

  const more = async () => {
    const page = await read(next);
    setRows([...rows, ...page.items]);
    setNext(page.hasMore ? page.endCursor : null);
  };

  return (
    <section aria-label="Products">
      <div class="filters">
        <label>
          Name
          <input type="search" value={name} onInput={(e) => setName(e.currentTarget.value)} />
        </label>
        <label>
          Status
          <select value={status} onChange={(e) => setStatus(e.currentTarget.value as typeof status)}>
            <option value="">any</option>
            <option>draft</option>
            <option>active</option>
            <option>retired</option>
          </select>
        </label>
        <label>
          Order
          <select value={sort} onChange={(e) => setSort(e.currentTarget.value as ProductSort)}>
            <option value="name">name</option>
            <option value="-price">price, highest first</option>
            <option value="stock">stock, lowest first</option>
          </select>
        </label>
      </div>
      {failed && <p role="alert">{failed}</p>}
      <table>
        <thead>
          <tr>
            <th>Number</th>
            <th>Name</th>
            <th>Price</th>
            <th>Stock</th>
            <th>Status</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>{row.sku}</td>
              <td>{row.name}</td>
              <td class="number">{(row.price / 100).toFixed(2)}</td>
              <td class="number">{row.stock}</td>
              <td>{row.status}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {next !== null && <button onClick={() => void more()}>More</button>}
    </section>
  );
}

/** Follows the changes of products. The method is there where the Frond announces them (`changes: [product]`). */
async function follow(signal: AbortSignal, changed: (id: string, row: Partial<Row>) => void): Promise<void> {
  const door = shop.product as typeof shop.product & { changes?(query: { signal: AbortSignal }): AsyncIterable<Change<Product>> };
  if (!door.changes) return;
  for await (const { key, data } of door.changes({ signal })) if (data) changed(String(key), data);
}
