// Runs what relay-compiler made of src/app.js against a gateway:
//
//	node run.js ENDPOINT USER [trusted]
//
// With trusted it sends the ids of the persisted queries instead of their texts.
// It leaves with 1 and says what it expected where the gateway answers anything else.
const assert = require('node:assert/strict');
const { createHash } = require('node:crypto');
const {
  Environment, Network, RecordSource, Store, commitMutation, createOperationDescriptor, fetchQuery, getSingularSelector,
} = require('relay-runtime');

const [endpoint, user, trusted] = process.argv.slice(2);
const persisted = require('./persisted.json');
const compiled = name => require(`./src/__generated__/${name}.graphql.js`);

let requests = 0;

// send sends an operation as it was compiled: its text is in the file of persisted
// queries under the SHA-256 that the artifact carries.
async function send(params, variables) {
  assert.equal(params.text, null);
  const query = persisted[params.id];
  assert.equal(createHash('sha256').update(query).digest('hex'), params.id);
  requests++;
  const res = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', 'x-frond-user': user },
    body: JSON.stringify(trusted ? { documentId: params.id, variables } : { query, operationName: params.name, variables }),
  });
  const answer = await res.json();
  assert.equal(answer.errors, undefined, JSON.stringify(answer.errors));
  return answer;
}

// newEnvironment is a Relay environment as docs/graphql.md tells to make one: rows
// are known by nodeId, since id is the entity's own and only unique within it.
function newEnvironment() {
  return new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
    getDataID: row => row.nodeId,
  });
}

const load = (env, name, variables = {}) => fetchQuery(env, compiled(name), variables, { fetchPolicy: 'network-only' }).toPromise();

// read is a fragment as a component gets it from the store, once nothing is missing.
function read(env, fragment, ref) {
  const snapshot = env.lookup(getSingularSelector(compiled(fragment), ref));
  assert.equal(snapshot.isMissingData, false, `${fragment} misses data`);
  return snapshot.data;
}

// keep holds a query's rows in the store, as a mounted component does.
const keep = (env, name, variables) => env.retain(createOperationDescriptor(compiled(name), variables));

const mutate = (env, name, variables, updater) =>
  new Promise((onCompleted, onError) => commitMutation(env, { mutation: compiled(name), variables, updater, onCompleted, onError }));

// more is what usePaginationFragment's loadNext and loadPrevious do: the fragment's
// own query, with the cursor of the end the store has.
async function more(env, query, fragment, ref, variables) {
  await load(env, query, variables);
  return read(env, fragment, ref);
}

// identity is the variable by which a fragment's own query finds its row again, as
// useRefetchableFragment takes it from what the compiler wrote.
function identity(fragment, data) {
  const { identifierField, identifierQueryVariableName } = compiled(fragment).metadata.refetch.identifierInfo;
  assert.ok(data[identifierField], `${fragment} has no ${identifierField}`);
  return { [identifierQueryVariableName]: data[identifierField] };
}

const skus = connection => connection.edges.map(e => e.node.sku);

// A list from the first row to the last, page by page.
async function catalogue() {
  const env = newEnvironment();
  const filter = { status: { eq: 'active' } };
  const data = await load(env, 'appCatalogueQuery', { filter });
  keep(env, 'appCatalogueQuery', { filter });
  let { products } = read(env, 'appCatalogue_query', data);
  assert.equal(products.edges.length, 9);
  let pages = 1;
  for (; products.pageInfo.hasNextPage; pages++) {
    ({ products } = await more(env, 'appCataloguePageQuery', 'appCatalogue_query', data, {
      cursor: products.pageInfo.endCursor, count: 9, filter, orderBy: [{ price: 'DESC' }, { name: 'ASC' }],
    }));
  }
  const rows = products.edges.map(e => read(env, 'appRow_product', e.node));
  assert.equal(rows.length, products.total);
  assert.equal(pages, Math.ceil(rows.length / 9));
  assert.equal(new Set(rows.map(r => r.sku)).size, rows.length);
  for (const [i, r] of rows.entries()) {
    assert.equal(r.status, 'active');
    assert.equal(typeof r.inStock, 'boolean');
    assert.ok(r.category.name.length > 0);
    assert.ok(i === 0 || r.price < rows[i - 1].price || (r.price === rows[i - 1].price && Buffer.compare(Buffer.from(rows[i - 1].name), Buffer.from(r.name)) <= 0));
  }
  return rows.length;
}

// A list inside a row, forward from its beginning and backward from its end.
async function shelf() {
  const seen = {};
  for (const direction of ['forward', 'backward']) {
    const env = newEnvironment();
    const start = direction === 'forward' ? { first: 2 } : { last: 2 };
    const data = await load(env, 'appShelfQuery', { id: 'c-espresso', ...start });
    keep(env, 'appShelfQuery', { id: 'c-espresso', ...start });
    let { products, ...row } = read(env, 'appShelf_category', data.category);
    const self = identity('appShelf_category', row);
    assert.equal(products.edges.length, 2);
    const onward = () => (direction === 'forward' ? products.pageInfo.hasNextPage : products.pageInfo.hasPreviousPage);
    for (let steps = 0; onward(); steps++) {
      assert.ok(steps < 10, 'the walk does not end');
      const cursor = direction === 'forward' ? { first: 2, after: products.pageInfo.endCursor } : { last: 2, before: products.pageInfo.startCursor };
      ({ products } = await more(env, 'appShelfPageQuery', 'appShelf_category', data.category, { ...self, ...cursor }));
    }
    seen[direction] = skus(products);
  }
  assert.deepEqual(seen.forward, seen.backward);
  assert.equal(new Set(seen.forward).size, 6);
  return seen.forward.length;
}

// A row by its global id, and rows of several types.
async function nodes() {
  const env = newEnvironment();
  const data = await load(env, 'appProductQuery', { id: 'p-espresso-machine' });
  const machine = read(env, 'appDetails_product', data.product);
  assert.equal(machine.name, 'Rossetti Bella espresso machine');
  assert.equal(machine.reviews.items.length, 2);
  assert.deepEqual(machine.dimensions, { width: 23 });

  const again = await load(env, 'appDetailsRefetchQuery', { ...identity('appDetails_product', machine), reviews: 3 });
  const refetched = read(env, 'appDetails_product', again.node);
  assert.equal(refetched.id, 'p-espresso-machine');
  assert.equal(refetched.reviews.items.length, 3);

  const shelves = await load(env, 'appShelfQuery', { id: 'c-espresso', first: 1 });
  const answer = await load(env, 'appNodesQuery', { nodeIds: [shelves.category.__id, 'gone', machine.nodeId] });
  assert.deepEqual(answer.nodes.map(n => n?.__typename), ['Category', undefined, 'Product']);
  assert.equal(answer.nodes[2].name, machine.name);
}

// A row that changes is changed wherever it stands; a row that is made joins its list.
async function changes() {
  const env = newEnvironment();
  const data = await load(env, 'appProductQuery', { id: 'p-tumbler' });
  keep(env, 'appProductQuery', { id: 'p-tumbler' });
  const before = read(env, 'appDetails_product', data.product).stock;
  await mutate(env, 'appRestockMutation', { id: 'p-tumbler', stock: before + 5 });
  assert.equal(read(env, 'appDetails_product', data.product).stock, before + 5);

  const filter = { productId: { eq: 'p-tumbler' } };
  const list = await load(env, 'appReviewsQuery', { filter });
  keep(env, 'appReviewsQuery', { filter });
  const current = () => env.lookup(createOperationDescriptor(compiled('appReviewsQuery'), { filter }).fragment).data.reviews;
  const there = current().edges.length;
  assert.equal(there, list.reviews.edges.length);
  await mutate(env, 'appReviewMutation', {
    connections: [list.reviews.__id],
    input: { productId: 'p-tumbler', customerId: null, rating: 5, title: 'Written by Relay', body: 'It went well.' },
  });
  assert.equal(current().edges.length, there + 1);
  const { id, title } = current().edges[0].node;
  assert.equal(title, 'Written by Relay');
  const record = env.getStore().getSource();
  const own = record.getRecordIDs().find(key => record.get(key)?.id === id && record.get(key).__typename === 'Review');
  await mutate(env, 'appForgetMutation', { id }, (store, answer) => {
    assert.equal(answer.deleteReview, true);
    store.delete(own);
  });
  assert.equal(current().edges.filter(e => e?.node).length, there);
}

(async () => {
  const products = await catalogue();
  const onShelf = await shelf();
  await nodes();
  await changes();
  console.log(JSON.stringify({ products, onShelf, requests }));
})().catch(err => {
  console.error(err);
  process.exit(1);
});
