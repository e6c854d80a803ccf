/** The documents of the site: guides, reference, console, and what each may hold. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { readReference } from '../../src/site/docs/reference.js';
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

  test('are all of the folder docs, and their links to each other lead somewhere', async () => {
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
  test('has every call, its parameters with what they may be, its answers, and schemas', async () => {
    const { text } = await site.get('/docs/reference');
    expect(text).toContain('<h1>Small API 1.2.3</h1>');
    expect(text).toContain('Of &lt;two&gt; calls.');
    for (const part of [
      'GET /v1/things/{id}',
      'integer from 1 to 9, default 1, optional',
      'string (uuid)',
      '<td>array of Base</td>',
      'array of Thing',
      '<li><code>GONE</code>: No such thing</li>',
      '<code id="answer-notfound">NotFound</code>',
      'string of at most 20 characters, optional',
      'string or &quot;any&quot;, optional',
      'integer at least 1, optional',
      '<summary>Python</summary>',
      'string or null',
      '&quot;big&quot; or &quot;small&quot;',
      'If it has one',
    ]) {
      expect(text).toContain(part);
    }
    const contents = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => id !== 'main');
    // The answers that calls share, two calls, the schemas, and the one shared answer of a call.
    expect(contents.length).toBe(5);
    for (const id of contents) expect(text).toContain(`id="${id}"`);
  });

  test('has an answer that calls share once, and where each is', async () => {
    const { text } = await site.get('/docs/reference');
    expect(text.split('<code>LOST</code>')).toHaveLength(2);
    expect(text).toContain('<td>404</td><td><code id="answer-notfound">');
    expect(text).toContain('And <a href="#answer-notfound" title="NotFound">404</a> as other calls.');
    const real = await createSite(site.snapshot).get('/docs/reference');
    for (const name of ['routenotfound', 'methodnotallowed', 'preflight', 'unauthorized'])
      expect(real.text).toContain(`id="answer-${name}"`);
    expect(real.text.split('<code>SERVICE_API_KEY_REVOKED</code>')).toHaveLength(2);
    expect(real.text).not.toMatch(/of to|> or &quot;/);
  });

  test('says how to get a key', async () => {
    const pageOf = (hasAccounts: boolean): string =>
      referencePage(readDocs(), { siteUrl: '', apiUrl: '', hasAccounts }).body.text;
    expect([pageOf(true), pageOf(false)].map((text) => text.includes('href="/account"'))).toEqual([true, false]);
    expect(linksIn(pageOf(false), '/docs/reference')).toContain('/docs/keys');
  });

  test.each(['{', '[]', '{"openapi": "2.0", "paths": {}}', '{"openapi": "3.1.0"}'])('%s is no description', (text) => {
    expect(() => readReference('docs/openapi.json', text)).toThrow(/^docs\/openapi\.json is no/);
  });

  test('ends the start where the description is broken or missing', () => {
    const broken = join(folder.path, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, 'openapi.json'), '{}');
    expect(() => readDocs(broken)).toThrow(/openapi\.json is no description/);
    const without = join(folder.path, 'without');
    mkdirSync(without);
    writeFileSync(join(without, 'one.md'), '# One\n\nText.\n');
    expect(() => readDocs(without)).toThrow(/without\/openapi\.json can't be read: /);
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
