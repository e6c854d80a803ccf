/** The elements as parts of a form: what is required, reset, disabled, restored. */

import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import {
  expectSoon,
  expectValue,
  fieldOf,
  formAround,
  hear,
  heard,
  onElement,
  page,
  scene,
  send,
} from './web-scene.js';

const GERMAN = { country: 'DE', street: 'Unter den Linden 77', postalCode: '10117', city: 'Berlin' };
const EMPTY = { country: 'DE', street: '', suburb: '', city: '', state: '', postalCode: '' };

const field = (name: string): Locator => fieldOf(page, name);
const errors = (): Promise<string[]> => page.locator('postal-address-form .error').allTextContents();
const setValue = (value: object): Promise<unknown> => onElement(page, `element.value = ${JSON.stringify(value)}`);
const focused = (): Promise<string> =>
  page.evaluate<string>('document.activeElement.shadowRoot?.activeElement?.id ?? document.activeElement.id');

describe('what is required', () => {
  const REQUIRED = 'Please fill in this field.';

  test('keeps the form from being sent, with an error beside each field and the focus on the first', async () => {
    await scene.showAddress(page, 'country="DE"');
    await field('postal-code').fill('10117');
    await expectValue(field('city'), 'Berlin');
    await field('city').fill('');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectSoon(focused, 'street');
    expect(await errors()).toEqual([REQUIRED, '', REQUIRED]);
    expect(await field('street').getAttribute('aria-invalid')).toBe('true');
    await field('street').fill('Unter den Linden 77');
    expect(await field('street').getAttribute('aria-invalid')).toBe(null);
    expect(await errors()).toEqual(['', '', REQUIRED]);
    await field('city').fill('Berlin');
    expect((await send()).length).toBe(4);
  });

  test('is missing no longer when an option is chosen or the field is filled in', async () => {
    await scene.showAddress(page, 'country="CH"');
    await page.getByRole('button', { name: 'Send' }).click();
    expect(await errors()).toEqual([REQUIRED, REQUIRED, REQUIRED]);
    await field('postal-code').fill('1008');
    await page.locator('#city-hint').filter({ hasText: '2 cities' }).waitFor();
    await field('city').focus();
    await page.getByRole('option', { name: 'Prilly' }).click();
    expect(await errors()).toEqual([REQUIRED, '', '']);
    expect(await field('city').getAttribute('aria-invalid')).toBe(null);
  });

  test.each([
    ['before it', '<input id="mail" type="email" required>', '', 'mail'],
    ['behind it', '', '<input id="mail" type="email" required>', 'street'],
  ])('has the focus on the first wrong field of the page: one %s, in a fieldset', async (_, before, behind, first) => {
    const element = `<postal-address-form ${scene.access} country="DE"></postal-address-form>`;
    await scene.show(page, formAround(`<fieldset>${before}${element}${behind}</fieldset>`));
    await page.getByRole('button', { name: 'Send' }).click();
    await expectSoon(errors, [REQUIRED, REQUIRED, REQUIRED]);
    await expectSoon(focused, first);
  });

  test('is told by checkValidity without a word, by reportValidity with errors', async () => {
    await scene.showAddress(page, 'country="DE"');
    expect(
      await onElement(page, '[element.checkValidity(), element.validity.valueMissing, element.willValidate]'),
    ).toEqual([false, true, true]);
    expect(await errors()).toEqual(['', '', '']);
    expect(await onElement(page, '[element.reportValidity(), element.validationMessage]')).toEqual([false, REQUIRED]);
    expect(await errors()).toEqual([REQUIRED, REQUIRED, REQUIRED]);
    await setValue(GERMAN);
    expect(
      await onElement(page, '[element.checkValidity(), element.form.checkValidity(), element.validationMessage]'),
    ).toEqual([true, true, '']);
    expect(await errors()).toEqual(['', '', '']);
  });

  test('is asked after every letter by some pages, which disturbs nobody who writes', async () => {
    const element = `<postal-address-form ${scene.access} country="DE"></postal-address-form>`;
    await scene.show(page, formAround(`${element}<label>Note <input name="note"></label>`));
    await onElement(page, 'element.form.addEventListener("input", () => element.form.checkValidity())');
    await onElement(page, 'element.form.addEventListener("change", () => element.form.checkValidity())');
    await field('city').click();
    await page.keyboard.type('Pots dam');
    await page.getByLabel('Note').click();
    await page.keyboard.type('Ring twicee');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Control+x');
    expect(await onElement(page, '[element.value.city, element.form.elements.note.value]')).toEqual([
      'Pots dam',
      'Ring twice',
    ]);
    expect(await errors()).toEqual(['', '', '']);
    // As a screen reader does: without a key and without a pointer.
    await page.evaluate('document.querySelector("button").click()');
    await expectSoon(focused, 'street');
    expect(await errors()).toEqual([REQUIRED, REQUIRED, '']);
    await page.getByLabel('Note').click();
    await page.keyboard.press('Enter');
    await expectSoon(focused, 'street');
  });

  test('is told by the browser where a shortcut of the page sends the form', async () => {
    await scene.showAddress(page, 'country="DE"');
    await page.evaluate(
      "onkeydown = ({ key, ctrlKey }) => { if (ctrlKey && key === 'm') document.forms[0].requestSubmit(); }",
    );
    await field('street').fill('Linden 77');
    await page.keyboard.press('Control+m');
    await expectSoon(focused, 'postal-code');
    expect(scene.pages.sent).toEqual([]);
  });

  test('is asked while the user writes in another component, which disturbs nobody', async () => {
    const element = `<postal-address-form ${scene.access} country="DE"></postal-address-form>`;
    await scene.show(page, formAround(`${element}<div id="component"></div>`));
    await page.evaluate(`{
      const input = document.querySelector('#component').attachShadow({ mode: 'open' })
        .appendChild(Object.assign(document.createElement('input'), { id: 'note' }));
      input.addEventListener('input', () => document.forms[0].checkValidity());
      input.focus();
    }`);
    await page.keyboard.type('Ring');
    expect(await focused()).toBe('note');
    expect(await errors()).toEqual(['', '', '']);
  });

  test('is no error in a country that does not need it', async () => {
    await scene.showAddress(page, 'country="DE"');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectSoon(errors, [REQUIRED, REQUIRED, REQUIRED]);
    await field('country').selectOption('IE');
    expect(await page.locator('#postal-code-error').textContent()).toBe('');
    expect(await field('postal-code').getAttribute('aria-invalid')).toBe(null);
    expect(await page.locator('#city-error').textContent()).toBe(REQUIRED);
  });

  test('is only what the country has and the page wants', async () => {
    await scene.showAddress(page, 'country="DE" fields="postal-code, city"');
    await setValue({ postalCode: '10117', city: 'Berlin' });
    expect(await send()).toEqual([
      ['country', 'DE'],
      ['postal-code', '10117'],
      ['city', 'Berlin'],
    ]);
    await scene.showAddress(page, 'country="IE"');
    await setValue({ street: '1 Main St' });
    expect(await onElement(page, 'element.checkValidity()')).toBe(false);
    await setValue({ city: 'Cork' });
    expect(await onElement(page, 'element.checkValidity()')).toBe(true);
  });
});

describe('a form', () => {
  test('is reset to what it began with, and tells of the same address again', async () => {
    await scene.showAddress(page, 'country="DE"');
    await hear(page);
    await field('postal-code').fill('10117');
    await expectSoon(async () => (await heard(page)).length, 1);
    await field('country').selectOption('CH');
    await page.getByRole('button', { name: 'Send' }).click();
    await onElement(page, 'element.form.reset()');
    expect(await onElement(page, 'element.value')).toEqual(EMPTY);
    expect(await errors()).toEqual(['', '', '']);
    expect(await page.locator('postal-address-form [part=hint]').allTextContents()).toEqual(Array(4).fill(''));
    await page.evaluate('heard.length = 0');
    await field('postal-code').fill('10117');
    await expectSoon(async () => (await heard(page)).length, 1);
  });

  test('has nothing of the code before when it is reset: no hint and no list of cities', async () => {
    await scene.showAddress(page, 'country="CH"');
    await field('postal-code').fill('1008');
    await page.locator('#city-hint').filter({ hasText: '2 cities' }).waitFor();
    await onElement(page, 'element.form.reset()');
    expect(await page.locator('#city-hint').textContent()).toBe('');
    await field('city').focus();
    expect(await page.locator('#city-list').isVisible()).toBe(false);
  });

  test('has the element among its elements and its FormData, and nothing of it while disabled', async () => {
    const element = `<postal-address-form ${scene.access} country="DE" name="to"></postal-address-form>`;
    await scene.show(page, formAround(`<fieldset>${element}</fieldset><input name="note" value="x">`));
    await setValue(GERMAN);
    const entries = (): Promise<unknown> => onElement(page, 'Object.fromEntries(new FormData(element.form))');
    const sent = { 'to-country': 'DE', 'to-street': GERMAN.street, 'to-postal-code': '10117', 'to-city': 'Berlin' };
    expect(await entries()).toEqual({ ...sent, note: 'x' });
    expect(
      await onElement(page, '[...element.form.elements].includes(element) && element.form.elements.to === element'),
    ).toBe(true);
    await onElement(page, '(element.closest("fieldset").disabled = true)');
    expect(await entries()).toEqual({ note: 'x' });
    expect(await page.locator('postal-address-form :is(input, select):enabled').count()).toBe(0);
    await onElement(page, '(element.closest("fieldset").disabled = false, element.toggleAttribute("disabled", true))');
    expect(await page.locator('postal-address-form :is(input, select):enabled').count()).toBe(0);
    await onElement(page, 'element.toggleAttribute("disabled", false)');
    expect(await entries()).toEqual({ ...sent, note: 'x' });
  });

  test('has its fields again after going back', async () => {
    await scene.showAddress(page, 'country="US"');
    await field('country').selectOption('DE');
    await field('street').fill('Unter den Linden 77');
    await field('postal-code').fill('10117');
    await expectValue(field('city'), 'Berlin');
    await send();
    await page.goBack();
    await expectSoon(() => onElement(page, 'element.value'), { ...EMPTY, ...GERMAN });
    expect((await send()).length).toBe(4);
  });
});
