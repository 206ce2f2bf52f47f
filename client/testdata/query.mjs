// Options for TanStack Query: keys with integers that JSON does not have, rows that keep their
// versions however their data is shared or patched, and the options of a deletion.
import { connect, etag } from "../dist/connect.js";
import { queries } from "../dist/query-options.js";

const ops = { list: { builtin: "list", query: 1 }, findById: { builtin: "findById", query: 1 }, update: { builtin: "update" }, delete: { builtin: "delete" } };
const door = { frond: "f", door: "thing", path: "/api/f/things", key: "id", etag: 1, big: ["id"], ops };
const answers = [];
const sent = [];
async function fetch(_, { body }) {
  const { id, params } = JSON.parse(body);
  sent.push(JSON.stringify(params));
  return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: answers.shift() }));
}
const client = connect({ thing: door }, { url: "http://host", fetch });
const things = queries("thing", door, client.thing);
const say = (...what) => console.log(JSON.stringify(what));
const read = async (options, answer) => (answers.push(answer), options.queryFn({ signal: new AbortController().signal }));

const options = things.list({ filter: { id: { in: [7n, 9007199254740993n] } } });
say(options.queryKey, things.findById(7n).queryKey, things.infinite({ limit: 2 }).queryKey);

const page = (n, version) => ({ items: [{ id: 1, n: 1, etag: "v1" }, { id: 2, n, at: { x: 1 }, etag: version }], total: 2, hasMore: false, endCursor: null });
const first = await read(options, page(1, "v1"));
const same = options.structuralSharing(first, await read(options, page(1, "v2")));
say(same === first, etag(same.items[1]));
const other = options.structuralSharing(first, await read(options, page(2, "v3")));
say(other === first, other.items[0] === first.items[0], other.items[1].at === first.items[1].at, other.items[1].n, etag(other.items[0]), etag(other.items[1]));
const date = new Date(0);
say(options.structuralSharing(new Date(1), date) === date, options.structuralSharing(undefined, first) === first, options.structuralSharing({ a: 1 }, { b: undefined }));

const kept = new Map([[JSON.stringify(things.findById(2).queryKey), other.items[1]]]);
const cache = {
  cancelQueries: async () => {},
  invalidateQueries: async () => {},
  getQueriesData: () => [...kept].map(([key, data]) => [JSON.parse(key), data]),
  setQueryData: (key, data) => kept.set(JSON.stringify(key), data),
};
await things.update(cache).onMutate({ id: 2, patch: { n: undefined, at: { y: 2 } } });
const [shown] = kept.values();
say(shown, etag(shown));

answers.push(true, true);
await things.delete(cache).mutationFn({ id: 2, ifMatch: etag(shown) });
await things.delete(cache).mutationFn(2);
say(sent.slice(-2));
