/** The page of the reference: what each call says, in which order, forms for all that a call takes, and shortened JSON. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { answerSchemas } from '../../src/api/description/answer-schemas.js';
import { routeTemplateOf } from '../../src/api/description/define-route.js';
import { meaningOfCode, statusOfCode } from '../../src/api/description/error-codes.js';
import { routes } from '../../src/api/description/routes.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { shortJson, wholeJson } from '../../src/site/docs/json-for-readers.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { KNOWN_CHANGES } from '../fixtures/known-changes.js';
import { API_URL, createSite, decodeEntities, docsWithDescription, linksIn, SITE_URL } from './site-scene.js';

let text: string;
/** Of a description with a call of each kind, and hostile texts. */
let small: string;
/** Of a site without accounts; the other ones have them. */
let withoutAccounts: string;
/** Of a site whose snapshot has no lists of changes. */
let withoutLists: string;
beforeAll(async () => {
  const fixture = await openFixture({ LI: [['9490', 'Vaduz', 'Oberland', 'OL', '', 47.14, 9.52]] });
  const snapshot = { ...fixture, changes: KNOWN_CHANGES };
  const pageOf = async (hasAccounts: boolean, docs = {}): Promise<string> => {
    const addresses = { siteUrl: SITE_URL, apiUrl: API_URL, hasAccounts };
    return (await createSite(snapshot, { addresses, ...docs }).get('/docs/reference')).text;
  };
  text = await pageOf(true);
  withoutAccounts = await pageOf(false);
  withoutLists = (await createSite(fixture).get('/docs/reference')).text;
  small = await pageOf(true, { docs: docsWithDescription() });
});

function sectionOf(id: string, page = text): string {
  const start = page.indexOf(`<h2 id="${slugOf(id)}">`);
  expect({ id, start }).not.toMatchObject({ start: -1 });
  return page.slice(start, page.indexOf('</section>', start));
}

test('has every route with its parameters, its answers, its response and a form, and all schemas', () => {
  for (const route of routes) {
    const section = sectionOf(route.id);
    expect(section).toMatch(new RegExp(`<code>\\w+ ${routeTemplateOf(route).replaceAll(/[{}]/g, '\\$&')}</code>`));
    for (const { name } of route.parameters) {
      expect(section).toContain(`">${name}</code>`);
      expect(section).toMatch(new RegExp(`<(?:input|select) name="${name}" data-in="(?:path|query)"`));
    }
    for (const code of route.errors.filter((error) => statusOfCode[error] === 404)) {
      expect(section).toContain(`<code>${code}</code>: ${meaningOfCode[code]}`);
    }
    expect(section).toContain('<pre class="response"');
    expect(section.split('<details class="try" hidden>')).toHaveLength(2);
    expect(section.split('class="api-key"')).toHaveLength(2);
  }
  for (const name of Object.keys(answerSchemas)) {
    // Those of Photon's protocol are in a document of its own.
    if (!name.startsWith('Photon')) expect(text).toContain(`<div id="schema-${slugOf(name)}">`);
  }
  for (const part of [
    'integer from 1 to 100, default 50',
    'integer at least 1, default 1',
    'number from -90 to 90, required',
    'string of 1 to 20 characters, in the path',
    'string or &quot;any&quot;',
    'string or null (uuid)',
    '<summary>Python</summary>',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toMatch(/of to|> or &quot;/);
});

test('changes have an example where a list of them is served, and none elsewhere', () => {
  const [listed, unlisted] = [text, withoutLists].map((page) => sectionOf('listChanges', page));
  expect(listed).toContain(`/v1/changes?since=${KNOWN_CHANGES.lists()[0]?.header.since}`);
  expect(unlisted).toContain('No example');
  expect(unlisted).not.toMatch(/curl|class="response"/);
});

test('types are links to their schemas', () => {
  expect(sectionOf('listCountries')).toContain('array of <a href="#schema-country">Country</a>');
  expect(sectionOf('getPlace')).toContain('<span><a href="#schema-placedetail">PlaceDetail</a></span>');
  expect(text).toContain('array of <a href="#schema-place">Place</a>');
  expect(sectionOf('second', small)).toContain('200</code> <span>array of <a href="#schema-question">Question</a>');
  expect(sectionOf('second', small)).toContain(
    '<code>asked</code> <span>array of <a href="#schema-question">Question</a> or null</span></dt><dd>What is <em>asked</em></dd>',
  );
});

test('contents come first, then calls, then limits', () => {
  const order = ['<nav class="contents"', `<h2 id="${slugOf('listCountries')}"`, '<h2 id="limits"', '<h2 id="schemas"'];
  const positions = order.map((part) => text.indexOf(part));
  expect(positions).toEqual([...positions].sort((a, b) => a - b));
  expect(positions).not.toContain(-1);
  const linked = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id as string);
  expect(linked.length).toBeGreaterThan(routes.length);
  for (const id of linked) expect({ id, isThere: text.includes(`id="${id}"`) }).toEqual({ id, isThere: true });
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
});

test('a response that calls share is there once, and where each call links to it', () => {
  expect(text).toContain('<code id="answer-unauthorized">401 Unauthorized</code>');
  expect(sectionOf('getPlace')).toContain('<a href="#answer-unauthorized" title="Unauthorized">401</a>');
  for (const name of ['routenotfound', 'methodnotallowed', 'preflight']) expect(text).toContain(`id="answer-${name}"`);
  expect(text.split('<code>SERVICE_API_KEY_REVOKED</code>')).toHaveLength(2);
});

test('says how to get a key, and asks for the plan where there are accounts', () => {
  const pages = [text, withoutAccounts];
  expect(pages.map((page) => page.includes('<a href="/account">Sign in</a>'))).toEqual([true, false]);
  expect(pages.map((page) => page.includes(' data-accounts'))).toEqual([true, false]);
  expect(linksIn(withoutAccounts, '/docs/reference')).toContain('/docs/errors-and-limits');
});

test('shows markup of the description as text', () => {
  expect(small).toContain('A small &lt;API&gt; 1. Of &lt;two&gt; calls.');
  expect(small).toContain('Two &lt;calls&gt;.');
  expect(small).not.toMatch(/<two>|<API>|<calls>/);
});

describe('a form', () => {
  test('has a list for what may be chosen, and a field for all else', () => {
    const form = sectionOf('first', small);
    expect(form).toContain('<form data-method="GET" data-path="/v1/first/{name}"');
    expect(form).toContain('<input name="name" data-in="path" value="a/b" placeholder="" required>');
    expect(form).toContain('<input name="limit" data-in="query" value="" placeholder="10">');
    const options = (name: string): string[] => {
      const [, inside = ''] = new RegExp(`<select name="${name}"[^>]*>(.*?)</select>`, 's').exec(form) ?? [];
      return [...inside.matchAll(/<option(.*?)>(.*?)</g)].map(([, marks, choice]) => `${choice}${marks}`);
    };
    expect(options('kind')).toEqual(['not sent value=""', 'big', 'small']);
    expect(options('isNew')).toEqual(['not sent value=""', 'true selected', 'false']);
    expect(form).not.toContain('<textarea');
  });

  test('of a call with a body has its example as text', () => {
    const form = sectionOf('second', small);
    expect(form).toContain('<form data-method="POST" data-path="/v1/second"');
    const [, body = ''] = /<textarea [^>]*>(.*?)<\/textarea>/s.exec(form) ?? [];
    expect(JSON.parse(decodeEntities(body))).toEqual({ asked: ["it's", null, true] });
  });

  test('of a call without a key asks for none', () => {
    expect(sectionOf('getRelease')).toContain('<form data-method="GET" data-path="/v1/release"');
    expect(sectionOf('getRelease')).not.toContain('api-key');
  });
});

test('a response that is not of the served release is said to be that of the starter dataset', () => {
  expect(sectionOf('second', small)).toContain('<code>data</code> with the starter dataset</p>');
  for (const { id } of routes) expect(sectionOf(id)).not.toContain('starter dataset');
});

const place = { name: 'Vaduz', postalCode: '9490', url: 'https://site.test/liechtenstein/vaduz', isHere: true };

test('what fits on a line stands on one', () => {
  expect(shortJson({ level: 1, count: 16 })).toBe('{ "level": 1, "count": 16 }');
  expect(shortJson([])).toBe('[]');
  expect(shortJson({})).toBe('{}');
  expect(shortJson(null)).toBe('null');
  expect(JSON.parse(shortJson(place))).toEqual(place);
  expect(shortJson(place).split('\n')).toHaveLength(6);
});

test('a list shows two elements, a list in it one, and how many more there are', () => {
  const lines = shortJson([place, { ...place, ancestors: [place, place, place] }, place, place]).split('\n');
  expect(lines.filter((line) => line.includes('"Vaduz"'))).toHaveLength(3);
  expect(lines.at(-2)).toBe('  … 2 more');
  expect(lines).toContain('      … 2 more');
  expect(shortJson([place, place])).not.toContain('…');
});

test('the outermost list of an object shows two elements', () => {
  expect(shortJson({ items: [place, place, place] })).toContain('    … 1 more');
});

test('numbers and texts are shown up to six', () => {
  expect(shortJson([1, 2, 3, 4])).toBe('[1, 2, 3, 4]');
  expect(shortJson(Array.from({ length: 1_010 }, (_, at) => at))).toBe('[0, 1, 2, 3, 4, 5, … 1,004 more]');
});

test('a long text is cut between characters', () => {
  expect(shortJson('x'.repeat(160))).toBe(`"${'x'.repeat(160)}"`);
  expect(shortJson('🗺'.repeat(200))).toBe(`"${'🗺'.repeat(160)}…"`);
});

test('a whole value has all of it, in the same lines', () => {
  const value = { items: [place, place, place], text: 'x'.repeat(200), numbers: [1, 2, 3, 4, 5, 6, 7, 8], none: null };
  expect(JSON.parse(wholeJson(value))).toEqual(value);
  expect(
    wholeJson([
      { country: 'DE', postcode: '10115' },
      { lat: 52.53, lng: 13.38, country: 'DE' },
    ]).split('\n'),
  ).toEqual([
    '[',
    '  { "country": "DE", "postcode": "10115" },',
    '  { "lat": 52.53, "lng": 13.38, "country": "DE" }',
    ']',
  ]);
  expect(wholeJson([true, null], (plain) => `<${plain}>`)).toBe('[<true>, <null>]');
});
