/** The form on a phone: the keyboard that each country's codes need, taps, sizes of what is tapped, and both directions. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { PHONE } from '../../site/browser-scene.js';
import { createWebScene, expectSoon, expectValue, fieldOf, onElement, type WebScene } from './web-scene.js';

/** Smallest size of a target in WCAG 2.2, level AA, in px. */
const LEAST_TARGET = 24;

/** What these tests ask of elements; the project's types have no DOM. */
interface Boxed {
  getBoundingClientRect(): { readonly left: number; readonly right: number; readonly height: number };
}

let scene: WebScene;
let page: Page;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage({ ...PHONE, hasTouch: true, isMobile: true });
});
afterAll(() => scene?.stop());

const focused = (): Promise<string> => onElement(page, 'element.shadowRoot.activeElement?.id ?? ""');

test.each([
  ['DE', 'numeric', 'off'],
  ['US', 'numeric', 'off'],
  ['JP', 'numeric', 'off'],
  ['GB', 'text', 'characters'],
  ['NL', 'text', 'characters'],
  ['CA', 'text', 'characters'],
])('the keyboard for codes of %s', async (country, inputmode, autocapitalize) => {
  await scene.showAddress(page, `country="${country}"`);
  const attributes = await fieldOf(page, 'postal-code').evaluate((input) =>
    ['inputmode', 'autocapitalize', 'spellcheck', 'enterkeyhint', 'dir'].map((name) =>
      (input as unknown as { getAttribute(name: string): string | null }).getAttribute(name),
    ),
  );
  // The key Enter sends the form: its name is the browser's.
  expect(attributes).toEqual([inputmode, autocapitalize, 'false', null, 'ltr']);
});

test('a tap on an option chooses it, the focus stays, and one change is told', async () => {
  await scene.showAddress(page, 'country="CH"');
  await fieldOf(page, 'city').tap();
  await page.keyboard.type('Aarau');
  await page.locator('[role=option]').first().waitFor();
  await onElement(page, '(globalThis.heard = 0, element.addEventListener("change", () => heard++))');
  await page.locator('[role=option]').first().tap();
  await expectValue(fieldOf(page, 'city'), 'Aarau');
  expect([await focused(), await page.getByRole('listbox').isVisible()]).toEqual(['city', false]);
  await page.locator('#postal-code-hint').filter({ hasText: 'This city has 4 codes' }).waitFor();
  await fieldOf(page, 'postal-code').tap();
  await page.getByRole('option', { name: '5001' }).tap();
  await expectValue(fieldOf(page, 'postal-code'), '5001');
  expect([await focused(), await page.getByRole('listbox').isVisible()]).toEqual(['postal-code', false]);
  await expectSoon(() => page.evaluate('heard'), 2);
  await page.getByRole('heading').tap();
  expect(await page.evaluate('heard')).toBe(2);
});

test('whatever is tapped is high enough', async () => {
  await scene.showAddress(page, 'country="CH"');
  await fieldOf(page, 'city').tap();
  await page.keyboard.type('Aar');
  await page.locator('[role=option]').first().waitFor();
  const heights = await page
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
    await desk.context().close();
  });

  test('codes and Latin addresses run from left to right, Arabic ones from right to left, and all begin at the right', async () => {
    await scene.showAddress(page, 'country="DE"', HTML);
    await fieldOf(page, 'street').fill('1 Main St');
    await fieldOf(page, 'city').fill('برلين');
    const directions = await page.locator('postal-address-form input').evaluateAll((inputs) => {
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
        page,
        '[...element.shadowRoot.querySelectorAll("[lang]")].map(({ localName, lang }) => [localName, lang])',
      ),
    ).toEqual([
      ['fieldset', 'en'],
      ['select', 'ar'],
    ]);
  });
});
