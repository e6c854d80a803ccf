/** The page of the address form and its script, as the site sends them: to its own pages and to those of others. */

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createApiKey } from '../../src/keys/key/api-key.js';
import { isCovered } from '../../src/site/reading/covered-country.js';
import { readSiteSettings } from '../../src/site/site-settings.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { HAND_MADE_ROWS } from '../fixtures/hand-made-release.js';
import { API_URL, createSite, SITE_URL, type SiteScene } from './site-scene.js';

const MODULE = '/clients/postal-places.js';
const PAGE = '/docs/address-form';

let snapshot: Snapshot;
let site: SiteScene;
beforeAll(async () => {
  snapshot = await openFixture(HAND_MADE_ROWS);
  site = createSite(snapshot);
});

const withKey = (formKey: string | null): SiteScene =>
  createSite(snapshot, { addresses: { siteUrl: SITE_URL, apiUrl: API_URL, hasAccounts: true, formKey } });

describe('the script', () => {
  test('is for pages of all sites, and no other file is', async () => {
    const { status, headers, text } = await site.get(MODULE);
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(headers['cache-control']).toBe('public, max-age=60, s-maxage=3600');
    expect(text).toContain('postal-address-form');
    const again = await site.get(MODULE, { 'if-none-match': headers.etag as string });
    expect([again.status, again.headers['access-control-allow-origin']]).toEqual([304, '*']);
    const { headers: own } = await site.get('/robots.txt');
    expect([own['access-control-allow-origin'], own['cross-origin-resource-policy']]).toEqual([
      undefined,
      'same-origin',
    ]);
    for (const name of ['site.js', 'postal-places.js.map', '%2e%2e', '']) {
      expect((await site.get(`/clients/${name}`)).status).toBe(404);
    }
  });

  test('has the digest that the page names', async () => {
    const [, integrity] =
      /integrity=&quot;(sha384-[^&]+)&quot;/.exec((await site.get(PAGE)).text.replaceAll('"', '&quot;')) ?? [];
    const { text } = await site.get(MODULE);
    expect(integrity).toBe(`sha384-${createHash('sha384').update(text).digest('base64')}`);
  });
});

describe('the page', () => {
  test('may ask the API, which no guide may', async () => {
    expect((await site.get(PAGE)).headers['content-security-policy']).toContain(`connect-src 'self' ${API_URL};`);
    expect((await site.get('/docs/keys')).headers['content-security-policy']).toContain("connect-src 'self';");
  });

  test('has the key of the site, or says that there is none', async () => {
    const formKey = createApiKey(true);
    const [withOne, without] = [await withKey(formKey).get(PAGE), await withKey(null).get(PAGE)];
    expect(withOne.text).toContain(`<postal-address-form api="${API_URL}" api-key="${formKey}"`);
    expect(withOne.text).not.toContain('nothing is looked up here');
    expect(without.text).toContain(`<postal-address-form api="${API_URL}" country=`);
    expect(without.text).toContain('nothing is looked up here');
  });

  test('offers countries that the data has, and the fields without a script', async () => {
    const { text } = await site.get(PAGE);
    const codes = [...text.matchAll(/data-country="(\w\w)"/g)].map(([, code]) => code as string);
    expect(codes.length).toBeGreaterThan(0);
    const covered = [...snapshot.countryByCode.values()].filter(isCovered).map(({ entry }) => entry.code);
    expect(covered).toEqual(expect.arrayContaining(codes));
    expect(text.match(/<input name="[\w-]+" autocomplete="[\w-]+">/g)).toHaveLength(5);
  });

  test('tells where a key comes from', async () => {
    expect((await withKey(null).get(PAGE)).text).toContain('<a href="/account">Create a key for web pages</a>');
    expect((await site.get(PAGE)).text).toContain('ask the operator of this API for one');
  });
});

test('only a publishable key can stand in the page', () => {
  const formKey = createApiKey(true);
  expect(readSiteSettings({ SITE_FORM_KEY: formKey }).accounts.formKey).toBe(formKey);
  expect(readSiteSettings({}).accounts.formKey).toBeNull();
  for (const wrong of [createApiKey(), `${formKey.slice(0, -1)}!`, 'pp_pub_', ''])
    expect(() => readSiteSettings({ SITE_FORM_KEY: wrong })).toThrow(/^SITE_FORM_KEY must be a publishable key/);
});
