// Drives examples/web as somebody at a keyboard does, in Debian's Chromium:
//
//	node web.mjs PAGE PROFILE GATEWAY
//
// PAGE is the built page, GATEWAY serves examples/shop and announces changes of products. It
// leaves with 1 and says what it expected where the page does anything else.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [origin, profile, gateway] = process.argv.slice(2);
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  timeout: 120_000,
});
context.setDefaultTimeout(180_000);
const wrong = [];
context.on('console', m => {
  if (m.text().startsWith('Failed to load resource')) return; // a refusal, which the page shows
  if (['error', 'warning'].includes(m.type())) wrong.push(`${m.type()} on the browser's console: ${m.text()}`);
});
context.on('weberror', e => wrong.push(`a script failed: ${e.error()}`));
await context.addInitScript(() => {
  addEventListener('securitypolicyviolation', e => console.error(`the policy refuses ${e.violatedDirective} ${e.blockedURI}`));
});

const page = context.pages()[0] ?? (await context.newPage());
const step = async (name, run) => {
  await run();
  console.log(`ok   ${name}`);
};
const until = async (what, get, want) => {
  for (let i = 0; ; i++) {
    const is = await get();
    if (want(is)) return is;
    if (i === 3600) assert.fail(`${what}: ${JSON.stringify(is)}`);
    await new Promise(done => setTimeout(done, 100));
  }
};
const products = page.getByRole('region', { name: 'Products' });
const names = () => products.locator('tbody tr td:nth-child(2)').allTextContents();
const form = page.getByRole('region', { name: 'New product' });
const field = name => form.getByRole('textbox', { name });
const staff = { 'x-frond-user': '{"id":"eva","roles":["staff"]}', 'content-type': 'application/json' };

try {
  await step('the list shows a page', async () => {
    await page.goto(origin);
    await until('ten rows', names, list => list.length === 10);
  });
  await step('more adds a page', async () => {
    await products.getByRole('button', { name: 'More' }).click();
    await until('twenty rows', names, list => list.length > 10 && new Set(list).size === list.length);
  });
  await step('the filter is followed', async () => {
    await products.getByRole('searchbox', { name: 'Name' }).fill('espresso');
    await until('espresso alone', names, list => list.length > 0 && list.every(name => /espresso/i.test(name)));
    await products.getByRole('combobox', { name: 'Order' }).selectOption('-price');
    const prices = await until('by price', () => products.locator('tbody tr td:nth-child(3)').allTextContents(), list => list.map(Number).every((n, i, all) => i === 0 || n <= all[i - 1]));
    assert.ok(prices.length > 1);
  });
  await step('the form is judged as one types', async () => {
    await field('Article number').fill('x');
    await form.getByText('must match the pattern ^[A-Za-z]{3}-[0-9]{4}$').waitFor();
    await field('Article number').fill('WEB-0001');
    assert.equal(await form.locator('.refusal').count(), 0);
    await field('Price in cents').fill('0');
    await form.getByText('must be at least 1').waitFor();
    assert.equal(await field('Price in cents').getAttribute('aria-invalid'), 'true');
  });
  await step('what is missing is said before anything is sent', async () => {
    await form.getByRole('button', { name: 'Create' }).click();
    await form.locator('#name-refusal').getByText('must have at least 2 characters').waitFor();
  });
  await step('a product is made, and the list has it', async () => {
    await field('Title').fill('Espresso cup of the web');
    await field('Price in cents').fill('1900');
    await field('Weight in kilograms').fill('0.250');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByRole('status').getByText('Espresso cup of the web is in the shop.').waitFor();
    await until('the new row', names, list => list.includes('Espresso cup of the web'));
  });
  await step('a refusal of the host stands at its field', async () => {
    await field('Article number').fill('WEB-0001');
    await field('Title').fill('Another espresso cup');
    await field('Price in cents').fill('2000');
    await form.getByRole('button', { name: 'Create' }).click();
    await form.locator('#sku-refusal').waitFor();
    assert.equal(await field('Article number').getAttribute('aria-invalid'), 'true');
    assert.equal(await field('Title').getAttribute('aria-invalid'), 'false');
  });
  await step('stock changes as it is sold', async () => {
    const stock = () => products.locator('tr', { hasText: 'WEB-0001' }).locator('td:nth-child(4)').textContent();
    assert.equal(await stock(), '0');
    const list = await (await fetch(gateway + '/api/catalog/products?filter[sku]=WEB-0001', { headers: staff })).json();
    // More than once: the stream of a page that has just been opened may begin later.
    for (const n of [5, 7]) {
      const response = await fetch(gateway + '/api/catalog/products/' + list.items[0].id, { method: 'PATCH', headers: staff, body: JSON.stringify({ stock: n }) });
      assert.equal(response.status, 200);
      await until(`a stock of ${n}`, stock, text => text === String(n));
    }
  });
  await step('a worker judges what is imported', async () => {
    const box = page.getByRole('region', { name: 'Import' });
    await box.getByRole('textbox').fill('{"sku":"IMP-0001","name":"Cup","price":5,"weight":null,"categoryId":"c-espresso","supplierId":null}\n{"sku":"IMP-0002","nam":"Cup"}');
    await box.getByRole('textbox').blur();
    await box.getByRole('status').getByText('row 2: nam is not part of the card; leave it out').waitFor();
  });
  assert.deepEqual(wrong, []);
} catch (err) {
  console.log(err, wrong, await page.content());
  process.exitCode = 1;
} finally {
  await context.close();
}
