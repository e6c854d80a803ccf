/** The documents of the site: guides, reference, and what each may hold. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { movedDocuments } from '../../src/site/docs/moved-documents.js';
import { createTemporaryFolder, openFixture } from '../fixtures/fixture-snapshot.js';
import type { RowsByCountry } from '../fixtures/hand-made-release.js';
import { API_URL, createSite, docsWithDescription, linksIn, readPage, type SiteScene, textOf } from './site-scene.js';

const folder = createTemporaryFolder();
afterAll(() => folder.remove());

let site: SiteScene;
beforeAll(async () => {
  const snapshot = await openFixture({ LI: [['9490', 'Vaduz', '', '', '', 47.14, 9.52]] });
  site = createSite(snapshot, { docs: docsWithDescription() });
});

describe('guides', () => {
  test('are listed with what they are about', async () => {
    const { text } = await site.get('/docs');
    expect(linksIn(text, '/docs')).toEqual(
      expect.arrayContaining(['/docs/first-steps', '/docs/second', '/docs/reference']),
    );
    expect(text).toContain('A guide with code, a neighbour and a file.');
    // In the order of the table of contents, which leaves out what lies elsewhere.
    const headings = [...text.matchAll(/<h2 [^>]*>(.*?)<\/h2>/g)].map(([, heading]) => heading);
    expect(headings).toEqual(['Use it', 'Run it']);
    expect(text).toMatch(/Use it.*first-steps.*reference.*Run it.*second/s);
  });

  test('that have moved lead to where their subject stands now, in any spelling', async () => {
    const real = createSite(site.snapshot);
    for (const [from, to] of movedDocuments) {
      const { status, headers } = await real.get(from);
      expect({ from, status, to: headers.location }).toEqual({ from, status: 308, to });
      const [path = '', anchor] = to.split('#');
      const { status: found, text } = await real.get(path);
      expect({ to, found }).toEqual({ to, found: 200 });
      if (anchor !== undefined) expect({ to, is: text.includes(`id="${anchor}"`) }).toMatchObject({ is: true });
    }
    expect((await real.get('/docs//Gazetteer/?a=1')).headers.location).toBe('/docs/building#cities');
    expect(readDocs().guides.filter(({ path }) => movedDocuments.has(path))).toEqual([]);
  });

  test('are said to be about something in whole sentences', () => {
    for (const { name, summary } of readDocs().guides)
      expect({ name, summary }).toEqual({ name, summary: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test('pass no markup through, and link to pages of the site and the web alone', async () => {
    const { text } = await site.get('/docs/first-steps');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toMatch(/<b>|javascript:|<img|README/);
    expect(text).toContain('<a href="/docs/second#how-it-ends">neighbour</a>');
    expect(text).toContain('<a href="https://elsewhere.test/">site</a>');
    expect(text).toContain('| less &lt;now&gt;');
    expect(text).toContain('id="what-it-has"');
    expect(textOf(text, 'title')).toBe('First steps · Postal Places');
  });

  test('are all listed, and their links to headings, of their own or of others, lead to one', async () => {
    const real = createSite(site.snapshot);
    const docs = readDocs();
    expect(docs.guides.length).toBeGreaterThan(8);
    let ownCount = 0;
    for (const { path, title } of docs.guides) {
      const text = await readPage(real, path);
      expect(textOf(text, 'h1')).toBe(title);
      for (const [, other = '', id] of text.matchAll(/href="(\/docs\/[\w-]+)?(?:#([^"]+))?"/g)) {
        const linked = other === '' ? text : await readPage(real, other);
        if (other === '') ownCount++;
        if (id !== undefined)
          expect({ path, other, id, is: linked.includes(`id="${id}"`) }).toMatchObject({ is: true });
      }
    }
    expect(ownCount).toBeGreaterThan(50);
    expect(await readPage(real, '/docs/keys')).toContain('<h2 id="key_secret">');
  });
});

describe('a guide', () => {
  test('names its section, and leads to all other documents', async () => {
    const { text } = await site.get('/docs/second');
    expect(text).toContain('<a href="/docs#run-it" dir="auto">Run it</a>');
    const [, nav = ''] = /<nav class="documents".*?>(.*?)<\/nav>/s.exec(text) ?? [];
    expect([...nav.matchAll(/<h2><a href="(.*?)">(.*?)<\/a>/g)].map(([, href, title]) => [href, title])).toEqual([
      ['/docs#use-it', 'Use it'],
      ['/docs#run-it', 'Run it'],
    ]);
    expect(nav).toContain('<a href="/docs/second" aria-current="page">Another guide</a>');
    expect(nav).toContain('<a href="/docs/reference">Reference</a>');
    expect(text).toContain('<a rel="prev" href="/docs/reference"><span>Previous</span> Reference</a></nav>');
    const contents = (await site.get('/docs')).text;
    for (const id of ['use-it', 'run-it']) expect(contents).toContain(`<h2 id="${id}">`);
  });

  test('calls the API of this site where it is for callers, and the local one where it is for operators', async () => {
    const [calling, running] = [(await site.get('/docs/first-steps')).text, (await site.get('/docs/second')).text];
    expect(calling).toContain(`curl <span class="hl-string">&#x27;${API_URL}/v1/first&#x27;</span>`);
    expect(running).toContain('&#x27;http://127.0.0.1:3000/healthz&#x27;');
  });

  describe('for callers shows a first call that the served snapshot answers', () => {
    const at = async (rows: RowsByCountry, path: string): Promise<string> =>
      (await createSite(await openFixture(rows)).get(path)).text;
    const BERLIN: RowsByCountry = { DE: [['10115', 'Berlin', 'Berlin', '', '', 52.5323, 13.3846]] };
    const DRESDEN: RowsByCountry = {
      DE: [["01'$&", 'Dresd<e>n $&', 'Sachsen', '', '', 51.05, 13.74]],
    };

    test.each([
      ['the code of the documents', BERLIN, 'DE/postcodes/10115', 'Berlin 52.5323 13.3846'],
      ['another', DRESDEN, 'DE/postcodes/01%27%24%26', 'Dresd&lt;e&gt;n $&amp; 51.05 13.74'],
    ])('in the quickstart and on the home page: %s', async (_, rows, target, place) => {
      const quickstart = await at(rows, '/docs/quickstart');
      expect(quickstart.split(`${API_URL}/v1/countries/${target}`)).toHaveLength(4);
      expect(quickstart).toContain(`<code>${place}</code>`);
      expect(quickstart.includes('10115')).toBe(rows === BERLIN);
      expect(await at(rows, '/')).toContain(`&#x27;${API_URL}/v1/countries/${target}&#x27;`);
    });

    test('with its answer among the calls', async () => {
      for (const document of ['calls', 'quickstart']) {
        const [berlin, dresden] = [await at(BERLIN, `/docs/${document}`), await at(DRESDEN, `/docs/${document}`)];
        expect(berlin).toMatch(/<p class="caption">Response<\/p>\n<pre class="response" tabindex="0"><code>{\n/);
        expect(berlin).toContain('<span class="hl-string">&quot;/berlin/berlin&quot;</span>');
        expect(dresden).toContain(`${API_URL}/v1/countries/DE/postcodes/01%27%24%26&#x27;`);
        expect(dresden).toContain('<span class="hl-string">&quot;Dresd&lt;e&gt;n $&amp;&quot;</span>');
        for (const page of [berlin, dresden]) expect(page).not.toContain('berlin-stadt/berlin');
      }
    });

    test('else the list of countries', async () => {
      const empty = { ...site.snapshot, countries: [], countryByCode: new Map() };
      const real = createSite(empty);
      expect((await real.get('/')).text).toContain(`&#x27;${API_URL}/v1/countries&#x27;`);
      expect((await real.get('/docs/quickstart')).text).toContain(`${API_URL}/v1/countries/DE/postcodes/10115`);
    });
  });

  test('shows a call in several languages in tabs, and other code one after another', async () => {
    const { text } = await site.get('/docs/first-steps');
    const tabs = [...text.matchAll(/<details class="example" name="([^"]+)"( open)?>\n<summary>(.*?)<\/summary>/g)];
    expect(tabs.map(([, , open, language]) => [language, open !== undefined])).toEqual([
      ['curl', true],
      ['JavaScript', false],
      ['Python', false],
    ]);
    expect(new Set(tabs.map(([, group]) => group)).size).toBe(1);
    // Two blocks in one language are not one call.
    expect((await site.get('/docs/second')).text).not.toContain('<details');
  });
});

describe('the description', () => {
  test.each(['{', '[]', 'null', '{}'])('%s ends the start', (text) => {
    const broken = join(folder.path, 'broken');
    mkdirSync(broken, { recursive: true });
    writeFileSync(join(broken, 'README.md'), '# Documents\n');
    writeFileSync(join(broken, 'openapi.json'), text);
    expect(() => readDocs(broken)).toThrow(/openapi\.json is (?:not JSON|no description of an API): /);
  });

  test('ends the start where a document is missing', () => {
    const without = join(folder.path, 'without');
    mkdirSync(without);
    const list = (file: string): void =>
      writeFileSync(join(without, 'README.md'), `# Documents\n\n## All\n\n- [One](${file})\n`);
    writeFileSync(join(without, 'one.md'), '# One\n\nText.\n');
    expect(() => readDocs(without)).toThrow(/without\/README\.md can't be read: /);
    list('one.md');
    expect(() => readDocs(without)).toThrow(/without\/openapi\.json can't be read: /);
    list('two.md');
    expect(() => readDocs(without)).toThrow(/without\/two\.md can't be read: /);
  });
});

describe('the reference', () => {
  test('may call the API, which no other page may, however often it is asked for', async () => {
    const policyOf = async (path: string, headers = {}): Promise<unknown> =>
      (await site.get(path, headers)).headers['content-security-policy'];
    const { headers, text } = await site.get('/docs/reference');
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ${API_URL};`);
    expect(await policyOf('/docs')).not.toContain(API_URL);
    for (const [, path] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
      expect((await site.get(path as string)).status).toBe(200);
    expect(await policyOf('/docs/reference')).toContain(API_URL);
    // A browser takes the policy of a 304 in place of the one that it has.
    const known = { 'if-none-match': headers.etag as string };
    expect((await site.get('/docs/reference', known)).status).toBe(304);
    expect(await policyOf('/docs/reference', known)).toContain(API_URL);
    expect(
      await policyOf('/docs', { 'if-none-match': (await site.get('/docs')).headers.etag as string }),
    ).not.toContain(API_URL);
  });

  test('asks the API of this site, whatever the description says', async () => {
    const { body } = await site.get('/docs/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: API_URL }] });
  });
});
