/**
 * Browsers that fill in a whole form: each field gets its text by events without typing, in an order of the browser's. No
 * list opens, and what the browser has written stays. Chrome's own filling sends the same events.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createWebScene, expectValue, fieldOf, formAround, onElement, send, type WebScene } from './web-scene.js';

let scene: WebScene;
let page: Page;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage();
});
afterAll(() => scene?.stop());

/** Fills the fields in this order with the events of Chrome, and waits until the form knows the code. */
function autofill(values: readonly (readonly [string, string])[]): Promise<unknown> {
  return onElement(
    page,
    `new Promise((resolve) => {
      element.addEventListener('change', ({ detail }) => detail.match === 'exact' && resolve());
      for (const [name, value] of ${JSON.stringify(values)}) {
        const field = element.shadowRoot.getElementById(name);
        field.dispatchEvent(new Event('keydown', { bubbles: true, composed: true }));
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        field.dispatchEvent(new Event('keyup', { bubbles: true, composed: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
        field.dispatchEvent(new FocusEvent('blur'));
      }
    })`,
  );
}

const SWISS = [
  ['street', 'Rain 18'],
  ['postal-code', '1008'],
  ['city', 'Prilly-Chasseur'],
] as const;
const COUNTRY = ['country', 'CH'] as const;

test.each([
  ['first', [COUNTRY, ...SWISS]],
  ['last', [...SWISS, COUNTRY]],
  ['first, and the city before the code', [COUNTRY, SWISS[2], SWISS[1], SWISS[0]]],
  ['last, and the city before the code', [SWISS[2], SWISS[1], SWISS[0], COUNTRY]],
])('all fields at once, the country %s', async (_, values) => {
  await scene.showAddress(page, 'country="DE"');
  await fieldOf(page, 'street').focus();
  await autofill(values);
  expect(await page.locator('postal-address-form [role=listbox]:visible').count()).toBe(0);
  // The code has two cities, neither of which is the one that was filled in.
  expect(scene.api.targets.filter((target) => target.startsWith('/v1/autocomplete'))).toEqual([]);
  expect(await send(scene, page)).toEqual([COUNTRY, SWISS[0], SWISS[1], SWISS[2]]);
});

test('with the focus in the field that is filled first, no list opens, and a state that is filled in stays', async () => {
  await scene.showAddress(page, 'country="US"');
  await fieldOf(page, 'postal-code').focus();
  await autofill([
    ['postal-code', '95014'],
    ['state', 'CA'],
    ['city', 'Cupertino Heights'],
    ['street', '1 Main St'],
  ]);
  expect(await page.locator('postal-address-form [role=listbox]:visible').count()).toBe(0);
  expect(await onElement(page, 'element.value')).toMatchObject({ state: 'CA', city: 'Cupertino Heights' });
});

test('a code alone fills in what the browser does not know', async () => {
  await scene.showAddress(page, 'country="US"');
  await autofill([['postal-code', '95014']]);
  await expectValue(fieldOf(page, 'city'), 'Cupertino');
  await expectValue(fieldOf(page, 'state'), 'California');
});

test.each([
  ['', ''],
  ['shipping', 'shipping '],
  ['section-gift  shipping', 'section-gift shipping '],
])('the fields have the tokens that browsers know, with the prefix "%s"', async (autocomplete, prefix) => {
  const element = `<postal-address-form ${scene.access} country="BR" autocomplete="${autocomplete}"></postal-address-form>`;
  await scene.show(page, formAround(element));
  const tokens = await page
    .locator('postal-address-form :is(input, select)')
    .evaluateAll((fields) => fields.map((field) => field.getAttribute('autocomplete')?.replace(/\s+/g, ' ')));
  expect(tokens).toEqual(
    ['country', 'street-address', 'address-level3', 'address-level2', 'address-level1', 'postal-code'].map(
      (token) => prefix + token,
    ),
  );
});
