// Shows a private file in an <img> of a page of another origin, in Debian's Chromium:
//
//	node address.mjs GATEWAY PATH ADDRESS
//
// PATH is the file, which takes credentials, and ADDRESS is its address, which takes none.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

const [origin, path, address] = process.argv.slice(2);
const site = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(`<img id="address" src="${origin + address}"><img id="path" src="${origin + path}">`));
await new Promise(done => { site.listen(0, '127.0.0.1', done); });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ['--no-sandbox', '--disable-gpu'], timeout: 120_000 });
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${site.address().port}/`);
const widths = await page.evaluate(async () => {
  await Promise.all([...document.images].map(image => image.complete || new Promise(done => { image.onload = image.onerror = done; })));
  return Object.fromEntries([...document.images].map(image => [image.id, image.naturalWidth]));
});
assert.deepEqual(widths, { address: 1, path: 0 });
await browser.close();
site.close();
console.log('ok   the file is shown');
