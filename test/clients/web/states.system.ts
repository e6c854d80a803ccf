/**
 * Every state of the form that a user meets, in light and dark, on a desk and on a phone, from left to right and from right
 * to left: nothing that axe-core knows is wrong with it, and the page is no wider than the window. With SHOTS, the name of a
 * folder, each state is kept there as an image. And the form on a phone: the keyboard that each country's codes need, taps,
 * and sizes of what is tapped.
 */

import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findFaults, overflowOf, PHONE, takeComplaints } from '../../site/browser-scene.js';
import { answerWith, expectSoon, expectValue, fieldOf, inferWarsaw, onElement, scene } from './web-scene.js';

interface State {
  readonly attributes: string;
  reach(page: Page): Promise<void>;
}

/** Resolves when the element with this selector has this text. */
function waitForText(page: Page, selector: string, hasText: string | RegExp): Promise<void> {
  return page.locator(`postal-address-form ${selector}`).filter({ hasText }).waitFor();
}

async function listCities(page: Page): Promise<void> {
  await fieldOf(page, 'city').pressSequentially('Aar');
  await page.locator('#city-list [role=option]').first().waitFor();
}

const STATES: Readonly<Record<string, State>> = {
  empty: { attributes: 'country="US"', reach: async () => {} },
  'list open': { attributes: 'country="CH"', reach: listCities },
  'option active': {
    attributes: 'country="CH"',
    async reach(page) {
      await listCities(page);
      await page.keyboard.press('ArrowDown');
    },
  },
  filled: {
    attributes: 'country="US"',
    async reach(page) {
      await fieldOf(page, 'street').fill('1 Apple Park Way');
      await fieldOf(page, 'postal-code').fill('95014');
      await waitForText(page, '[role=status]', /^City: Cupertino/);
    },
  },
  'code unknown': {
    attributes: 'country="DE"',
    async reach(page) {
      await fieldOf(page, 'postal-code').fill('99999');
      await waitForText(page, '#postal-code-hint', 'We don’t know this code');
    },
  },
  'code unfinished': {
    attributes: 'country="NL"',
    async reach(page) {
      await fieldOf(page, 'postal-code').fill('9401');
      await page.keyboard.press('Tab');
      await waitForText(page, '#postal-code-hint', /^A code looks like this: 2490 AA/);
    },
  },
  'code inferred': {
    attributes: 'country="PL"',
    async reach(page) {
      scene.api.answer = inferWarsaw;
      await fieldOf(page, 'postal-code').fill('00-001');
      await waitForText(page, '#postal-code-hint', 'Not a code that we know, but it belongs to Warszawa.');
    },
  },
  'code normalised': {
    attributes: 'country="LU"',
    async reach(page) {
      await fieldOf(page, 'postal-code').fill('1323');
      await waitForText(page, '#postal-code-hint', 'Known as L-1323.');
    },
  },
  'several cities': {
    attributes: 'country="CH"',
    async reach(page) {
      await fieldOf(page, 'postal-code').fill('1008');
      await waitForText(page, '#city-hint', '2 cities have this code');
      await fieldOf(page, 'city').focus();
    },
  },
  errors: {
    attributes: 'country="DE"',
    async reach(page) {
      await page.getByRole('button', { name: 'Send' }).click();
      await waitForText(page, '#city-error', 'Please fill in this field.');
    },
  },
  'service away': {
    attributes: 'country="DE"',
    async reach(page) {
      scene.api.answer = answerWith(503, {});
      await fieldOf(page, 'postal-code').fill('10117');
      await waitForText(page, 'p[role=status]', 'No suggestions right now.');
    },
  },
  disabled: {
    attributes: 'country="US" disabled',
    async reach(page) {
      await onElement(page, 'element.value = { street: "1 Main St", city: "Cupertino" }');
    },
  },
};

const { SHOTS } = process.env;

/** What is wrong with the page now, and how far it is wider than its window. */
async function faultsOf(page: Page, name: string): Promise<unknown> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name.replace(/ /g, '-')}.png`) });
  return { faults: await findFaults(page), overflow: await overflowOf(page) };
}

const NONE = { faults: [], overflow: 0 };

describe('in light and in the dark on a phone', () => {
  let page: Page;
  beforeAll(async () => {
    page = await scene.newPage();
  });

  test.each(Object.entries(STATES))('%s', async (name, { attributes, reach }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 720 });
    await scene.showAddress(page, attributes);
    await reach(page);
    expect(await faultsOf(page, `light ${name}`)).toEqual(NONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(PHONE.viewport);
    expect(await faultsOf(page, `dark ${name}`)).toEqual(NONE);
    takeComplaints();
  });
});

test.each(['option active', 'filled', 'code unknown', 'errors'])('from right to left: %s', async (name) => {
  const page = await scene.newPage();
  const state = STATES[name];
  await scene.showAddress(page, state?.attributes, 'lang="ar" dir="rtl"');
  await state?.reach(page);
  expect(await faultsOf(page, `from right to left ${name}`)).toEqual(NONE);
});

/** Windows in which fields stand side by side, where the list of the second must not stick out. */
test('no list is wider than the window', async () => {
  const page = await scene.newPage();
  for (const [width, html] of [
    [360, 'lang="en"'],
    [412, 'lang="en"'],
    [412, 'lang="ar" dir="rtl"'],
    [768, 'lang="en"'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await scene.showAddress(page, 'country="US"', html);
    await page.locator('#postal-code').pressSequentially('9501');
    const list = page.locator('#postal-code-list');
    await list.waitFor();
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `more-codes-${width}-${html.length}.png`) });
    const { x = -1, width: listWidth = 0 } = (await list.boundingBox()) ?? {};
    expect({ width, isInside: x >= 0 && x + listWidth <= width }).toEqual({ width, isInside: true });
    expect(await overflowOf(page)).toBe(0);
  }
});

/** Smallest size of a target in WCAG 2.2, level AA, in px. */
const LEAST_TARGET = 24;

/** What these tests ask of elements; the project's types have no DOM. */
interface Boxed {
  getBoundingClientRect(): { readonly left: number; readonly right: number; readonly height: number };
}

let phone: Page;
beforeAll(async () => {
  phone = await scene.newPage({ ...PHONE, hasTouch: true, isMobile: true });
});

const focused = (): Promise<string> => onElement(phone, 'element.shadowRoot.activeElement?.id ?? ""');

test.each([
  ['DE', 'numeric', 'off'],
  ['US', 'numeric', 'off'],
  ['JP', 'numeric', 'off'],
  ['GB', 'text', 'characters'],
  ['NL', 'text', 'characters'],
  ['CA', 'text', 'characters'],
])('the keyboard for codes of %s', async (country, inputmode, autocapitalize) => {
  await scene.showAddress(phone, `country="${country}"`);
  const attributes = await fieldOf(phone, 'postal-code').evaluate((input) =>
    ['inputmode', 'autocapitalize', 'spellcheck', 'enterkeyhint', 'dir'].map((name) =>
      (input as unknown as { getAttribute(name: string): string | null }).getAttribute(name),
    ),
  );
  // The key Enter sends the form: its name is the browser's.
  expect(attributes).toEqual([inputmode, autocapitalize, 'false', null, 'ltr']);
});

test('a tap on an option chooses it, the focus stays, and one change is told', async () => {
  await scene.showAddress(phone, 'country="CH"');
  await fieldOf(phone, 'city').tap();
  await phone.keyboard.type('Aarau');
  await phone.locator('[role=option]').first().waitFor();
  await onElement(phone, '(globalThis.heard = 0, element.addEventListener("change", () => heard++))');
  await phone.locator('[role=option]').first().tap();
  await expectValue(fieldOf(phone, 'city'), 'Aarau');
  expect([await focused(), await phone.getByRole('listbox').isVisible()]).toEqual(['city', false]);
  await phone.locator('#postal-code-hint').filter({ hasText: 'This city has 4 codes' }).waitFor();
  await fieldOf(phone, 'postal-code').tap();
  await phone.getByRole('option', { name: '5001' }).tap();
  await expectValue(fieldOf(phone, 'postal-code'), '5001');
  expect([await focused(), await phone.getByRole('listbox').isVisible()]).toEqual(['postal-code', false]);
  await expectSoon(() => phone.evaluate('heard'), 2);
  await phone.getByRole('heading').tap();
  expect(await phone.evaluate('heard')).toBe(2);
});

test('whatever is tapped is high enough', async () => {
  await scene.showAddress(phone, 'country="CH"');
  await fieldOf(phone, 'city').tap();
  await phone.keyboard.type('Aar');
  await phone.locator('[role=option]').first().waitFor();
  const heights = await phone
    .locator('postal-address-form :is(input, select, [role=option]:visible)')
    .evaluateAll((targets) => targets.map((target) => (target as unknown as Boxed).getBoundingClientRect().height));
  expect(heights.length).toBeGreaterThan(6);
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(LEAST_TARGET);
});

describe('from right to left', () => {
  const HTML = 'lang="ar" dir="rtl"';

  test('the first field of a row is at the right, and its list below it', async () => {
    const desk = await scene.newPage();
    await scene.showAddress(desk, 'country="CH"', HTML);
    const [code, city] = [await fieldOf(desk, 'postal-code').boundingBox(), await fieldOf(desk, 'city').boundingBox()];
    if (code === null || city === null) throw new Error('a field is not there');
    expect(code.x).toBeGreaterThan(city.x + city.width);
    expect(code.y).toBe(city.y);
    await fieldOf(desk, 'city').pressSequentially('Aar');
    await desk.locator('[role=option]').first().waitFor();
    const [list, name] = [
      await desk.getByRole('listbox').boundingBox(),
      await desk.locator('[role=option] span').first().boundingBox(),
    ];
    expect([list?.x, list?.width]).toEqual([city.x, city.width]);
    expect(name?.x).toBeGreaterThan(city.x + city.width / 2);
  });

  test('codes and Latin addresses run from left to right, Arabic ones from right to left, and all begin at the right', async () => {
    await scene.showAddress(phone, 'country="DE"', HTML);
    await fieldOf(phone, 'street').fill('1 Main St');
    await fieldOf(phone, 'city').fill('برلين');
    const directions = await phone.locator('postal-address-form input').evaluateAll((inputs) => {
      const { getComputedStyle } = globalThis as unknown as {
        getComputedStyle(element: unknown): { direction: string; textAlign: string };
      };
      return inputs.map((input) => [
        (input as unknown as { id: string }).id,
        getComputedStyle(input).direction,
        getComputedStyle(input).textAlign,
      ]);
    });
    expect(directions).toEqual([
      ['street', 'ltr', 'right'],
      ['postal-code', 'ltr', 'right'],
      ['city', 'rtl', 'right'],
    ]);
    // Of the messages, which are English, and of the countries.
    expect(
      await onElement(
        phone,
        '[...element.shadowRoot.querySelectorAll("[lang]")].map(({ localName, lang }) => [localName, lang])',
      ),
    ).toEqual([
      ['fieldset', 'en'],
      ['select', 'ar'],
      // Street, code and city.
      ...Array(3).fill(['input', 'ar']),
    ]);
  });
});
