// Drives the page at /docs as somebody who calls the API does, in Debian's Chromium:
//
//	node docs.mjs GATEWAY SCREENSHOT
//
// GATEWAY serves examples/shop in development. It leaves with 1 and says what it expected where
// the page does anything else.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [origin, screenshot] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu'], timeout: 120_000 });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.setDefaultTimeout(90_000);
const wrong = [];
page.on('request', r => { if (new URL(r.url()).origin !== origin) wrong.push(`a request to ${r.url()}`); });
page.on('pageerror', e => wrong.push(`a script failed: ${e}`));
page.on('console', m => { if (m.type() === 'error' && !m.text().startsWith('Failed to load resource')) wrong.push(m.text()); });
const done = what => console.log('ok  ', what);

await page.goto(origin + '/docs');
await page.getByText('openapi.json').waitFor();
done('the page opens');

const list = page.getByRole('navigation', { name: 'Operations' });
const all = await list.getByRole('link').count();
await page.getByRole('searchbox', { name: 'Search' }).fill('order create');
assert.ok(await list.getByRole('link').count() < all / 5, 'a search leaves few operations');
await page.getByRole('searchbox', { name: 'Search' }).fill('no such words');
await page.getByText('Nothing has these words.').waitFor();
done('operations are found by words');

await page.getByRole('searchbox', { name: 'Search' }).fill('category create');
await list.getByRole('link', { name: 'POST create' }).click();
await page.getByRole('heading', { name: 'Create category' }).waitFor();
const send = page.getByRole('button', { name: 'Send' });
await send.click();
await page.getByText('401 Unauthorized').waitFor();
done('a stranger is refused');

await page.getByText('Caller').click();
await page.getByLabel('X-Frond-User, in development').fill('{"id":"ada","roles":["staff"]}');
const body = JSON.parse(await page.getByLabel('Body').inputValue());
assert.ok(body.name, 'the body begins with an example');
await page.getByLabel('Body').fill(JSON.stringify({ name: 'From the page', slug: 'from-the-page', position: 7, parentId: null }));
assert.match(await page.getByLabel('curl').textContent(), /x-frond-user: \{"id":"ada"/);
await send.click();
await page.getByText('201 Created').waitFor();
const id = JSON.parse(await page.getByLabel('Answer').textContent()).id;
done('staff creates a row over REST');

await page.getByRole('searchbox', { name: 'Search' }).fill('category findById');
await list.getByRole('link', { name: 'GET findById', exact: true }).click();
await page.getByRole('tab', { name: 'JSON-RPC' }).click();
await page.getByLabel('Body').fill(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'category.findById', params: { params: { id } } }));
await send.click();
await page.getByText('From the page').waitFor();
done('the row is read over JSON-RPC');

await page.goto(origin + '/docs#order.list');
await page.reload();
await page.getByRole('heading', { name: 'A page of orders' }).waitFor();
await page.screenshot({ path: screenshot });
done('an address leads to an operation');

await page.setViewportSize({ width: 390, height: 800 });
assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'it fits a phone');
await page.getByRole('searchbox', { name: 'Search' }).focus();
await page.keyboard.type('supplier list');
await page.keyboard.press('Tab'); // Caller
await page.keyboard.press('Tab');
await page.keyboard.press('Enter');
await page.getByRole('heading', { name: 'A page of suppliers' }).waitFor();
await page.keyboard.press('Tab'); // REST
await page.keyboard.press('ArrowRight');
assert.equal(await page.getByRole('tab', { name: 'JSON-RPC' }).getAttribute('aria-selected'), 'true', 'arrows lead from tab to tab');
await page.keyboard.press('Tab'); // into the panel, past the other tab
assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Body');
done('the keyboard is enough, on a narrow screen too');

await browser.close();
assert.deepEqual(wrong, []);
