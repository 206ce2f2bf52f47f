// Draws the picture of README from a gateway over examples/shop, in Debian's Chromium: node pictures.mjs FROND FILE
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [frond, file] = process.argv.slice(2);
const shop = fileURLToPath(new URL('../../examples/shop', import.meta.url));
const gateway = spawn(frond, ['gateway', shop, '--listen', '127.0.0.1:0', '--store', 'memory'], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 180_000 });
let browser;
try {
  let url;
  for await (const line of createInterface({ input: gateway.stderr })) if ((url = /listening on (http:\S+)/.exec(line)?.[1])) break;
  if (!url) throw new Error('the gateway did not start');
  gateway.stderr.resume();
  const executablePath = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'], timeout: 120_000 });
  const page = await browser.newPage({ viewport: { width: 1180, height: 620 }, colorScheme: 'light' });
  page.setDefaultTimeout(120_000);
  await page.goto(url + '/graphql');
  await page.locator('.graphiql-tab-button', { hasText: 'moka' }).click();
  await page.getByRole('button', { name: /Prettify/ }).click();
  await page.getByLabel('Caller').selectOption({ label: 'ada, staff' });
  await page.getByRole('button', { name: /Execute query/ }).click();
  await page.locator('.result-window .view-lines', { hasText: 'CK-24112' }).waitFor();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  await page.screenshot({ path: file });
} finally {
  await browser?.close();
  gateway.kill();
  await once(gateway, 'exit');
}
