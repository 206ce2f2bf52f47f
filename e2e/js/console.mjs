// Drives the page at /graphql as somebody at a keyboard does, in Debian's Chromium:
//
//	node console.mjs GATEWAY PROFILE SCREENSHOT PLAIN
//
// GATEWAY serves examples/shop with an audience partner, PLAIN a project without queries whose first door is book. It leaves with 1 and says what it expected where the page does anything else.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [origin, profile, screenshot, plain] = process.argv.slice(2);
const url = origin + '/graphql';

const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  viewport: { width: 1280, height: 800 },
  colorScheme: 'light',
  timeout: 120_000,
});
context.setDefaultTimeout(180_000);

const wrong = []; // what no visit may bring about
const requests = [];
context.on('request', r => {
  requests.push(r);
  if (![origin, plain].includes(new URL(r.url()).origin) && !r.url().startsWith('data:')) wrong.push(`a request to ${r.url()}`);
});
let refused = 0; // documents, which is an answer too
context.on('response', r => {
  if (r.status() === 400 && r.request().method() === 'POST') refused++;
  else if (r.status() >= 400) wrong.push(`${r.status()} for ${r.url()}`);
});
context.on('console', m => {
  if (m.text().startsWith('Failed to load resource')) return; // a status, which is seen above
  if (['error', 'warning'].includes(m.type())) wrong.push(`${m.type()} on the browser's console: ${m.text()}`);
});
context.on('weberror', e => wrong.push(`a script failed: ${e.error()}`));
await context.addInitScript(() => {
  addEventListener('securitypolicyviolation', e => console.error(`the policy refuses ${e.violatedDirective} ${e.blockedURI}`));
});

const page = context.pages()[0] ?? (await context.newPage());
const editor = name => page.locator(`${name} .monaco-editor`).first();
const query = '.graphiql-query-editor';

// open waits for the editors and for the schema, without which nothing is completed.
async function open(address) {
  const schema = page.waitForResponse(r => r.request().method() === 'POST' && r.request().postData().includes('IntrospectionQuery'));
  await page.goto(address);
  await editor(query).waitFor();
  await editor('.result-window').waitFor();
  await schema;
}

// write replaces what an editor holds, key by key. Brackets close themselves; typing
// over them is what the editor expects.
async function write(name, text) {
  await editor(name).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text, { delay: 5 });
  await page.keyboard.press('Escape'); // the list of suggestions
}

// shown is what the answer's pane shows, as soon as it is text that `is` takes. Spaces
// are dropped: the editor draws them as others.
async function shown(is, what) {
  const pane = page.locator('.result-window .view-lines');
  let text = '';
  for (const end = Date.now() + 90_000; Date.now() < end; await page.waitForTimeout(100)) {
    const lines = await pane.locator('.view-line').evaluateAll(all => all.map(l => [parseFloat(l.style.top), l.textContent]).sort((a, b) => a[0] - b[0]).map(l => l[1]));
    text = lines.join('').replace(/\s/g, '');
    if (is(text)) return text;
  }
  await page.screenshot({ path: screenshot });
  assert.fail(`the answer does not show ${what}; it shows: ${text || 'nothing'}`);
}

const shows = want => shown(text => text.includes(want.replace(/\s/g, '')), want);
const tabs = () => page.locator('.graphiql-tab-button').allTextContents();
const tab = name => page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).first();
const run = () => page.getByRole('button', { name: /Execute query/ });

// keeps is what the browser keeps, as soon as a text is in a tab of it.
async function keeps(text) {
  for (const end = Date.now() + 90_000; Date.now() < end; await page.waitForTimeout(100)) {
    const kept = await page.evaluate(() => ({ ...localStorage }));
    if (Object.entries(kept).some(([key, value]) => key.endsWith(':tabState') && value.includes(text))) return kept;
  }
  assert.fail(`no tab with ${text} is kept`);
}
const steps = {
  async 'the tabs are the queries of the project'() {
    await open(url);
    assert.deepEqual(await tabs(), ['best', 'brewing', 'moka', 'orders', 'report', 'search', 'themes']);
    assert.equal(await page.title(), 'frond · GraphQL');
  },
  async 'a query of the project runs as it stands, by the button'() {
    await tab('moka').click();
    await run().click();
    await shows('"product": { "name": "Moka pot, 3 cups"');
    await shows('"code": "UNAUTHORIZED"');
  },
  async 'a caller of development is chosen from a list'() {
    await page.getByLabel('Caller').selectOption({ label: 'ada, staff' });
    await tab('orders').click();
    await run().click();
    await shows('"orders": { "total": 86');
    await page.getByLabel('Caller').selectOption({ label: 'nobody' });
    await run().click();
    await shows('"code": "UNAUTHORIZED"');
  },
  async 'a query that is typed runs by Ctrl-Enter'() {
    await page.getByRole('button', { name: 'New tab' }).click();
    await write(query, 'query Typed { products(first: 2) { total items { id name } } }');
    await page.keyboard.press('Control+Enter');
    await shows('"total": 83, "items": [ { "id": "p-apron", "name": "Linen apron, indigo" }, { "id": "p-assam", "name": "Assam Mangalam, 100 g" } ]');
    await tab('Typed').waitFor(); // named after the operation
  },
  async 'fields are suggested while one types'() {
    await write(query, '{ product(id: "p-moka-3") { ');
    await page.keyboard.type('inSt');
    const suggestion = page.locator('.suggest-widget .monaco-list-row', { hasText: 'inStock' });
    await suggestion.first().waitFor();
    await page.keyboard.press('Escape');
  },
  async 'a wrong query is marked in the editor, and its answer says what is wrong'() {
    await write(query, '{ products { total nonsense } }');
    await page.locator(`${query} .squiggly-error`).first().waitFor();
    await run().click();
    await shows('nonsense');
    await shows('GRAPHQL_VALIDATION_FAILED');
    await write(query, '{ products { total ');
    await page.keyboard.press('Delete'); // the brace that closed itself
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Delete');
    await page.keyboard.press('Control+Enter');
    await shows('GRAPHQL_PARSE_FAILED');
    assert.equal(refused, 2, 'the refusals that were asked for, and no other');
  },
  async 'a header says who is calling'() {
    await write(query, 'query Who { products { total } orders { total } }');
    await page.getByRole('button', { name: 'Headers' }).click();
    await write('.graphiql-editor-tool .graphiql-editor:not(.hidden)', '{"X-Frond-User": {"id": "u-typed", "roles": ["staff"]}}');
    await run().click();
    await shows('"products": { "total": 84 }');
    await shown(text => !text.includes('errors'), 'staff what staff may see');
  },
  async 'variables are sent'() {
    await write(query, 'query One($id: ID!) { product(id: $id) { name } }');
    await page.getByRole('button', { name: 'Variables' }).click();
    await write('.graphiql-editor-tool .graphiql-editor:not(.hidden)', '{"id": "p-apron"}');
    await run().click();
    await shows('{ "data": { "product": { "name": "Linen apron, indigo" } } }');
  },
  async 'the documentation has the type Product'() {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-search-input').click();
    await page.keyboard.type('Product', { delay: 20 });
    await page.getByRole('option', { name: 'Product', exact: true }).click();
    await page.locator('.graphiql-doc-explorer-title', { hasText: 'Product' }).waitFor();
    await page.locator('.graphiql-doc-explorer-content', { hasText: 'inStock' }).waitFor();
  },
  async 'the history has what ran'() {
    await page.getByRole('button', { name: 'Show History' }).click();
    await page.locator('.graphiql-history-items', { hasText: 'Who' }).waitFor();
  },
  async 'the tabs are there after a reload, and no header is kept'() {
    const kept = await keeps('query One');
    assert.ok(!JSON.stringify(kept).includes('u-typed'), 'a header was kept');
    await open(url);
    assert.ok((await tabs()).includes('One'));
  },
  async 'a link shows its query in a tab of its own and does not run it'() {
    const before = requests.length;
    const had = await tabs();
    const link = url + '?query=' + encodeURIComponent('query Linked { products { total } }');
    await open(link);
    await tab('Linked').waitFor();
    assert.deepEqual(await tabs(), [...had, 'Linked']);
    await write('.graphiql-query-editor', 'query Linked { edited: products { total } }');
    await keeps('edited');
    await tab('moka').click();
    await open(link); // what was made of it stays, and the link is there again
    assert.deepEqual(await tabs(), [...had, 'Linked', 'Linked']);
    await open(link);
    assert.deepEqual(await tabs(), [...had, 'Linked', 'Linked'], 'the same link again is the same tab');
    const text = (await page.locator(`${query} .view-lines`).textContent()).replace(/\s/g, '');
    assert.equal(text, 'queryLinked{products{total}}', 'the tab in front is not the link\'s');
    const sent = requests.slice(before).filter(r => r.method() === 'POST' && r.postData().includes('Linked'));
    assert.equal(sent.length, 0, 'the query of the link was sent');
  },
  async 'a link that is visited first leaves the queries of the project their tabs'() {
    await page.goto(origin + '/docs'); // GraphiQL, which keeps its tabs a moment late, has ended there
    await page.evaluate(() => localStorage.clear());
    await open(url + '?query=' + encodeURIComponent('query First($id: ID!) { product(id: $id) { name } }') + '&variables=' + encodeURIComponent('{"id": "p-apron"}'));
    assert.deepEqual(await tabs(), ['best', 'brewing', 'moka', 'orders', 'report', 'search', 'themes', 'First']);
    await run().click();
    await shows('{ "data": { "product": { "name": "Linen apron, indigo" } } }');
    await tab('brewing').click();
    await page.locator(`${query} .view-lines`, { hasText: 'Brewing' }).waitFor();
  },
  async 'a page that was left while a tab was changed comes back without a second tab of it'() {
    await keeps('"activeTabIndex":1'); // brewing was clicked: its query is kept as well by then
    await page.evaluate(() => {
      const key = Object.keys(localStorage).find(k => k.endsWith(':query'));
      localStorage.setItem(key.replace(/query$/, 'variables'), '{"id": "p-apron"}'); // those of First
    });
    await page.goto('about:blank');
    await open(url);
    assert.deepEqual(await tabs(), ['best', 'brewing', 'moka', 'orders', 'report', 'search', 'themes', 'First']);
  },
  async 'a picture of it'() {
    await tab('brewing').click();
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await run().click();
    await shows('Rossetti Duo');
    await page.screenshot({ path: screenshot });
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
  },
  async 'a project without queries begins with its own first door'() {
    await open(plain + '/graphql');
    assert.deepEqual(await tabs(), ['Books']);
    await run().click();
    await shows('"items": [ { "id": "a", "name": "A", "title": "One", "year": 1999 } ]');
  },
  async 'on a phone the query and its answer stand above each other, as wide as the screen'() {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(plain + '/graphql');
    await run().click();
    await shows('"title": "One"');
    const box = async name => await page.locator(name).first().boundingBox();
    const [asked, answered] = [await box('.graphiql-editors'), await box('.graphiql-response')];
    for (const b of [asked, answered]) assert.ok(b.width > 280 && b.height > 200, `a pane is ${b.width} by ${b.height}`);
    assert.ok(answered.y >= asked.y + asked.height - 1, 'the panes stand beside each other');
    await page.screenshot({ path: screenshot.replace('.png', '-phone.png') });
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = await box('.graphiql-plugin');
    assert.ok(docs.width > 280, `the documentation is ${docs.width} wide`);
    await page.getByRole('button', { name: 'Hide Documentation Explorer' }).click();
    await run().click(); // nothing lies in front of it
    await page.setViewportSize({ width: 1280, height: 800 });
  },
  async 'a subscription shows each event, until it is stopped'() {
    await page.getByRole('button', { name: 'New tab' }).click();
    await write(query, 'subscription Shelf { bookChanged { change book { title year } } }');
    await run().click();
    const stop = page.getByRole('button', { name: /Stop query/ });
    await stop.waitFor();
    const create = title => page.evaluate(title => fetch('/graphql', {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'mutation($t: String!) { createBook(input: {name: "n", title: $t, year: 2001}) { id } }', variables: { t: title } }),
    }).then(r => r.json()), title);
    for (let n = 0; n < 300 && !(await page.locator('.result-window').textContent()).includes('Arrived'); n++) {
      await create('Arrived'); // nothing tells when the stream has begun, which is with the next event
      await page.waitForTimeout(200);
    }
    await shows('{ "data": { "bookChanged": { "change": "CREATED", "book": { "title": "Arrived", "year": 2001 } } } }');
    await page.screenshot({ path: screenshot.replace('.png', '-subscription.png') });
    await create('Second');
    await shows('"title": "Second"');
    await stop.click();
    await run().waitFor();
  },
  async 'an audience has the same page at its own path, with its own queries and schema'() {
    await page.goto('about:blank'); // nothing of the page before is still on its way
    const before = requests.length;
    await open(origin + '/partner/graphql');
    const outside = requests.slice(before).map(r => r.url()).filter(u => !u.startsWith(origin + '/partner/') && !u.startsWith('data:'));
    assert.deepEqual(outside, [], 'the page leaves the path it stands at');
    // Named after their files, but for the one that has a name.
    assert.deepEqual(await tabs(), ['_1stPage', 'Named', 'short']);
    await tab('_1stPage').click();
    await page.getByRole('button', { name: 'Variables' }).click();
    await write('.graphiql-editor-tool .graphiql-editor:not(.hidden)', '{"n": 1}');
    await run().click();
    await shows('{ "data": { "products": { "items": [ { "id": "p-apron" } ] } } }');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.locator('.graphiql-doc-explorer-content', { hasText: 'ProductConnection' }).waitFor();
    const types = await page.locator('.graphiql-doc-explorer-content').textContent();
    assert.ok(!types.includes('Customer'), 'the documentation has what the audience is not shown');
  },
};

let failed = false;
for (const [what, step] of Object.entries(steps)) {
  try {
    await step();
    if (wrong.length) throw new Error(wrong.join('\n'));
    console.log('ok   ' + what);
  } catch (problem) {
    failed = true;
    console.log(`FAIL ${what}\n${problem.message}`);
    await page.screenshot({ path: screenshot });
    break; // each step stands where the one before left the page
  }
}
await context.close();
process.exit(failed ? 1 : 0);
