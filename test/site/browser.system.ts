/**
 * The site in a real browser: without scripts and with them, on a phone, in the dark, by keyboard alone. Nothing that
 * axe-core knows is wrong with a page, no page breaks its own policy, and none asks another origin for anything.
 */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { readDocs } from '../../src/site/docs/docs-library.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { fullCodeLines } from '../fixtures/full-codes.mjs';
import { HAND_MADE_ROWS, lineOf } from '../fixtures/hand-made-release.js';
import { KNOWN_CHANGES } from '../fixtures/known-changes.js';
import { findFaults, openPage, overflowOf, PHONE } from './browser-scene.js';
import { API_URL, createSite, docsWithDescription, type SiteScene } from './site-scene.js';

const MISSING = '/nowhere/york';
const PAGES = [
  '/',
  '/andorra',
  '/andorra/canillo/vall/soldeu',
  '/south-korea',
  '/lithuania/vilniaus/vilniaus-m',
  '/lithuania/vilniaus/vilniaus-m:postcodes',
  '/andorra/postcodes',
  '/japan',
  '/united-kingdom/postcode/SW1A%201AA',
  '/united-kingdom/postcode/YO1%207HH',
  '/united-kingdom/postcode/YO1%209ZZ',
  '/united-kingdom/postcodes/YO1%207',
  '/peru/postcode/21825',
  '/search?q=york',
  '/search?q=10115&kind=postcode',
  '/search?q=qqqqqq',
  MISSING,
  '/coverage',
  '/coverage/releases',
  '/coverage/releases/next',
  '/docs',
  '/docs/first-steps',
  '/docs/reference',
];
/** What Playwright opens unless told. */
const DESK = { width: 1280, height: 720 };
/** What these tests ask of elements; the project's types have no DOM. */
interface Boxed {
  getBoundingClientRect(): { readonly top: number; readonly bottom: number };
}
interface Table {
  readonly parentElement: { matches(selector: string): boolean; readonly clientWidth: number };
}
interface Field {
  matches(selector: string): boolean;
}

let site: SiteScene;
let origin: string;

beforeAll(async () => {
  const full = fullCodeLines([lineOf('GB', ['YO1', 'York', '', '', '', 53.96, -1.08])], '#@@', 150, 7);
  full.push(lineOf('GB', ['YO1 7HH', 'York', '', '', '', 53.962, -1.082]));
  const rows = { ...HAND_MADE_ROWS, GB_full: full };
  const snapshot: Snapshot = { ...(await openFixture(rows)), changes: KNOWN_CHANGES };
  site = createSite(snapshot, { docs: docsWithDescription() });
  origin = await site.listen();
});
afterAll(async () => {
  await site?.close();
});

/** A page that may ask this site alone, wherever it goes. */
async function openBlank(options: BrowserContextOptions): Promise<Page> {
  const page: Page = await openPage(
    { baseURL: origin, ...options },
    {
      // Chromium writes a line of the page that is not there.
      isExpected: (text) => /status of 404/.test(text) && page.url() === origin + MISSING,
      mayAsk: (url) => url.startsWith(origin) || url.startsWith('data:'),
    },
  );
  return page;
}

async function goTo(page: Page, path: string): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status()).toBe(path === MISSING ? 404 : 200);
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openBlank(options);
  await goTo(page, path);
  return page;
}

describe('on a desk, and on a phone in the dark', () => {
  let page: Page;
  beforeAll(async () => {
    page = await openBlank({});
  });

  test.each(PAGES)('%s has no fault, and is no wider than the window', async (path) => {
    await page.setViewportSize(DESK);
    await page.emulateMedia({ colorScheme: 'light' });
    await goTo(page, path);
    const onDesk = [await findFaults(page), await overflowOf(page)];
    await page.setViewportSize(PHONE.viewport);
    await page.emulateMedia({ colorScheme: 'dark' });
    const onPhone = [await findFaults(page), await overflowOf(page)];
    expect({ onDesk, onPhone }).toEqual({ onDesk: [[], 0], onPhone: [[], 0] });
  });
});

test("the project's own guides have no fault, and every table scrolls by itself", async () => {
  const own = origin;
  const real = createSite(site.snapshot);
  origin = await real.listen();
  try {
    const docs = readDocs();
    const guides = new Set(docs.guides.map(({ path }) => path));
    const page = await openBlank(PHONE);
    let tableCount = 0;
    for (const path of new Set(['/coverage', ...docs.paths, ...guides])) {
      await goTo(page, path);
      const frames = await page.locator('table').evaluateAll((tables) =>
        (tables as unknown as Table[]).map(({ parentElement }) => ({
          isFrame: parentElement.matches('.wide[tabindex="0"][aria-label]'),
          width: parentElement.clientWidth,
        })),
      );
      tableCount += frames.length;
      for (const { isFrame, width } of frames) {
        expect({ path, isFrame }).toEqual({ path, isFrame: true });
        expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
      }
      const faults = guides.has(path) ? await findFaults(page) : [];
      expect({ path, faults, overflow: await overflowOf(page) }).toEqual({ path, faults: [], overflow: 0 });
    }
    expect(tableCount).toBeGreaterThan(20);
  } finally {
    origin = own;
    await real.close();
  }
});

test('the dark is dark, and the print is light', async () => {
  const page = await open('/andorra', { colorScheme: 'dark' });
  const brightness = async (): Promise<number> => {
    const colour = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    return Math.max(...(colour.match(/\d+/g) ?? []).map(Number));
  };
  expect(await brightness()).toBeLessThan(60);
  await page.emulateMedia({ media: 'print' });
  expect(await brightness()).toBe(255);
  expect(await page.locator('form.search').first().isVisible()).toBe(false);
});

test('without scripts the site can be searched and walked, and offers nothing that needs one', async () => {
  const page = await open('/', { javaScriptEnabled: false });
  expect(await page.locator('.locate').isVisible()).toBe(false);
  expect(await page.locator('.copying').count()).toBe(0);
  await page.getByRole('searchbox').fill('canillo');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.hits a').first().click();
  expect(new URL(page.url()).pathname).toBe('/andorra/canillo');
  await page.getByRole('link', { name: 'Soldeu' }).first().click();
  expect(await page.locator('h1').textContent()).toContain('Soldeu');
  await page.locator('.drawing').scrollIntoViewIfNeeded();
  // Cells reach out of the map, so their middles may not be on it.
  const cell = await page.evaluate<{ x: number; y: number; href: string }>(`(() => {
    const { left, top, width, height } = document.querySelector('.drawing').getBoundingClientRect();
    const spots = Array.from({ length: 400 }, (_, at) => ({ x: left + (at % 20 + 0.5) * width / 20, y: top + (Math.floor(at / 20) + 0.5) * height / 20 }));
    const found = spots.map(({ x, y }) => ({ x, y, href: document.elementFromPoint(x, y)?.closest('.cells.around a')?.getAttribute('href') }));
    return found.find(({ href }) => href);
  })()`);
  await page.mouse.click(cell.x, cell.y);
  await page.waitForURL((url) => url.pathname === cell.href);
});

describe('the map of a place', () => {
  test.each([
    ['on a desk', {}],
    ['on a phone', PHONE],
  ])('%s lies in its frame, and has names that cover no other', async (_, options) => {
    const page = await open('/lithuania/vilniaus/vilniaus-m', options);
    const boxes = await page.evaluate<{ inside: boolean; overlapping: number; shown: number }>(`(() => {
      const frame = document.querySelector('.drawing').getBoundingClientRect();
      const texts = [...document.querySelectorAll('.drawing text')].filter((text) => !text.matches('.shy'));
      const boxes = texts.map((text) => text.getBoundingClientRect());
      const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
      return {
        inside: boxes.every((box) => box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom),
        overlapping: boxes.flatMap((a, at) => boxes.slice(at + 1).filter((b) => meet(a, b))).length,
        shown: boxes.length,
      };
    })()`);
    expect(boxes).toMatchObject({ inside: true, overlapping: 0 });
    expect(boxes.shown).toBeGreaterThan(1);
  });

  test('tells the code of a cell, which is no stop of the keyboard, and leads to its page', async () => {
    const page = await open('/andorra/canillo/canillo');
    const cells = await page.locator('.cells a').all();
    expect(cells.length).toBeGreaterThan(1);
    for (const cell of cells) {
      const [title, href] = [await cell.locator('title').textContent(), await cell.getAttribute('href')];
      expect(title).toContain(href?.split('/').at(-1));
      expect(await cell.getAttribute('tabindex')).toBe('-1');
      expect((await page.request.get(href ?? '')).status()).toBe(200);
    }
  });
});

test('the map of a country loads its image', async () => {
  const page = await open('/lithuania');
  const href = (await page.locator('.drawing image').first().getAttribute('href')) ?? '';
  const response = await page.request.get(href);
  expect([response.status(), response.headers()['content-type']]).toEqual([200, 'image/svg+xml']);
});

test.each([
  ['beside the list on a desk', {}, true],
  ['below the first results on a phone', PHONE, false],
])('the map of a search stands %s, and each result on it leads where its line leads', async (_, options, isBeside) => {
  const page = await open('/search?q=york', { ...options, javaScriptEnabled: false });
  const map = await page.locator('.map').first().boundingBox();
  const list = await page.locator('.hits').first().boundingBox();
  if (map === null || list === null) throw new Error('the page has no map or no list');
  expect(map.x >= list.x + list.width).toBe(isBeside);
  expect(map.y >= list.y + list.height).toBe(!isBeside);
  const lines = await page.locator('.hits a').evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const dots = await page.locator('.map:first-child a:not(.town)').all();
  expect(dots.length).toBeGreaterThan(0);
  for (const dot of dots) expect(lines).toContain(await dot.getAttribute('href'));
});

describe('the combobox, by keyboard alone', () => {
  test('suggests, tells what is chosen, and goes there', async () => {
    const page = await open('/');
    // From the top: the link to the content, the site's name, the navigation, then the field.
    const field = page.getByRole('combobox');
    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.press('Tab');
      if (await field.evaluate((input) => (input as unknown as Field).matches(':focus'))) break;
    }
    await page.keyboard.type('springf');
    const options = page.getByRole('option');
    await options.first().waitFor();
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('form.search [role=status]').textContent()).toBe(`${await options.count()} suggestions`);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const second = options.nth(1);
    expect(await second.getAttribute('aria-selected')).toBe('true');
    expect(await field.getAttribute('aria-activedescendant')).toBe(await second.getAttribute('id'));
    expect(await findFaults(page)).toEqual([]);
    const path = await second.getAttribute('data-path');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}${path}`);
    expect(await page.locator('h1').textContent()).toContain('Springfield');
  });

  test('is left with Escape, and Enter without a choice searches', async () => {
    const page = await open('/andorra');
    const field = page.getByRole('combobox');
    await field.focus();
    await page.keyboard.type('york');
    const options = page.getByRole('option');
    await options.first().waitFor();
    await page.keyboard.press('Escape');
    expect(await options.first().isVisible()).toBe(false);
    expect(await field.getAttribute('aria-expanded')).toBe('false');
    expect(await field.inputValue()).toBe('york');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/search?q=york`);
  });

  test('shows names of any script, and a pointer may choose', async () => {
    const page = await open('/', PHONE);
    await page.getByRole('combobox').fill('추자면');
    const option = page.getByRole('option').first();
    await option.waitFor();
    await option.click();
    await page.waitForURL(/\/south-korea\//);
    expect(await page.locator('h1 .local').getAttribute('lang')).toBe('ko');
  });
});

test('"Where am I?" asks the browser, and shows the nearest place', async () => {
  const page = await open('/', { geolocation: { latitude: 42.501, longitude: 1.5 }, permissions: ['geolocation'] });
  await page.getByRole('button', { name: 'Where am I?' }).click();
  await page.locator('.locate a').click();
  await page.waitForURL(`${origin}/andorra/andorra-la-vella`);
  const nowhere = await open('/', { geolocation: { latitude: 30, longitude: -40 }, permissions: ['geolocation'] });
  await nowhere.getByRole('button', { name: 'Where am I?' }).click();
  await nowhere.getByText('No place within 80 km').waitFor();
});

test('coordinates are copied as they stand, and a call as a whole command', async () => {
  const page = await open('/andorra/canillo/canillo', { permissions: ['clipboard-read', 'clipboard-write'] });
  const copied = async (button: string): Promise<unknown> => {
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  };
  expect(await copied('Copy')).toBe('42.5667, 1.6');
  await page.getByRole('button', { name: 'Copied' }).waitFor({ state: 'detached' });
  const target = (await page.locator('.call .copy').first().textContent()) ?? '';
  expect(target).toMatch(/^\/v1\/countries\/AD\/places\/[\da-f-]{36}\?/);
  expect(await copied('Copy curl')).toBe(`curl -H 'x-api-key: YOUR_KEY' '${API_URL}${target}'`);
  await page.goto('/docs/first-steps');
  expect(await page.locator('.code-block > pre + .copying').count()).toBe(await page.locator('pre').count());
  expect(await copied('Copy')).toBe("curl 'https://api.test' | less <now>");
});

test('a field filters the folded codes of a place', async () => {
  const page = await open('/lithuania/vilniaus/vilniaus-m');
  const codes = page.locator('.filtered li');
  await page.getByText(/^All \d+ postal codes$/).click();
  const all = await codes.count();
  const [last = ''] = (await codes.allTextContents()).slice(-1);
  await page.getByLabel('Filter').fill(` ${last.toLowerCase()}`);
  expect(await page.locator('.filtered li:visible').allTextContents()).toEqual([last]);
  await page.getByText(`1 of ${all}`).waitFor();
  await page.getByLabel('Filter').fill('');
  expect(await page.locator('.filtered li:visible').count()).toBe(all);
});

test('on a phone a call and its button stand side by side, and no call takes more than five lines', async () => {
  const page = await open('/andorra/canillo/canillo', { viewport: { width: 390, height: 740 } });
  const lines = await page.locator('.call li').all();
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) {
    const [call, button] = [await line.locator('.copy').boundingBox(), await line.locator('button').boundingBox()];
    if (call === null || button === null) throw new Error('the call or its button is not there');
    expect(button.x).toBeGreaterThanOrEqual(call.x + call.width);
    expect(call.height).toBeLessThan(5 * 20);
  }
});

test('on a phone the header takes one row, and its search box covers the links while it is used', async () => {
  for (const width of [360, 390]) {
    const page = await open('/docs', { viewport: { width, height: 740 } });
    const centres = await page.locator('.top > *').evaluateAll((parts) =>
      (parts as unknown as Boxed[]).map((part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return Math.round((top + bottom) / 2);
      }),
    );
    expect(centres).toHaveLength(3);
    expect(Math.max(...centres) - Math.min(...centres)).toBeLessThanOrEqual(2);
    const field = page.getByRole('combobox');
    const widthOf = async (): Promise<number> => (await field.boundingBox())?.width ?? 0;
    expect(await widthOf()).toBeGreaterThan(90);
    await field.focus();
    expect(await widthOf()).toBeGreaterThan(270);
    expect(await overflowOf(page)).toBe(0);
    // By keyboard the links are the next stop, and the box gives way.
    await page.keyboard.press('Tab');
    expect(
      await page
        .getByRole('link', { name: 'Coverage' })
        .evaluate((link) => (link as unknown as Field).matches(':focus')),
    ).toBe(true);
    await page.keyboard.press('Tab');
    expect(await findFaults(page)).toEqual([]);
  }
});

test('names that run from right to left stand so', async () => {
  const hebrew = createSite(
    await openFixture({ IL: [['9100000', 'ירושלים', 'מחוז ירושלים', '', '', 31.769, 35.2163]] }),
  );
  const own = origin;
  origin = await hebrew.listen();
  try {
    const page = await open('/search?q=ירושלים');
    await page.locator('.hits a').last().click();
    const local = page.locator('h1 .local');
    expect(await local.evaluate((name) => (name as unknown as Field).matches(':dir(rtl)'))).toBe(true);
    expect(await findFaults(page)).toEqual([]);
  } finally {
    origin = own;
    await hebrew.close();
  }
});
