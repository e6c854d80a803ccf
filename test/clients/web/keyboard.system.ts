/**
 * The form by keyboard alone: the order of the fields, and the keys of an editable combobox with list autocomplete and manual
 * selection (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). And what screen readers are told: names, roles and states
 * of the fields at each step, as Chromium's accessibility tree has them.
 */

import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { CDPSession, Locator } from 'playwright-core';
import { expectSoon, expectValue, fieldOf, onElement, page, scene, sentFrom } from './web-scene.js';

const press = (key: string): Promise<void> => page.keyboard.press(key);
const write = (text: string): Promise<void> => page.keyboard.type(text);
const field = (name: string): Locator => fieldOf(page, name);
/** The field with the focus, and all of its state that the keys change. */
const focused = (): Promise<string> =>
  page.evaluate<string>('document.activeElement.shadowRoot?.activeElement?.id ?? document.activeElement.localName');
const optionsOf = (name: string): Locator => page.locator(`#${name}-list [role=option]`);
const isOpen = (name: string): Promise<boolean> => page.locator(`#${name}-list`).isVisible();
/** Number of the option that the arrows are at, -1 for none. */
async function activeIn(name: string): Promise<number> {
  const id = await field(name).getAttribute('aria-activedescendant');
  const selected = await page
    .locator(`#${name}-list [aria-selected=true]`)
    .evaluateAll((options) => options.map(({ id }) => id));
  expect(selected).toEqual(id === null ? [] : [id]);
  return id === null ? -1 : Number(id.slice(id.lastIndexOf('-') + 1));
}

test('from empty to sent in the United States: a ZIP code fills in city and state', async () => {
  await scene.showAddress(page, 'country="US"');
  const order: string[] = [];
  for (let at = 0; at < 6; at++) {
    await press('Tab');
    order.push(await focused());
  }
  expect(order).toEqual(['country', 'street', 'city', 'state', 'postal-code', 'button']);
  for (let at = 0; at < 4; at++) await press('Shift+Tab');
  await write('1 Apple Park Way');
  for (let at = 0; at < 3; at++) await press('Tab');
  await write('95014');
  await expectValue(field('city'), 'Cupertino');
  await expectValue(field('state'), 'California');
  expect(await focused()).toBe('postal-code');
  await press('Enter');
  expect(await sentFrom()).toEqual([
    ['country', 'US'],
    ['street', '1 Apple Park Way'],
    ['city', 'Cupertino'],
    ['state', 'California'],
    ['postal-code', '95014'],
  ]);
});

describe('the list of cities', () => {
  beforeEach(async () => {
    await scene.showAddress(page, 'country="CH"');
    await field('city').focus();
    await write('Aar');
    await optionsOf('city').first().waitFor();
  });

  test('moves with Down and Up around its ends, and the caret stays where it is', async () => {
    const count = await optionsOf('city').count();
    expect(count).toBeGreaterThan(2);
    const seen: number[] = [await activeIn('city')];
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp', 'ArrowDown']) {
      await press(key);
      seen.push(await activeIn('city'));
    }
    expect(seen).toEqual([-1, 0, 1, 0, count - 1, 0]);
    expect(await field('city').inputValue()).toBe('Aar');
    expect(
      await field('city').evaluate((input) => (input as unknown as { selectionStart: number }).selectionStart),
    ).toBe(3);
  });

  test.each(['ArrowLeft', 'ArrowRight', 'Home', 'End'])('%s moves the caret, and the list stays', async (key) => {
    await press('ArrowDown');
    await press(key);
    expect(await activeIn('city')).toBe(-1);
    expect(await isOpen('city')).toBe(true);
    await write('x');
    const expected: Record<string, string> = { ArrowLeft: 'Aaxr', ArrowRight: 'Aarx', Home: 'xAar', End: 'Aarx' };
    expect(await field('city').inputValue()).toBe(expected[key]);
  });

  test('Enter chooses the option, and the code of the city comes with it or is offered', async () => {
    await press('ArrowDown');
    const chosen = await optionsOf('city').first().locator('span').textContent();
    await press('Enter');
    expect(await field('city').inputValue()).toBe(chosen);
    expect(await isOpen('city')).toBe(false);
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('Enter without an option sends the form, as in any field', async () => {
    await onElement(page, 'element.value = { street: "Rain 18", postalCode: "5000" }');
    await press('Enter');
    const sent = await sentFrom();
    expect(sent.find(([name]) => name === 'city')).toEqual(['city', 'Aar']);
  });

  test('Escape closes it and keeps the text, and again empties the field', async () => {
    await press('ArrowDown');
    await press('Escape');
    expect([await isOpen('city'), await activeIn('city'), await field('city').inputValue()]).toEqual([
      false,
      -1,
      'Aar',
    ]);
    await press('Escape');
    expect(await field('city').inputValue()).toBe('');
    expect(await focused()).toBe('city');
  });

  test('Alt with Up closes it, Alt with Down opens it without an option, Down and Up with one', async () => {
    await press('Alt+ArrowUp');
    expect([await isOpen('city'), await field('city').inputValue()]).toEqual([false, 'Aar']);
    await press('Alt+ArrowDown');
    await expectSoon(() => isOpen('city'), true);
    expect(await activeIn('city')).toBe(-1);
    await press('Alt+ArrowUp');
    await press('ArrowDown');
    await expectSoon(() => isOpen('city'), true);
    await expectSoon(() => activeIn('city'), 0);
    await press('Escape');
    await press('ArrowUp');
    await expectSoon(async () => activeIn('city'), (await optionsOf('city').count()) - 1);
  });

  test('Tab closes it, chooses nothing, and goes on', async () => {
    await press('ArrowDown');
    await press('Tab');
    expect([await isOpen('city'), await field('city').inputValue(), await focused()]).toEqual([false, 'Aar', 'button']);
  });
});

test('a composing input method has its keys to itself', async () => {
  await scene.showAddress(page, 'country="CH"');
  await field('city').focus();
  await write('Aar');
  await optionsOf('city').first().waitFor();
  for (const key of ['ArrowDown', 'Enter', 'Escape']) {
    await field('city').dispatchEvent('keydown', { key, isComposing: true, bubbles: true });
  }
  expect([await isOpen('city'), await activeIn('city'), await field('city').inputValue()]).toEqual([true, -1, 'Aar']);
  expect(new URL(page.url()).pathname).toBe('/');
});

let session: CDPSession;
beforeAll(async () => {
  session = await page.context().newCDPSession(page);
});

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
const ARGAU = ['Aarau Kanton Aargau', 'Aarau 1 Aarau', 'Aarau Rohr Kanton Aargau', 'Baden Kanton Aargau'];
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

test('a code that fills in the rest is told, and so is the number of its cities', async () => {
  await scene.showAddress(page, 'country="US"');
  await fieldOf(page, 'postal-code').fill('95014');
  await expectSoon(told, ['City: Cupertino, State: California']);
  await scene.showAddress(page, 'country="CH"');
  await fieldOf(page, 'postal-code').fill('1008');
  await expectSoon(told, ['2 cities have this code: choose one.']);
  expect((await fields()).at(-1)).toBe(`combobox "City" (2 cities have this code: choose one.) ${COMBOBOX} required`);
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

test('a text without suggestions, one suggestion, and an optional field are told', async () => {
  await scene.showAddress(page, 'country="IE"');
  await fieldOf(page, 'city').pressSequentially('Qqqq');
  await expectSoon(told, ['0 results']);
  expect((await fields()).at(-1)).toBe(`combobox "Eircode (optional)" ${COMBOBOX}`);
});

test('errors and a code that is not known describe their fields', async () => {
  await scene.showAddress(page, 'country="DE"');
  await fieldOf(page, 'postal-code').fill('99999');
  const hint = 'We don’t know this code: 99999 (Germany). Check it, or go on.';
  await expectSoon(told, [hint]);
  await page.getByRole('button', { name: 'Send' }).click();
  await expectSoon(() => page.locator('#city-error').textContent(), 'Please fill in this field.');
  expect((await fields()).slice(1)).toEqual([
    'textbox "Street address" (Please fill in this field.) invalid=true required',
    `combobox "Postal code (PLZ)" (${hint}) = 99999 ${COMBOBOX} required`,
    `combobox "City" (Please fill in this field.) invalid=true ${COMBOBOX} required`,
  ]);
});
