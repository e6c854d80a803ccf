/** The search of the documents: what is found first, and how the page, the box and the suggestions show it. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { createAddressLimit } from '../../src/server/address-limit.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { createSite, NO_LIMITS, type SiteScene, textOf } from './site-scene.js';

const docs = readDocs();
let site: SiteScene;
beforeAll(async () => {
  site = createSite(await openFixture({ LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]] }), { docs });
});

const search = (query: string) => site.get(`/docs/search?q=${encodeURIComponent(query)}`);

test.each([
  // Callers
  ['burst', 'errors-and-limits#burst'],
  ['429', 'errors-and-limits#429'],
  ['401', 'errors-and-limits#401'],
  ['nearby radius', 'reference#nearby-radiuskm'],
  ['radiusKm', 'reference#nearby-radiuskm'],
  ['x-api-key', 'reference#requests'],
  ['service_quota_exceeded', 'reference#answer-toomanyrequests'],
  ['POSTCODE_NOT_FOUND', 'reference#findpostcode'],
  ['how do I get an API key?', 'errors-and-limits#api-keys'],
  ['rate limits', 'errors-and-limits#quota-and-rate'],
  ['kinds', 'answers#more-suggestions-on-request'],
  ['lang', 'calls#languages'],
  ['autocomplete', 'reference#autocomplete'],
  ['reverse geocoding', 'reference#reverse'],
  ['distance between postal codes', 'reference#distance'],
  ['bulk', 'reference#bulk'],
  ['/v1/bulk', 'calls#many-lookups-in-one-request'],
  ['etag', 'reference#caching'],
  ['CORS', 'calls#pages-and-caching'],
  ['publishable key', 'keys#publishable-keys'],
  ['visitor rate', 'keys#publishable-keys'],
  ['withdrawn codes', 'answers#withdrawn-codes'],
  ['correlation id', 'reference#schema-metadata'],
  ['python', 'clients#python'],
  ['attribution', 'reference#attribution'],
  ['ndjson', 'export#ndjson'],
  ['parquet', 'export#parquet'],
  ['address form', 'address-form'],
  // Release engineers
  ['swap', 'releases#how-servers-follow'],
  ['full codes', 'data-and-names#full-codes'],
  ['rollback', 'releases#publish'],
  ['prune', 'releases#publish'],
  ['publish', 'releases#publish'],
  ['channels', 'releases#channels'],
  ['corrections', 'building#--corrections-file'],
  ['--previous', 'building#--previous-snapshot'],
  ['old path', 'building#old-paths'],
  ['memory of a build', 'install#build'],
  ['cities500', 'building#cities'],
  ['lists of changes', 'releases#lists-of-changes'],
  ['exit code 3', 'commands#3'],
  ['SNAPSHOT_KEY', 'configuration#snapshot_key'],
  ['snapshot_ev', 'configuration#snapshot_every'],
  ['SIGNATURE_INVALID', 'operations#signature_invalid'],
  ['without a network', 'releases#without-a-network'],
  // Operators
  ['SNAPSHOT', 'configuration#snapshot'],
  ['KEY_SECRET', 'configuration#key_secret'],
  ['REDIS_URL', 'configuration#redis_url'],
  ['redis slow', 'keys#when-redis-is-slow-or-gone'],
  ['plans', 'configuration#plans'],
  ['trust_proxy', 'configuration#trust_proxy'],
  ['MAX_CONN', 'configuration#max_connections'],
  ['SIGHUP', 'operations#sighup'],
  ['readyz', 'operations#readyz'],
  ['metrics', 'operations#metrics'],
  ['alert', 'operations#what-to-alert-on'],
  ['backup', 'keys#backup-and-moving'],
  ['disk full', 'operations#a-disk-is-full'],
  ['docker compose', 'install#docker-compose'],
  ['kubernetes', 'install#kubernetes'],
  ['revoke', 'keys#commands'],
  ['access log', 'configuration#access_log'],
])('%j leads to %s first, which is there', async (query, target) => {
  const [first] = docs.index.search(query, 1).passages;
  expect(first?.path).toBe(`/docs/${target}`);
  const [path = '', id] = `/docs/${target}`.split('#');
  const { status, text } = await site.get(path);
  expect({ status, isThere: id === undefined || text.includes(`id="${id}"`) }).toEqual({ status: 200, isThere: true });
});

test('a field that many calls have is listed once, behind the sections that explain it', () => {
  const paths = docs.index.search('lang', 20).passages.map(({ path }) => path);
  expect(paths.filter((path) => /^\/docs\/reference#.*-lang$/.test(path))).toEqual([
    '/docs/reference#listcountries-lang',
  ]);
  expect(paths.slice(0, 3)).toContain('/docs/in-your-program#languages');
});

test('every passage of every document is at an address of its own page, and each id is there once', async () => {
  const targets = new Map<string, Set<string>>();
  const ofReference = docs.index.search('reference', Number.MAX_SAFE_INTEGER).passages;
  for (const { path } of [...docs.guides.flatMap(({ passages }) => passages), ...ofReference]) {
    const [page = '', id] = path.split('#');
    targets.set(page, (targets.get(page) ?? new Set()).add(id ?? ''));
  }
  expect([...targets.keys()].sort()).toEqual(docs.paths.filter((path) => path !== '/docs').sort());
  for (const [page, ids] of targets) {
    const found = [...(await site.get(page)).text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect({ page, missing: [...ids].filter((id) => id !== '' && !found.includes(id)) }).toEqual({ page, missing: [] });
    expect({ page, twice: found.filter((id, at) => found.indexOf(id) !== at) }).toEqual({ page, twice: [] });
  }
});

describe('the page of results', () => {
  test('shows headings and paragraph with the words marked, keeps what was typed, and is not for search engines', async () => {
    const { text, headers } = await search('snapshot_key');
    expect(text).toContain('<a href="/docs/configuration#snapshot_key"><mark>SNAPSHOT_KEY</mark></a>');
    expect(text).toMatch(/<span class="where">Configuration<\/span><p>[^<]*the publisher&#39;s public key/);
    expect(text).toContain('value="snapshot_key"');
    expect(text).toContain('content="noindex"');
    expect(headers['cache-control']).toBe('no-store');
    const robots = (await site.get('/robots.txt')).text;
    for (const path of ['/docs/search', '/docs/suggest']) expect(robots).toContain(`Disallow: ${path}\n`);
  });

  test.each(['a', 's', 'key', 'the', 'a e i o u s t r', 'p c l n m d k b', 'x'.repeat(8_000), '<'.repeat(2_000)])(
    '%j has at most 20 results in 40 kB',
    async (query) => {
      const { status, text } = await search(query);
      expect(status).toBe(200);
      expect(text.split('<li><a href="/docs/').length - 1).toBeLessThanOrEqual(20);
      expect(Buffer.byteLength(text)).toBeLessThan(40_000);
    },
  );

  test.each(['', ' ', '\u0000\u001b[31m', '.*+?^$()|{[]}\\', '<script>alert(1)</script> burst', '"><img src=x>'])(
    '%j is escaped and answered',
    async (query) => {
      const { status, text } = await search(query);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<img/);
    },
  );

  test.each(['__proto__', 'constructor', 'toString', '%', '🏝', 'ﬃ', 'ß'])('%j is a word as any other', async (word) => {
    expect(docs.index.search(word, 20).passages.length).toBeLessThanOrEqual(20);
    expect((await site.get(`/docs/suggest?q=${encodeURIComponent(word)}`)).status).toBe(200);
  });

  test('a text of a million characters costs as much as its start', () => {
    const { words } = docs.index.search('burst '.repeat(200_000), 20);
    expect(words).toEqual(Array.from({ length: 8 }, () => 'burst'));
    expect(docs.index.search('q'.repeat(1 << 20), 20).passages).toEqual([]);
  });

  test('says where nothing is found, or nothing was typed', async () => {
    expect((await search('qqqqqqqq')).text).toContain('No results for “<span dir="auto">qqqqqqqq</span>”');
    expect(textOf((await site.get('/docs/search')).text, 'h1')).toBe('Search docs');
  });

  test('and the suggestions count against the limit of searches', async () => {
    const limits = { ...NO_LIMITS, search: createAddressLimit({ requestsPerSecond: 1, burst: 1 }) };
    const limited = createSite(site.snapshot, { docs, limits });
    expect((await limited.get('/docs/search?q=burst')).status).toBe(200);
    for (const path of ['/docs/search?q=burst', '/docs/suggest?q=burst'])
      expect((await limited.get(path)).status).toBe(429);
  });
});

test('suggestions have the form of those of places', async () => {
  const { body, headers } = await site.get('/docs/suggest?q=snapshot_k');
  expect(headers['cache-control']).toBe('no-store');
  expect(body.length).toBeLessThanOrEqual(8);
  expect(body[0]).toEqual({ name: 'SNAPSHOT_KEY', where: 'Configuration', path: '/docs/configuration#snapshot_key' });
});

test.each([
  ['/docs', '/docs/search'],
  ['/docs/keys', '/docs/search'],
  ['/docs/reference', '/docs/search'],
  ['/docs/address-form', '/docs/search'],
  ['/docs/search?q=burst', '/docs/search'],
  ['/docs/no-such-guide', '/docs/search'],
  ['/coverage', '/search'],
  ['/liechtenstein', '/search'],
])('the box of %s sends to %s', async (path, action) => {
  const { text } = await site.get(path);
  expect(/<form class="search" action="([^"]*)"/.exec(text)?.[1]).toBe(action);
});
