// Subscribes as the clients of the field do, unchanged, against a gateway of mode development with identity.dev:
//
//	node subscriptions.mjs URL
//
// It prints a line for each step. Where it prints "restart", the gateway is to be started again at the same address.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { createClient as overSocket } from 'graphql-ws';
import { createClient as overEvents } from 'graphql-sse';
import WebSocket from 'ws';

const [origin] = process.argv.slice(2);
const socketURL = origin.replace('http', 'ws') + '/graphql';
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ok = what => console.log(`ok   ${what}`);

async function mutate(query, variables) {
  const r = await fetch(origin + '/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await r.json();
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}
const create = id => mutate('mutation($id: String!) { createBook(input: {id: $id, name: "n", title: "T", year: 1999}) { id } }'.replace('String', 'ID'), { id });

const changed = 'subscription($after: String) { bookChanged(after: $after) { change key position book { title year } } }';

// collect gathers what a subscription gives, and waits until there is as much as wanted.
function collect(client, payload) {
  const got = { events: [], error: undefined, done: false };
  let wake = () => {};
  got.dispose = client.subscribe(payload, {
    next: m => { got.events.push(m); payload.variables.after = m.data?.bookChanged?.position; wake(); },
    error: e => { got.error = e; wake(); },
    complete: () => { got.done = true; wake(); },
  });
  got.until = async holds => {
    const end = Date.now() + 100_000;
    while (!holds(got)) {
      assert.ok(Date.now() < end, `waited for nothing: ${JSON.stringify(got)} ${holds}`);
      await new Promise(r => { wake = r; setTimeout(r, 100); });
    }
    return got;
  };
  return got;
}
const keys = got => got.events.map(e => e.data.bookChanged.key).join(' ');
const pause = ms => new Promise(r => setTimeout(r, ms));
const ready = client => new Promise(r => client.on('connected', r));

// graphql-ws, one connection, queries and mutations beside subscriptions.
let codes = [];
const ws = overSocket({
  url: socketURL, webSocketImpl: WebSocket, lazy: false, retryAttempts: 300, retryWait: () => pause(100), shouldRetry: () => true,
  connectionParams: { 'X-Frond-User': { id: 'ada', roles: ['staff'] } }, on: { closed: e => codes.push(e.code) },
});
await ready(ws);
// From the start: nothing tells a client when a subscription without a position has begun.
const live = collect(ws, { query: changed, variables: { after: 'start' } });
const twin = collect(ws, { query: changed, variables: { after: 'start' } });
await create('a');
await live.until(g => g.events.length === 1);
await twin.until(g => g.events.length === 1);
assert.deepEqual({ ...live.events[0].data.bookChanged, position: undefined }, { change: 'CREATED', key: 'a', position: undefined, book: { title: 'T', year: 1999 } });
ok('graphql-ws sees a created row, twice');
twin.dispose();
await twin.until(g => g.done);
await create('b');
await live.until(g => g.events.length === 2);
assert.equal(twin.events.length, 1);
ok('graphql-ws: complete ends one subscription');
const query = ws.iterate({ query: '{ books { total } }' });
assert.deepEqual((await query.next()).value, { data: { books: { total: 2 } } });
assert.equal((await query.next()).done, true);
ok('graphql-ws: a query');
const wrong = await collect(ws, { query: 'subscription { nope }', variables: {} }).until(g => g.error);
assert.match(wrong.error[0].message, /Cannot query field/);
const place = await collect(ws, { query: changed, variables: { after: 'x' } }).until(g => g.error);
assert.equal(place.error[0].extensions.code, 'VALIDATION_FAILED');
const refused = await collect(ws, { query: 'subscription { secretChanged { key } }', variables: {} }).until(g => g.error);
assert.equal(refused.error[0].extensions.code, 'FORBIDDEN');
ok('graphql-ws: errors');

// The gateway is stopped and started; meanwhile nothing is lost.
console.log('restart');
await lines.next();
await create('c');
await live.until(g => g.events.length === 3);
assert.equal(keys(live), 'a b c');
assert.ok(codes.includes(1001), `closed by ${codes}`);
ok('graphql-ws connects again after 1001, and resumes');

const nobody = overSocket({ url: socketURL, webSocketImpl: WebSocket, retryAttempts: 0, connectionParams: { 'X-Frond-User': 'nobody' } });
const rejected = await collect(nobody, { query: changed, variables: {} }).until(g => g.error);
assert.equal(rejected.error.code, 4403);
ok('graphql-ws: a caller that is refused');
await nobody.dispose();

// graphql-sse, in both modes.
for (const singleConnection of [false, true]) {
  const mode = singleConnection ? 'a single connection' : 'distinct connections';
  const sse = overEvents({ url: origin + '/graphql/stream', singleConnection, retryAttempts: 300, retry: () => pause(100), headers: { 'X-Frond-User': '{"id":"ada","roles":["staff"]}' } });
  const got = collect(sse, { query: changed, variables: { after: 'start' } });
  await got.until(g => g.events.length >= 3);
  assert.equal(keys(got).slice(0, 5), 'a b c');
  const id = 'sse-' + singleConnection;
  await create(id);
  await got.until(g => keys(g).endsWith(id));
  const one = await collect(sse, { query: '{ books(first: 1) { items { id } } }', variables: {} }).until(g => g.done);
  assert.deepEqual(one.events, [{ data: { books: { items: [{ id: 'a' }] } } }]);
  const wrong = await collect(sse, { query: 'subscription { nope }', variables: {} }).until(g => g.done || g.error);
  assert.match(JSON.stringify(wrong.events[0] ?? wrong.error), /Cannot query field/);
  ok(`graphql-sse over ${mode}: from the start, live, a query, errors`);
  console.log('restart');
  await lines.next();
  await create(id + '-again');
  await got.until(g => keys(g).endsWith(id + '-again'));
  const all = keys(got).split(' ');
  assert.equal(new Set(all).size, all.length, `${all}`);
  ok(`graphql-sse over ${mode} connects again, and resumes`);
  got.dispose();
  await got.until(g => g.done);
  sse.dispose();
}

// A live query has no position: after a restart its first answer is the state of that moment.
const total = collect(ws, { query: 'subscription($year: Int!) { books(filter: {year: {gte: $year}}) @live { total } }', variables: { year: 1990 } });
await total.until(g => g.events.length === 1);
const { total: before } = total.events[0].data.books;
await create('seen');
await total.until(g => g.events.length === 2);
console.log('restart');
await lines.next();
await total.until(g => g.events.length === 3);
assert.deepEqual(total.events.map(e => e.data.books.total), [before, before + 1, before + 1]);
ok('graphql-ws: a live query, and again after a restart');

// What a browser sends from another site's page.
const foreign = new WebSocket(socketURL, 'graphql-transport-ws', { origin: 'https://elsewhere.example' });
const [error] = await new Promise(r => foreign.on('error', e => r([e])));
assert.match(error.message, /403/);
ok('a page of another site is refused');
await ws.dispose();
process.exit(0);
