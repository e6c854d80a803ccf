/** What the element tells the page by its `change` events, and what the page may set: country, languages, messages, fields. */

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

const EMPTY = { country: 'DE', street: '', suburb: '', city: '', state: '', postalCode: '' };

const field = (name: string): Locator => fieldOf(page, name);
const labels = (): Promise<string[]> => page.locator('postal-address-form label').allTextContents();
const setValue = (value: object): Promise<unknown> => onElement(page, `element.value = ${JSON.stringify(value)}`);

describe('a change event', () => {
  interface Detail {
    readonly value: { readonly postalCode: string; readonly city: string };
    readonly place: { readonly name: string; readonly postalCode: string; readonly countryCode: string } | null;
    readonly match: string | null;
  }

  test('has the address, the place and how the code is known, once for each state', async () => {
    await scene.showAddress(page, 'country="DE"');
    await hear(page);
    await field('postal-code').pressSequentially('10117');
    await expectValue(field('city'), 'Berlin');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const [first, ...more] = await heard<Detail>(page);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      value: { ...EMPTY, postalCode: '10117', city: 'Berlin' },
      place: { name: 'Berlin', postalCode: '10117', countryCode: 'DE' },
      match: 'exact',
    });
    await field('street').fill('Linden');
    await page.keyboard.press('Tab');
    await field('postal-code').focus();
    await page.keyboard.press('Escape');
    await expectSoon(
      async () => (await heard<Detail>(page)).map(({ value, match }) => [value.postalCode, match]),
      [
        ...[
          ['10117', 'exact'],
          ['10117', 'exact'],
          ['', null],
        ],
      ],
    );
  });

  test('comes of no value that the page writes, until something is known of it', async () => {
    await scene.showAddress(page, 'country="DE"');
    await hear(page);
    await setValue({ street: 'Linden 77' });
    await setValue({ postalCode: '10117' });
    await expectSoon(async () => (await heard<Detail>(page)).map(({ place }) => place?.name), ['Berlin']);
    // As a framework does that writes back what it was told.
    await onElement(page, 'element.value = heard[0].value');
    await field('postal-code').fill('14467');
    await expectValue(field('city'), 'Potsdam');
  });
});

describe('the country', () => {
  test.each([
    ['attribute', 'element.setAttribute("country", "us")'],
    ['property', 'element.country = "US"'],
    ['value', 'element.value = { country: "US" }'],
  ])(
    'that the page changes by its %s keeps what the user has written, and not what was filled in',
    async (_, change) => {
      await scene.showAddress(page, 'country="DE"');
      await field('street').fill('1 Main St');
      await field('postal-code').fill('10117');
      await expectValue(field('city'), 'Berlin');
      await field('street').focus();
      await onElement(page, change);
      expect(await labels()).toEqual(['Country', 'Street address', 'City', 'State', 'ZIP code']);
      expect(await onElement(page, 'element.value')).toMatchObject({
        country: 'US',
        street: '1 Main St',
        postalCode: '10117',
      });
      // In the United States it is another city's code.
      await expectValue(field('city'), 'New York');
      await expectValue(field('state'), 'New York');
      expect(await field('country').inputValue()).toBe('US');
    },
  );

  test('that the user changes keeps what was typed, and not what was chosen from a list of the previous one', async () => {
    await scene.showAddress(page, 'country="US"');
    await field('street').fill('1 Main St');
    await field('city').pressSequentially('Cuperti');
    await page.getByRole('option', { name: 'Cupertino' }).first().click();
    await expectValue(field('state'), 'California');
    await field('country').selectOption('DE');
    expect(await onElement(page, 'element.value')).toEqual({ ...EMPTY, street: '1 Main St' });
    await field('country').selectOption('US');
    expect(await onElement(page, '[element.value.city, element.value.state]')).toEqual(['', '']);
    await field('city').fill('Cupertino');
    await field('postal-code').fill('95014');
    await expectValue(field('state'), 'California');
    await field('country').selectOption('CA');
    expect(await onElement(page, 'element.value')).toMatchObject({ city: 'Cupertino', state: '', postalCode: '95014' });
  });

  test('that the user changes stays when the page sets another attribute', async () => {
    await scene.showAddress(page, 'country="DE"');
    await field('country').selectOption('CH');
    await onElement(page, 'element.setAttribute("fields", "postal-code city")');
    expect(await field('country').inputValue()).toBe('CH');
    expect(await labels()).toEqual(['Country', 'Postal code (PLZ/NPA)', 'City']);
  });

  test.each([
    ['DE, at  CH', ['Austria', 'Germany', 'Switzerland']],
    [' de ', []],
    ['Germany', undefined],
    ['', undefined],
  ])('is one of "%s"', async (countries, names) => {
    await scene.showAddress(page, `country="DE" countries="${countries}"`);
    expect(await field('country').inputValue()).toBe('DE');
    const options = await field('country').locator('option').allTextContents();
    if (names === undefined) expect(options.length).toBe(250);
    else expect((await field('country').isVisible()) ? options : []).toEqual(names);
  });

  test('that is nothing, or not of the list, is that of the browser or the first one', async () => {
    await scene.showAddress(page, 'country="Utopia" countries="CH AT CH"');
    expect(await field('country').inputValue()).toBe('CH');
    await scene.showAddress(page, '');
    expect(await field('country').inputValue()).toBe('US');
  });
});

describe('the language', () => {
  test.each([
    ['en', ['Country', 'Street address', 'Postal code (PLZ)', 'City'], 'Germany'],
    ['de', ['Land', 'Straße und Hausnummer', 'PLZ', 'Ort'], 'Deutschland'],
    ['de_AT', ['Land', 'Straße und Hausnummer', 'PLZ', 'Ort'], 'Deutschland'],
    ['fr-CA', ['Pays', 'Numéro et rue', 'Code postal (PLZ)', 'Ville'], 'Allemagne'],
    ['es', ['País', 'Calle y número', 'Código postal (PLZ)', 'Ciudad'], 'Alemania'],
    ['no language!', ['Country', 'Street address', 'Postal code (PLZ)', 'City'], 'Germany'],
  ])('"%s" of the page is that of labels and countries', async (lang, expected, country) => {
    await scene.showAddress(page, 'country="DE"', `lang="${lang}"`);
    expect(await labels()).toEqual(expected);
    expect(await field('country').locator('option:checked').textContent()).toBe(country);
  });

  test('of the page holds inside of another component too', async () => {
    await scene.show(page, '<div id="component"></div>', 'lang="de"');
    await page.evaluate(`document.querySelector('#component').attachShadow({ mode: 'open' })
      .append(Object.assign(document.createElement('postal-address-form'), { country: 'DE' }))`);
    expect(await labels()).toEqual(['Land', 'Straße und Hausnummer', 'PLZ', 'Ort']);
  });

  test('of a browser that tells none is English, and the country the first one', async () => {
    const other = await scene.newPage();
    // Chromium says so where the system has the locale C.
    await other.addInitScript("Object.defineProperty(navigator, 'language', { value: 'en-US@posix' })");
    await scene.show(other, formAround('<postal-address-form></postal-address-form>'), '');
    expect(await fieldOf(other, 'country').inputValue()).toBe('AF');
    expect(await other.locator('postal-address-form label').first().textContent()).toBe('Country');
  });

  test('of the element wins, and the messages of the page win over both', async () => {
    await scene.showAddress(page, 'country="DE" lang="de"', 'lang="fr"');
    await onElement(page, 'element.messages = { city: "Stadt <b>", required: "Fehlt noch." }');
    expect((await labels()).at(-1)).toBe('Stadt <b>');
    await onElement(page, 'element.reportValidity()');
    expect(await page.locator('postal-address-form .error').allTextContents()).toEqual(Array(3).fill('Fehlt noch.'));
    expect(await onElement(page, 'element.validationMessage')).toBe('Fehlt noch.');
    await onElement(page, 'element.messages = {}');
    expect((await labels()).at(-1)).toBe('Ort');
  });
});

test.each([
  ['an address', 'postal-address-form', "element.value = { country: 'DE', postalCode: '10117' }"],
  ['a code', 'postal-code-input', "element.value = '10117'; element.country = 'DE'"],
])('%s that is written before the element is in the page is asked about there', async (_, name, write) => {
  await scene.show(page, formAround(''));
  const detail = await page.evaluate(`new Promise((resolve) => {
    const element = document.createElement('${name}');
    element.setAttribute('api-key', '${scene.key}');
    element.setAttribute('api', '${scene.api.origin}');
    ${write};
    element.addEventListener('change', ({ detail }) => resolve(detail));
    document.querySelector('form').prepend(element);
  })`);
  expect(detail).toMatchObject({ place: { name: 'Berlin', countryCode: 'DE' }, match: 'exact' });
  expect(scene.api.targets).toEqual(['/v1/countries/DE/postcodes/10117?include=codes%2Ccity%2Cpopulation']);
});

test('an element that is moved in the page keeps its fields', async () => {
  await scene.show(
    page,
    formAround(
      `<postal-address-form ${scene.access} country="DE"><input name="plz" autocomplete="postal-code" value="14467"></postal-address-form><div id="other"></div>`,
    ),
  );
  await expectValue(field('city'), 'Potsdam');
  await field('postal-code').fill('10117');
  await expectValue(field('city'), 'Berlin');
  await field('street').fill('Linden 77');
  await page.evaluate('document.querySelector("#other").append(document.querySelector("postal-address-form"))');
  expect(await send()).toEqual([
    ['country', 'DE'],
    ['street', 'Linden 77'],
    ['plz', '10117'],
    ['city', 'Berlin'],
  ]);
});
