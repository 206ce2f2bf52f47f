// Drives the page at /docs as somebody who calls the API does, in Debian's Chromium:
//
//	node docs.mjs GATEWAY SCREENSHOT
//
// GATEWAY serves examples/shop in development. It leaves with 1 and says what it expected where
// the page does anything else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [origin, screenshot] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu'], timeout: 120_000 });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(+(process.env.PATIENCE ?? 180_000));
const wrong = [];
page.on('request', r => { if (new URL(r.url()).origin !== origin) wrong.push(`a request to ${r.url()}`); });
page.on('pageerror', e => wrong.push(`a script failed: ${e}`));
page.on('console', m => { if (m.type() === 'error' && !m.text().startsWith('Failed to load resource')) wrong.push(m.text()); });
const done = what => console.log('ok  ', what);
// The page shows the status of a response before its body.
const response = async () => {
  const shown = page.getByLabel('Response', { exact: true }).filter({ hasText: /\S/ });
  await shown.waitFor();
  return JSON.parse(await shown.textContent());
};


await page.goto(origin + '/docs');
await page.getByRole('link', { name: 'openapi.json' }).waitFor();
for (const title of ['Signing in', 'Who may do what', 'Paging, sorting and filters', 'Errors', 'Events', 'GraphQL']) await page.getByRole('heading', { name: title, exact: true }).waitFor();
done('the start page');

const list = page.getByRole('navigation', { name: 'Operations' });
const search = page.getByRole('searchbox', { name: 'Search' });
const all = await list.getByRole('link').count();
await search.fill('order create');
assert.ok(await list.getByRole('link').count() < all / 5, 'a search leaves few operations');
await search.fill('no such words');
await page.getByText('Nothing has these words.').waitFor();
await search.fill('postalcode');
await list.getByRole('link', { name: 'Create order postalCode' }).waitFor();
assert.equal(await list.getByRole('link', { name: 'product', exact: false }).count(), 0, 'products have no postal code');
await search.fill('precondition_failed');
await list.getByRole('link', { name: 'Update order PRECONDITION_FAILED' }).waitFor();
assert.equal(await list.getByRole('link', { name: 'Create order' }).count(), 0, 'creating an order has no precondition');
done('operations are found by words, by fields and by codes');

const rights = page.locator('.rights');
const row = name => rights.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
assert.match(await row('Create category').textContent(), /sign in$/);
assert.match(await row('List products').textContent(), /yes, where status is not draft$/);
await page.getByText('Caller', { exact: true }).click();
await page.getByLabel('User', { exact: true }).selectOption('ada, staff');
await page.getByRole('columnheader', { name: 'The caller above' }).waitFor();
assert.match(await row('Create category').textContent(), /sign inyes$/);
await page.getByLabel('User', { exact: true }).selectOption('nobody');
done('the rights of a caller');

await search.fill('create category');
await list.getByRole('link', { name: 'POST Create category' }).click();
await page.getByRole('heading', { name: 'Create category' }).waitFor();
const send = page.getByRole('button', { name: 'Send', exact: true });
let sent = 0;
page.on('request', r => { if (r.method() === 'POST') sent++; });
const field = name => page.locator('.form').getByLabel(name, { exact: false });
await field('name').fill('From the page');
await field('slug').fill('Not a slug');
await field('position').fill('1000');
await send.click();
await page.getByText('Not sent: 2 faults.').waitFor();
await page.getByText('must match the pattern').waitFor();
await page.getByText('must be at most 999').waitFor();
assert.equal(await page.evaluate(() => document.activeElement.id), 'body/slug', 'the first field with a fault has the focus');
assert.equal(sent, 0, 'nothing was sent');
await field('slug').fill('from-the-page');
await field('position').fill('7');
await field('parentId').locator('xpath=..').getByRole('checkbox').check();
done('the form judges before it sends');

await send.click();
await page.getByText('401 Unauthorized').waitFor();
await page.getByLabel('User', { exact: true }).selectOption('ada, staff');
assert.match(await page.getByLabel('curl sample', { exact: true }).textContent(), /x-frond-user: \{"id":"ada"/);
await send.click();
await page.getByText('201 Created').waitFor();
const { id, position, parentId } = await response();
assert.deepEqual([position, parentId], [7, null]);
await send.click();
await page.getByText('409 Conflict').waitFor();
done('staff creates a row over REST');

await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
await page.getByRole('button', { name: 'Copy curl sample' }).click();
assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.getByLabel('curl sample', { exact: true }).textContent());
await page.getByText('Copied', { exact: true }).waitFor();
done('a sample is copied');

const folder = mkdtempSync(join(tmpdir(), 'frond-samples-'));
const sample = async (language, file) => {
  await page.getByRole('tab', { name: language, exact: true }).click();
  writeFileSync(join(folder, file), await page.getByLabel(language + ' sample', { exact: true }).textContent());
  return join(folder, file);
};
await field('slug').fill('by-curl');
assert.equal(JSON.parse(execFileSync('sh', [await sample('curl', 'create.sh')], { stdio: ['ignore', 'pipe', 'ignore'] })).slug, 'by-curl');
await field('slug').fill('by-typescript');
assert.match(execFileSync('node', [await sample('TypeScript', 'create.mjs')], { encoding: 'utf8' }), /slug: 'by-typescript'/);
await field('slug').fill('by-go');
assert.equal(JSON.parse(execFileSync('go', ['run', await sample('Go', 'create.go')])).slug, 'by-go');
await page.getByRole('tab', { name: 'GraphQL', exact: true }).last().click();
const shown = await page.getByLabel('GraphQL sample', { exact: true }).textContent();
assert.match(shown, /mutation CreateCategory\(\$input: CreateCategoryInput!\)/);
assert.match(shown, /# .*"slug": "by-go"/);
rmSync(folder, { recursive: true });
done('the samples run');

await page.getByRole('tablist', { name: 'Surface' }).getByRole('tab', { name: 'GraphQL' }).click();
await page.getByLabel('Variables').fill(JSON.stringify({ input: { name: 'By GraphQL', slug: 'by-graphql', parentId: null } }));
await send.click();
await page.getByText('200 OK').waitFor();
assert.equal((await response()).data.createCategory.slug, 'by-graphql');
done('GraphQL is tried');

await search.fill('find category by id');
await list.getByRole('link', { name: 'GET Get category by id', exact: true }).click();
await page.getByRole('tab', { name: 'JSON-RPC' }).click();
await page.getByLabel('Body').fill(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'category.findById', params: { params: { id } } }));
await send.click();
await page.getByText('From the page').waitFor();
done('the row is read over JSON-RPC');

await page.goto(origin + '/docs#order.create');
await page.reload();
await page.getByRole('heading', { name: 'Create order' }).waitFor();
const format = page.locator('main > div[role=tabpanel] > table').first();
for (const text of ['at least 6 characters', 'pattern ^[A-Z]{2}$', 'default 490', 'default "open"', 'postalCode']) assert.ok((await format.textContent()).includes(text), `the fields say ${text}`);
assert.match(await page.locator('table.errors').textContent(), /409CONFLICT/);
await page.getByText('list of OrderLinesUpdate').first().waitFor();
await page.screenshot({ path: screenshot });
assert.equal(await page.locator('[id="body/lines/delete"]').getAttribute('placeholder'), 'JSON, such as ["…"]');
done('an address leads to an operation with its rules and errors');

const lines = page.locator('[id="body/lines/create"]');
const line = (i, name) => page.locator(`[id="body/lines/create/${i}/${name}"]`);
const body = async () => JSON.parse((await page.getByLabel('curl sample', { exact: true }).textContent()).match(/-d '([^]*)'$/)[1]);
await page.getByRole('tab', { name: 'curl', exact: true }).click();
assert.equal((await body()).lines, undefined, 'a list without rows is left out');
for (const [i, product] of ['p-moka-3', 'p-tamper', 'p-tamper'].entries()) {
  await lines.getByRole('button', { name: 'Add', exact: true }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), `body/lines/create/${i}/id`, 'a new row has the focus');
  await line(i, 'productId').fill(product);
  await line(i, 'unitPrice').fill(String(100 * i));
}
await line(1, 'quantity').fill('many');
await lines.getByRole('button', { name: 'Remove 1' }).click();
assert.deepEqual((await body()).lines, { create: [{ productId: 'p-tamper', unitPrice: 100, quantity: 'many' }, { productId: 'p-tamper', unitPrice: 200 }] }, 'a row goes, the others stay');
await line(1, 'unitPrice').fill('-1');
await page.getByRole('button', { name: 'Edit as JSON' }).click();
await page.getByRole('button', { name: 'Edit as form' }).click();
await send.click();
await page.locator('[id="body/lines/create/0/quantity-fault"]').getByText('must be an integer').waitFor();
await page.locator('[id="body/lines/create/1/unitPrice-fault"]').getByText('must be at least 0').waitFor();
await lines.scrollIntoViewIfNeeded();
await page.screenshot({ path: screenshot.replace('.png', '-rows.png') });
await page.goto(origin + '/docs#category.create');
await page.getByRole('heading', { name: 'Create category' }).waitFor();
await page.locator('[id="body/name"]').fill('One of two');
await page.getByRole('button', { name: 'Several rows' }).click();
await page.getByRole('button', { name: 'Add', exact: true }).click();
for (const i of [0, 1]) {
  await page.locator(`[id="body/${i}/name"]`).fill(`Row ${i}`);
  await page.locator(`[id="body/${i}/slug"]`).fill(i ? 'No slug' : 'one-of-two');
  await page.locator(`[id="body/${i}/parentId"]`).locator('xpath=..').getByRole('checkbox').check();
}
await send.click();
await page.locator('[id="body/1/slug-fault"]').getByText('must match the pattern').waitFor();
await page.locator('[id="body/1/slug"]').fill('two-of-two');
await page.getByText('Caller', { exact: true }).click();
await page.getByLabel('User', { exact: true }).selectOption('ada, staff');
await send.click();
await page.getByText('201 Created').waitFor();
assert.deepEqual((await response()).items.map(each => each.slug), ['one-of-two', 'two-of-two']);
await page.reload(); // without the caller
await page.getByRole('heading', { name: 'Create category' }).waitFor();
done('lists of rows have a group of fields for each');

await page.setViewportSize({ width: 390, height: 800 });
assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it fits a phone');
await search.focus();
await page.keyboard.type('list suppliers');
await page.keyboard.press('Tab'); // Caller
await page.keyboard.press('Tab');
await page.keyboard.press('Enter');
await page.getByRole('heading', { name: 'List suppliers' }).waitFor();
await page.keyboard.press('Tab'); // REST
await page.keyboard.press('ArrowRight');
assert.equal(await page.getByRole('tab', { name: 'JSON-RPC' }).getAttribute('aria-selected'), 'true', 'arrows lead from tab to tab');
await page.keyboard.press('Tab'); // into the panel, past the other tabs
assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Body');
done('the keyboard is enough, on a narrow screen too');

await page.setViewportSize({ width: 1280, height: 900 });
const pictures = mkdtempSync(join(tmpdir(), 'frond-pictures-'));
writeFileSync(join(pictures, 'red dot.png'), Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64'));
const opened = async (id, title) => {
  await page.goto(origin + '/docs#' + id);
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
};
const printed = async (language, file, run) => {
  await page.getByRole('tab', { name: language, exact: true }).click();
  writeFileSync(join(pictures, file), await page.getByLabel(language + ' sample', { exact: true }).textContent());
  return execFileSync(run[0], [...run.slice(1), file], { cwd: pictures, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
};
await page.reload();
await opened('product.create', 'Create product');
await page.getByText('Caller', { exact: true }).click();
await page.getByLabel('User', { exact: true }).selectOption('ada, staff');
await opened('category.list', 'List categories'); // the caller of the samples has another key
await opened('product.create', 'Create product');
await page.getByRole('tablist', { name: 'Surface' }).getByRole('tab', { name: 'REST' }).click();
await page.locator('[id="body/image"]').setInputFiles(join(pictures, 'red dot.png'));
await page.locator('[id="body/sku"]').fill('pIc-0001');
await send.click();
await page.getByText('201 Created').waitFor();
const made = await response();
assert.ok(made.image, 'the row has the picture');
for (const [i, [language, file, ...run]] of [['curl', 'create.sh', 'sh'], ['TypeScript', 'create.mjs', 'node'], ['Go', 'create.go', 'go', 'run']].entries()) {
  await page.locator('[id="body/sku"]').fill('pIc-000' + (i + 2));
  assert.match(await printed(language, file, run), /image"?: ?['"]\w/, 'the picture of the ' + language + ' sample');
}
await opened('product.image.put', 'Replace the file image of product');
await page.getByLabel('id', { exact: false }).last().fill(made.id);
await page.getByLabel('File', { exact: true }).setInputFiles(join(pictures, 'red dot.png'));
for (const [language, file, ...run] of [['curl', 'put.sh', 'sh'], ['TypeScript', 'put.mjs', 'node'], ['Go', 'put.go', 'go', 'run']]) {
  assert.match(await printed(language, file, run), /type"?: ?['"]image.png/, language);
}
rmSync(pictures, { recursive: true });
done('files are picked, and sent by the samples, too');

await opened('product.findById', 'Get product by id');
await send.click();
await page.getByText('200 OK').waitFor();
await page.getByRole('tablist', { name: 'Surface' }).getByRole('tab', { name: 'GraphQL' }).click();
assert.match(await page.getByLabel('Document').inputValue(), /^query /);
await send.click();
await page.getByText('200 OK').waitFor();
assert.ok((await response()).data.product.id, 'a row that is there');
for (const [id, title] of [['product.upsert', 'Create or update product'], ['product.createMany', 'Create several products'], ['product.updateMany', 'Update several products'], ['product.deleteMany', 'Delete several products']]) {
  await opened(id, title);
  if (id === 'product.createMany' || id === 'product.upsert') await page.getByLabel('Variables').fill((await page.getByLabel('Variables').inputValue()).replace(/"sku": "[^"]*"/, `"sku": "${id.slice(8, 11)}-1234"`));
  await send.click();
  await page.getByText('200 OK').waitFor();
  assert.equal((await response()).errors, undefined, id);
}
await page.getByRole('tablist', { name: 'Surface' }).getByRole('tab', { name: 'REST' }).click();
await opened('product.findByIds', 'Get products by ids');
await send.click();
await page.getByText('200 OK').waitFor();
done('the examples name rows that are there');

await page.goto(origin + '/docs#/documents');
const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'schema.graphql' }).click()]);
assert.equal(download.suggestedFilename(), 'schema.graphql');
done('the GraphQL schema is downloaded');

for (const colorScheme of ['light', 'dark']) {
  const plain = await (await browser.newContext({ colorScheme, javaScriptEnabled: false, viewport: { width: 390, height: 800 } })).newPage();
  await plain.goto(origin);
  const sales = plain.getByRole('table', { name: 'sales' });
  assert.equal(await sales.getByRole('row').count(), 4);
  assert.equal(await sales.getByText('after signing in').count(), 3);
  await plain.getByRole('row', { name: 'category' }).getByRole('link', { name: /^4\d$/ }).waitFor();
  await plain.screenshot({ path: screenshot.replace('docs.png', `start-${colorScheme}.png`), fullPage: true });
  assert.equal((await plain.locator('body').boundingBox()).width <= 390, true);
  await plain.getByRole('link', { name: 'category' }).click();
  assert.equal(new URL(plain.url()).hash, '#category.list');
}
done('the start page works without JavaScript, on a narrow screen too');

await browser.close();
assert.deepEqual(wrong, []);
