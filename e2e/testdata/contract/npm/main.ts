import { createClient, KitError, type Book, type BookInput, type BookPatch, type Page } from '@shop/press';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const client = createClient({ url: process.argv[2]!, headers: () => ({ 'x-frond-user': '{"id":"ada"}' }) });
const show = (what: string, value: unknown) => console.log(what, JSON.stringify(value));

const page: Page<Book> = await client.book.list({ sort: 'id', limit: 2, filter: { pages: { gte: 1 } } });
show('list', [page.items.length, page.total > 0, typeof page.endCursor]);

const input: BookInput = { title: 'Elm', author: page.items[0]!.author, price: '12.50', pages: 12, bound: null, language: 'de-DE' };
const made = await client.book.create(input);
show('made', [made.title, made.price, made.bound, made.language, made.printedAt, made.spine]);
const patch: BookPatch = { bound: true, colophon: { typeface: 'Bodoni' } };
const changed = await client.book.update(made.id, patch);
show('patched', [changed.bound, changed.colophon?.typeface, changed.title]);
const held = (await client.book.findById(made.id, { fields: ['*', 'etag'] }))!;
const moved = await client.book.update(made.id, { bound: false }, { ifMatch: held.etag!, fields: ['id', 'etag'] });
show('held', [held.title, moved.id === made.id, 'title' in moved ? moved['title'] : null, moved.etag !== held.etag]);
const refusal = (err: KitError) => err.code;
show('stale', await client.book.update(made.id, { bound: true }, { ifMatch: held.etag! }).catch(refusal));
show('kept', await client.book.delete(made.id, { ifMatch: [held.etag!] }).catch(refusal));
const unread: { etag?: string } = {};
show('unfilled', await client.book.delete(made.id, { ifMatch: unread.etag! }).catch(refusal));
const bound = await client.book.update(made.id, { bound: true }, { where: { bound: { eq: false }, title: { startsWith: 'E' } } });
show('where', [bound.bound, await client.book.update(made.id, { bound: false }, { where: { bound: { eq: false } } }).catch(refusal)]);
const unset: { filter?: { bound: { eq: boolean } } } = {};
show('unset', await client.book.delete(made.id, { where: unset.filter! }).catch(refusal));
// @ts-expect-error a creation holds no row to a version
void (() => client.book.create(input, { ifMatch: 'x' }));
show('none', await client.book.findById('nobody'));
show('both', (await client.book.findByIds([made.id, 'nobody'])).length);
show('reprint', (await client.book.reprint({ id: made.id, copies: 7, paper: null })).copies);
show('shelve', await client.book.shelve({ shelf: 'A', row: null }));
show('check', await client.desk.check());
try {
  await client.book.create({ ...input, title: '' });
} catch (err) {
  if (!(err instanceof KitError)) throw err;
  show('refused', [err.code, err.entity, err.operation, err.details]);
}
show('delete', [await client.book.delete(made.id), await client.book.delete(made.id)]);
const away = createClient('http://127.0.0.1:1');
show('away', await away.desk.check().catch((err: KitError) => err.code));
const bundle = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('@shop/press/bundle.json'), 'utf8'));
show('bundle', Object.keys(bundle.$defs));

// What the compiler has to refuse.
// @ts-expect-error a field that is required is missing
const missing: BookInput = { title: 'Elm' };
// @ts-expect-error null is not left out, and a name is no null
const nothing: BookPatch = { title: null };
// @ts-expect-error no such word
const word: BookPatch = { language: 'it-IT' };
// @ts-expect-error nobody outside writes copies
const closed: BookPatch = { copies: 3 };
void [missing, nothing, word, closed];
