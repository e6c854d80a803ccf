/** What screen readers are told: names, roles and states of the fields at each step, as Chromium's accessibility tree has them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { createWebScene, expectSoon, expectValue, fieldOf, formAround, onElement, type WebScene } from './web-scene.js';

let scene: WebScene;
let page: Page;
let session: CDPSession;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage();
  session = await page.context().newCDPSession(page);
});
afterAll(() => scene?.stop());

/** The states that the tests look at; others say how an element is made. */
const STATES = ['autocomplete', 'required', 'invalid', 'expanded', 'disabled', 'selected', 'hasPopup', 'live'];

/** Nodes with these roles in their order, each as role, name, description, value and states on one line. */
async function tree(...roles: readonly string[]): Promise<string[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const names = new Map(nodes.map(({ backendDOMNodeId, name }) => [backendDOMNodeId, name?.value]));
  return nodes
    .filter(({ role, ignored }) => !ignored && roles.includes(role?.value))
    .map(({ role, name, description, value, properties = [] }) => {
      const states = properties
        .filter((property) => STATES.includes(property.name) && ![false, 'false', ''].includes(property.value.value))
        .map((property) =>
          property.value.value === true ? property.name : `${property.name}=${property.value.value}`,
        );
      const active = properties
        .find((property) => property.name === 'activedescendant')
        ?.value.relatedNodes?.map(({ backendDOMNodeId }) => `at "${names.get(backendDOMNodeId)}"`);
      return [
        `${role?.value} "${name?.value}"`,
        ...(description?.value ? [`(${description.value})`] : []),
        ...(value?.value ? [`= ${value.value}`] : []),
        ...states,
        ...(active ?? []),
      ].join(' ');
    });
}

const fields = (): Promise<string[]> => tree('combobox', 'textbox');
/** The texts that are read aloud when they come. */
const told = (): Promise<string[]> =>
  page
    .locator('postal-address-form [role=status], postal-address-form [aria-live]')
    .allTextContents()
    .then((texts) => texts.filter((text) => text !== ''));

/** Without the two countries. */
const listed = async (): Promise<string[]> => (await tree('option')).slice(2);

/** The suggestions for "Aar". */
const ARGAU = ['Aarau Kanton Aargau', 'Aarau 1 Kanton Aargau', 'Aarau Rohr Kanton Aargau', 'Baden Kanton Aargau'];
const COMBOBOX = 'autocomplete=list hasPopup=listbox';

test('from empty to filled', async () => {
  await scene.showAddress(page, 'country="CH" countries="CH DE"');
  expect(await tree('group')).toEqual(['group "Address"']);
  expect(await fields()).toEqual([
    'combobox "Country" = Switzerland hasPopup=menu',
    'textbox "Street address" required',
    `combobox "Postal code (PLZ/NPA)" ${COMBOBOX} required`,
    `combobox "City" ${COMBOBOX} required`,
  ]);
  await fieldOf(page, 'city').pressSequentially('Aar');
  await expectSoon(told, ['4 results']);
  expect(await tree('listbox')).toEqual(['listbox "Suggestions for City"']);
  expect(await listed()).toEqual(ARGAU.map((name) => `option "${name}"`));
  expect((await fields()).at(-1)).toBe(`combobox "City" = Aar ${COMBOBOX} required expanded`);
  await page.keyboard.press('ArrowDown');
  expect((await fields()).at(-1)).toBe(`combobox "City" = Aar ${COMBOBOX} required expanded at "${ARGAU[0]}"`);
  expect((await listed())[0]).toBe(`option "${ARGAU[0]}" selected`);
  await page.keyboard.press('Enter');
  expect((await fields()).at(-1)).toBe(`combobox "City" = Aarau ${COMBOBOX} required`);
  expect(await tree('listbox')).toEqual([]);
  await expectSoon(async () => (await told()).includes('This city has 4 codes: choose one.'), true);
  expect((await fields())[2]).toBe(
    `combobox "Postal code (PLZ/NPA)" (This city has 4 codes: choose one.) ${COMBOBOX} required`,
  );
});

test('what is read aloud is in the tree before it has a text', async () => {
  await scene.showAddress(page, 'country="CH"');
  const displays = await onElement<string[]>(
    page,
    '[...element.shadowRoot.querySelectorAll("[aria-live], [role=status]")].map((region) => getComputedStyle(region).display)',
  );
  expect(displays.length).toBeGreaterThan(5);
  expect(displays).not.toContain('none');
});

test('a code that fills in the rest is told, and so is the number of its cities', async () => {
  await scene.showAddress(page, 'country="US"');
  await fieldOf(page, 'postal-code').fill('95014');
  await expectSoon(told, ['City: Cupertino, State: California']);
  await scene.showAddress(page, 'country="CH"');
  await fieldOf(page, 'postal-code').fill('1008');
  await expectSoon(told, ['2 cities have this code: choose one.']);
  expect((await fields()).at(-1)).toBe(`combobox "City" (2 cities have this code: choose one.) ${COMBOBOX} required`);
});

test('a text without suggestions, one suggestion, and an optional field are told', async () => {
  await scene.showAddress(page, 'country="IE"');
  await fieldOf(page, 'city').pressSequentially('Qqqq');
  await expectSoon(told, ['No results']);
  expect((await fields()).at(-1)).toBe(`combobox "Eircode (optional)" ${COMBOBOX}`);
});

test('errors and a code that is not known describe their fields', async () => {
  await scene.showAddress(page, 'country="DE"');
  await fieldOf(page, 'postal-code').fill('99999');
  const hint = 'We don’t know this code: 99999 (Germany). Check it, or go on if it is right.';
  await expectSoon(told, [hint]);
  await page.getByRole('button', { name: 'Send' }).click();
  await expectSoon(() => page.locator('#city-error').textContent(), 'Please fill in this field.');
  expect((await fields()).slice(1)).toEqual([
    'textbox "Street address" (Please fill in this field.) invalid=true required',
    `combobox "Postal code (PLZ)" (${hint}) = 99999 ${COMBOBOX} required`,
    `combobox "City" (Please fill in this field.) invalid=true ${COMBOBOX} required`,
  ]);
});

test('a field of a code alone has the name that the page gives it', async () => {
  const element = `<postal-code-input id="zip" ${scene.access} country="US" required></postal-code-input>`;
  await scene.show(page, formAround(`<label for="zip">Your ZIP</label>${element}`));
  expect(await fields()).toEqual([`combobox "Your ZIP" ${COMBOBOX} required`]);
  await page.locator('#postal-code').fill('95014');
  await expectValue(page.locator('#postal-code'), '95014');
  await expectSoon(() => page.locator('postal-code-input span[role=status]').textContent(), 'Cupertino');
});
