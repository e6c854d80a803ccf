/** The documents of the site: guides, reference, console, and what each may hold. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { answerSchemas } from '../../src/api/answer-schemas.js';
import { meaningOfCode, statusOfCode } from '../../src/api/error-codes.js';
import { templateOf } from '../../src/api/route.js';
import { routes } from '../../src/api/routes.js';
import { slugOf } from '../../src/format/slug.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { movedGuides } from '../../src/site/docs/moved-guides.js';
import { describeReference } from '../../src/site/docs/reference.js';
import { referencePage } from '../../src/site/pages/reference-page.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import {
  API_URL,
  createSite,
  docsWithDescription,
  linksIn,
  openFixture,
  type SiteScene,
  textOf,
} from './site-scene.js';

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
      expect.arrayContaining(['/docs/first-steps', '/docs/second', '/docs/reference', '/docs/console']),
    );
    expect(text).toContain('A guide with code, a neighbour and a file.');
    // In the order of the table of contents, which leaves out what lies elsewhere.
    const headings = [...text.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);
    expect(headings).toEqual(['Use it', 'Run it']);
    expect(text).toMatch(/Use it.*first-steps.*reference.*console.*Run it.*second/s);
  });

  test('that have moved lead to where their subject stands now, in any spelling', async () => {
    const real = createSite(site.snapshot);
    for (const [from, to] of movedGuides) {
      const { status, headers } = await real.get(from);
      expect({ from, status, to: headers.location }).toEqual({ from, status: 308, to });
      const [path = '', anchor] = to.split('#');
      const { status: found, text } = await real.get(path);
      expect({ to, found }).toEqual({ to, found: 200 });
      if (anchor !== undefined) expect({ to, is: text.includes(`id="${anchor}"`) }).toMatchObject({ is: true });
    }
    expect((await real.get('/docs//Releases/?a=1')).headers.location).toBe('/docs/data-and-releases#publish');
    expect(readDocs().guides.filter(({ path }) => movedGuides.has(path))).toEqual([]);
  });

  test('are said to be about something in whole sentences', () => {
    for (const { name, summary } of readDocs().guides)
      expect({ name, summary }).toEqual({ name, summary: expect.stringMatching(/^[A-Z].*\.$/) });
  });

  test('have headings with the ids that links to them have, in each guide', async () => {
    const real = createSite(site.snapshot);
    let linkCount = 0;
    for (const { path } of readDocs().guides) {
      const { text } = await real.get(path);
      for (const [, id] of text.matchAll(/<a href="#([^"]+)"/g)) {
        expect({ path, id, is: text.includes(`id="${id}"`) }).toMatchObject({ is: true });
        linkCount++;
      }
    }
    expect(linkCount).toBeGreaterThan(50);
    expect((await real.get('/docs/keys')).text).toContain('<h2 id="key_secret">');
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

  test('are all listed, and their links to each other lead somewhere', async () => {
    const real = createSite(site.snapshot);
    const docs = readDocs();
    expect(docs.guides.length).toBeGreaterThan(8);
    for (const { path, title } of docs.guides) {
      const { status, text } = await real.get(path);
      expect([status, textOf(text, 'h1')]).toEqual([200, title]);
      for (const [, target = '', fragment] of text.matchAll(/href="(\/docs\/[\w-]+)(?:#([^"]+))?"/g)) {
        const linked = await real.get(target);
        expect({ path, target, status: linked.status }).toEqual({ path, target, status: 200 });
        if (fragment !== undefined)
          expect({ path, target, fragment, is: linked.text.includes(`id="${fragment}"`) }).toMatchObject({ is: true });
      }
    }
  });
});

describe('the reference', () => {
  const addresses = { siteUrl: '', apiUrl: API_URL, hasAccounts: false };
  let text: string;
  beforeAll(async () => {
    ({ text } = await site.get('/docs/reference'));
  });

  test('has every route with its parameters and what they may be, its answers, and all schemas', () => {
    for (const route of routes) {
      const start = text.indexOf(`<code>GET ${templateOf(route)}</code></h2>`);
      expect({ id: route.id, start }).not.toMatchObject({ start: -1 });
      const section = text.slice(start, text.indexOf('</section>', start));
      for (const { name } of route.parameters) expect(section).toContain(`<code>${name}</code>`);
      for (const code of route.errors.filter((error) => statusOfCode[error] === 404)) {
        expect(section).toContain(`<code>${code}</code>: ${meaningOfCode[code]}`);
      }
    }
    for (const name of Object.keys(answerSchemas)) expect(text).toContain(`<h3 id="schema-${slugOf(name)}">`);
    for (const part of [
      'integer from 1 to 100, default 50, optional',
      'integer at least 1, default 1, optional',
      'number from -90 to 90',
      'string of 2 to 100 characters',
      'string or &quot;any&quot;, optional',
      'array of Country',
      '<td>PlaceDetail</td>',
      'string or null (uuid)',
      '<summary>Python</summary>',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).not.toMatch(/of to|> or &quot;/);
  });

  test('has its own sections for the contents to lead to', () => {
    const linked = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id as string);
    expect(linked.length).toBeGreaterThan(routes.length);
    for (const id of linked) expect(text).toContain(`id="${id}"`);
  });

  test('has an answer that calls share once, and where each is', () => {
    expect(text).toContain('<td>401</td><td><code id="answer-unauthorized">');
    expect(text).toContain('<a href="#answer-unauthorized" title="Unauthorized">401</a>');
    for (const name of ['routenotfound', 'methodnotallowed', 'preflight'])
      expect(text).toContain(`id="answer-${name}"`);
    expect(text.split('<code>SERVICE_API_KEY_REVOKED</code>')).toHaveLength(2);
  });

  test('shows markup of the tables as text', () => {
    const reference = { ...describeReference(), title: '<i>API</i>', description: 'Of <two> calls.\n\nAnd no more.' };
    const body = referencePage({ ...readDocs(), reference }, addresses).body.text;
    expect(body).toContain('Of &lt;two&gt; calls.');
    expect(body).toContain('&lt;i&gt;API');
    expect(body).not.toContain('<two>');
  });

  test('says how to get a key', async () => {
    const pageOf = (hasAccounts: boolean): string => referencePage(readDocs(), { ...addresses, hasAccounts }).body.text;
    expect([pageOf(true), pageOf(false)].map((page) => page.includes('href="/account"'))).toEqual([true, false]);
    expect(linksIn(pageOf(false), '/docs/reference')).toContain('/docs/errors-and-limits');
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

describe('the console', () => {
  test('may call the API, which no other page may', async () => {
    const { headers, text } = await site.get('/docs/console');
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ${API_URL};`);
    expect((await site.get('/docs')).headers['content-security-policy']).not.toContain(API_URL);
    for (const [, path] of text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g))
      expect((await site.get(path as string)).status).toBe(200);
    // Asked for again it comes with the same policy.
    expect((await site.get('/docs/console')).headers['content-security-policy']).toContain(API_URL);
  });

  test('asks the API of this site, whatever the description says', async () => {
    const { body } = await site.get('/docs/openapi.json');
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: API_URL }] });
  });
});
