// Follows changes in Debian's Chromium, over HTTP/1.1, in one tab and in several:
//
//	node streams.mjs PROFILE GATEWAY CLIENT
//
// GATEWAY serves examples/shop and announces changes of products; CLIENT is the bundled client of
// its catalog. Between both is a proxy that can fall silent. It leaves with 1 and says what it
// expected where something else happens.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { chromium } from 'playwright-core';

const [profile, gateway, client] = process.argv.slice(2);
const streams = new Set(); // open requests for streams
const callers = new Set();
let silent = false;
const proxy = http.createServer((req, res) => {
  if (req.url === '/page') return res.end('<!doctype html><title>page</title>');
  if (req.url === '/client.js') return res.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(client));
  const { headers, method } = req;
  const stream = req.url === '/_kit/stream';
  const onwards = http.request(gateway + req.url, { headers, method }, answer => {
    res.writeHead(answer.statusCode, answer.headers);
    answer.on('data', chunk => stream && silent && streams.has(res) ? (res.silent = true) : res.silent || res.write(chunk)).on('end', () => res.silent || res.end());
  });
  onwards.on('error', () => res.destroy());
  res.on('close', () => (streams.delete(res), onwards.destroy()));
  if (stream) streams.add(res), callers.add(headers['x-frond-user']);
  req.pipe(onwards);
});
await new Promise(done => proxy.listen(0, '127.0.0.1', done));
const origin = 'http://127.0.0.1:' + proxy.address().port;

const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM,
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  timeout: 120_000,
});
context.setDefaultTimeout(180_000);
// What takes three heartbeats takes four seconds and a half.
await context.addInitScript(() => {
  const { setTimeout } = window;
  window.setTimeout = (run, ms) => setTimeout(run, ms > 20_000 ? ms / 10 : ms);
});

const staff = { 'x-frond-user': '{"id":"eva","roles":["staff"]}', 'content-type': 'application/json' };
let n = 0;
const write = async times => {
  for (let i = 0; i < times; i++) {
    const answer = await fetch(gateway + '/api/catalog/products/p-moka-3', { method: 'PATCH', headers: staff, body: JSON.stringify({ stock: ++n }) });
    assert.equal(answer.status, 200);
  }
};
const until = async (what, get, want) => {
  for (let i = 0; ; i++) {
    const is = await get();
    if (want(is)) return is;
    if (i === 3600) assert.fail(`${what}: ${JSON.stringify(is)}`);
    await new Promise(done => setTimeout(done, 50));
  }
};
/** Opens a tab that follows the product in so many lists, as a caller. */
const tab = async (lists, user) => {
  const page = await context.newPage();
  await page.goto(origin + '/page');
  await page.evaluate(async ([lists, user]) => {
    const { connect } = await import('/client.js');
    window.client = connect({ url: '', transport: 'rest', headers: { 'x-frond-user': user } });
    const { position } = await client.product.list({ limit: 1 });
    window.got = [];
    for (let i = 0; i < lists; i++) {
      const stocks = (got[i] = []);
      (async () => {
        for await (const { data } of client.product.changes({ after: position, fields: ['id', 'stock'] })) stocks.push(data.stock);
      })().catch(err => stocks.push(err.code + ' ' + err.message));
    }
  }, [lists, JSON.stringify({ id: user, roles: ['staff'] })]);
  return page;
};
const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
/** Each list of a tab has seen each number once, in order. */
const saw = async (page, from) => {
  const got = await until(`the numbers from ${from} to ${n}`, () => page.evaluate(() => window.got), all => all.every(list => list.at(-1) === n || typeof list.at(-1) === 'string'));
  for (const list of got) assert.deepEqual(list, numbers(from, n));
};
const step = async (name, run) => {
  await run();
  console.log(`ok   ${name}`);
};

try {
  let first;
  await step('eight lists leave room for other requests', async () => {
    first = await tab(8, 'eva');
    await write(3);
    await saw(first, 1);
    assert.equal(await first.evaluate(async () => (await client.product.list({ limit: 2 })).items.length), 2);
    await until('the connections', () => streams.size, size => size === 1); // a busy machine may lose one for a moment
  });
  await step('a silent connection is left, and nothing is lost or twice', async () => {
    const [old] = streams;
    silent = true;
    await write(5);
    await until('the silent connection is left', () => streams.has(old), open => !open);
    silent = false;
    await write(2);
    await saw(first, 1);
  });
  await step('a broken connection is resumed', async () => {
    for (let i = 0; i < 3; i++) {
      for (const one of streams) one.destroy();
      await write(4);
    }
    await saw(first, 1);
  });
  const from = n + 1;
  let second, third;
  await step('tabs of one caller have one connection', async () => {
    second = await tab(3, 'eva');
    third = await tab(3, 'eva');
    await write(5);
    for (const [page, since] of [[first, 1], [second, from], [third, from]]) await saw(page, since);
    await until('the connections', () => streams.size, size => size === 1);
  });
  await step('another caller has another connection', async () => {
    const since = n + 1;
    const other = await tab(1, 'ada');
    await write(2);
    await saw(other, since);
    await until('the connections', () => streams.size, size => size === 2);
    assert.equal(callers.size, 2);
    await other.close();
    await until('its connection ends', () => streams.size, size => size === 1);
  });
  await step('another tab takes the place of the one that closes', async () => {
    const writing = write(20);
    await first.close();
    await writing;
    await saw(second, from);
    await second.close();
    await write(5);
    await saw(third, from);
    await until('the connections', () => streams.size, size => size === 1);
  });
  await step('a page of another origin sends files and reads them', async () => {
    const page = await context.newPage();
    await page.goto(origin + '/page');
    const got = await page.evaluate(async url => {
      const { connect } = await import('/client.js');
      const headers = { 'x-frond-user': '{"id":"eva","roles":["staff"]}' };
      const { product } = connect({ url, headers });
      const picture = async (width, height, name) => {
        const canvas = new OffscreenCanvas(width, height);
        canvas.getContext('2d').fillRect(0, 0, width, 9);
        return new File([await canvas.convertToBlob()], name, { type: 'image/png' });
      };
      const hash = async bytes => Array.from(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)), byte => byte.toString(16).padStart(2, '0')).join('');
      const file = await picture(600, 300, "ä '1'.png");
      const sent = await product.upload('image', file);
      await product.update('p-moka-3', { image: sent.id });
      const read = (query, more) => fetch(url + '/api/catalog/products/p-moka-3/image' + query, { headers: { ...headers, ...more } });
      const [whole, part, thumb] = [await read(''), await read('', { range: 'bytes=1-3' }), await read('?size=thumb')];
      const { width, height } = await createImageBitmap(await thumb.blob());
      const set = await product.setFile('p-moka-3', 'image', await picture(9, 9, 'b.png'));
      const shown = (await product.findById('p-moka-3')).image === set.id;
      await product.deleteFile('p-moka-3', 'image');
      let [rows, bytes] = [0, 0];
      for await (const row of product.export({ fields: ['id'] })) rows += row.id ? 1 : 0;
      for await (const chunk of product.export({ format: 'csv', limit: 1, fields: ['id'], sort: 'id' })) bytes += chunk.length;
      return {
        name: sent.name, whole: sent.sha256 === (await hash(await file.arrayBuffer())) && sent.sha256 === (await hash(await whole.arrayBuffer())),
        tag: whole.headers.get('etag') === `"${sent.sha256}"`, disposition: whole.headers.get('content-disposition')?.includes("filename*=utf-8''"),
        part: [part.status, await part.text(), part.headers.get('content-range')?.startsWith('bytes 1-3/')], thumb: [width, height], shown,
        left: (await product.findById('p-moka-3')).image, refused: await product.setFile('p-moka-3', 'image', new Blob(['x'], { type: 'text/plain' })).catch(err => err.code),
        rows: rows === (await product.list({ limit: 0 })).total, bytes,
      };
    }, gateway);
    assert.deepEqual(got, { name: "ä '1'.png", whole: true, tag: true, disposition: true, part: [206, 'PNG', true], thumb: [200, 100], shown: true, left: null, refused: 'VALIDATION_FAILED', rows: true, bytes: 'id\r\np-apron\r\n'.length });
  });
} catch (err) {
  console.log(err);
  process.exitCode = 1;
} finally {
  await context.close();
  proxy.closeAllConnections();
  proxy.close();
}
