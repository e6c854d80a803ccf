/** The states of the form that a user meets, and how each is reached. */
import type { Page } from 'playwright-core';
import { answerWith } from './api-gateway.js';
import { fieldOf, onElement, type WebScene } from './web-scene.js';

export interface State {
  readonly attributes: string;
  reach(page: Page, scene: WebScene): Promise<void>;
}

/** Resolves when the element with this selector has this text. */
function waitForText(page: Page, selector: string, hasText: string | RegExp): Promise<void> {
  return page.locator(`postal-address-form ${selector}`).filter({ hasText }).waitFor();
}

async function listCities(page: Page): Promise<void> {
  await fieldOf(page, 'city').pressSequentially('Aar');
  await page.locator('#city-list [role=option]').first().waitFor();
}

export const STATES: Readonly<Record<string, State>> = {
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
      await waitForText(page, '[role=status]', 'City: Cupertino');
    },
  },
  'code unknown': {
    attributes: 'country="DE"',
    async reach(page) {
      await fieldOf(page, 'postal-code').fill('99999');
      await waitForText(page, '#postal-code-hint', 'We don’t know this code');
    },
  },
  'code partial': {
    attributes: 'country="NL"',
    async reach(page, scene) {
      const check = { match: 'partial', postcode: '9401', hasKnownFormat: true };
      scene.api.answer = (response, target) => {
        const data = target.includes('/check') ? check : { postcode: '9401', places: [] };
        answerWith(200, { data })(response, target);
      };
      await fieldOf(page, 'postal-code').fill('9401 A');
      await page.keyboard.press('Tab');
      await waitForText(page, '#postal-code-hint', 'Found by its first part, 9401. A code looks like this: 2490 AA');
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
    async reach(page, scene) {
      scene.api.answer = answerWith(503, {});
      await fieldOf(page, 'postal-code').fill('10117');
      await waitForText(page, 'p[role=status]', 'Suggestions are not available right now.');
    },
  },
  disabled: {
    attributes: 'country="US" disabled',
    async reach(page) {
      await onElement(page, 'element.value = { street: "1 Main St", city: "Cupertino" }');
    },
  },
};
