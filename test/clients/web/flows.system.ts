/**
 * From empty to sent in countries of each kind: with states, with the code first, with parts of codes alone, without data.
 * What is sent is compared as a whole, and a code that nobody knows never keeps a form from being sent. And browsers that
 * fill in a whole form: each field gets its text by events without typing, in an order of the browser's. No list opens, and
 * what the browser has written stays. Chrome's own filling sends the same events.
 */

import { describe, expect, test } from '@jest/globals';
import {
  answerWith,
  expectSoon,
  expectValue,
  fieldOf,
  formAround,
  inferWarsaw,
  onElement,
  page,
  scene,
  send,
} from './web-scene.js';

/** Writes into the field as a user does, and leaves it. */
async function write(name: string, text: string): Promise<void> {
  await fieldOf(page, name).focus();
  await page.keyboard.type(text);
  await page.keyboard.press('Tab');
}

const hintOf = (name: string): Promise<string | null> => page.locator(`#${name}-hint`).textContent();
const option = (text: string) => page.getByRole('option').filter({ hasText: text });

describe('from empty to sent', () => {
  test('United States: the city comes first, and its codes are offered', async () => {
    await scene.showAddress(page, 'country="US"');
    await write('street', '10600 N Tantau Ave');
    await fieldOf(page, 'city').focus();
    await page.keyboard.type('cuperti');
    await option('Cupertino').first().click();
    await expectValue(fieldOf(page, 'state'), 'California');
    await expectSoon(() => hintOf('postal-code'), 'This city has 2 codes: choose one.');
    await fieldOf(page, 'postal-code').focus();
    await option('95014').click();
    expect(await send()).toEqual([
      ['country', 'US'],
      ['street', '10600 N Tantau Ave'],
      ['city', 'Cupertino'],
      ['state', 'California'],
      ['postal-code', '95014'],
    ]);
  });

  test('Germany: a city of many codes lists those that begin as typed, and a choice names the city', async () => {
    await scene.showAddress(page, 'country="DE"');
    await fieldOf(page, 'city').focus();
    await page.keyboard.type('munich');
    await option('München').first().click();
    await fieldOf(page, 'postal-code').focus();
    await page.keyboard.type('80');
    await option('80333').click();
    await expectSoon(() => onElement(page, 'element.place?.postalCode'), '80333');
    expect(await onElement(page, '[element.value.city, element.match]')).toEqual(['München', 'exact']);
    await scene.showAddress(page, 'country="CH"');
    await fieldOf(page, 'postal-code').focus();
    await page.keyboard.type('109');
    await option('1091').filter({ hasText: 'Aran' }).click();
    await expectValue(fieldOf(page, 'city'), 'Aran');
  });

  test.each(['de', 'ru-RU-u-hc-h23', 'xx'])(
    'Switzerland: on a page in %s an address has the name of the country itself',
    async (lang) => {
      await scene.showAddress(page, 'country="CH"', `lang="${lang}"`);
      await write('postal-code', '1201');
      await expectValue(fieldOf(page, 'city'), 'Genève');
      expect(scene.api.targets.filter((target) => target.includes('lang='))).toEqual([]);
    },
  );

  test.each([
    ['de', 'Genf'],
    ['ru-RU-u-ca-gregory-co-phonebk-hc-h23-nu-latn', 'Женева'],
    ['xx', 'Genève'],
    ['', 'Genève'],
  ])('Switzerland: a page may ask for names in "%s", and a local name is the same place', async (lang, city) => {
    await scene.showAddress(page, `country="CH" address-lang="${lang}"`);
    await write('postal-code', '1201');
    await expectValue(fieldOf(page, 'city'), city);
    await fieldOf(page, 'city').fill('Genève');
    expect(await onElement(page, '[element.place?.name, element.place?.localName]')).toEqual([city, 'Genève']);
  });

  test.each([
    ['ja', '서울특별시'],
    ['fr', 'Seoul'],
  ])('Korea: on a page in %s the city is %s', async (lang, city) => {
    await scene.showAddress(page, 'country="KR"', `lang="${lang}"`);
    const seoul = { id: 'seoul', name: 'Seoul', localName: '서울특별시', type: 'region', level: 1 };
    const place = { ...seoul, id: 'gangnam', name: 'Gangnam-gu', localName: '강남구', type: 'locality' };
    const places = [{ ...place, countryCode: 'KR', postalCode: '06236', ancestors: [seoul], city: seoul }];
    scene.api.answer = answerWith(200, { data: { postcode: '06236', places } });
    await write('postal-code', '06236');
    await expectValue(fieldOf(page, 'city'), city);
    await expectValue(fieldOf(page, 'state'), city);
  });

  test('Switzerland: a code of several cities has one chosen, which follows the next code', async () => {
    await scene.showAddress(page, 'country="CH"', 'lang="fr"');
    await write('street', 'Route de Cossonay 40');
    await write('postal-code', '1008');
    await expectSoon(() => hintOf('city'), '2 villes ont ce code. Choisissez-en une.');
    await option('Prilly').click();
    expect(await hintOf('city')).toBe('');
    await fieldOf(page, 'postal-code').fill('5000');
    await expectValue(fieldOf(page, 'city'), 'Aarau');
    await fieldOf(page, 'postal-code').fill('');
    await write('postal-code', '1008');
    await option('Prilly').click();
    expect(await send()).toEqual([
      ['country', 'CH'],
      ['street', 'Route de Cossonay 40'],
      ['postal-code', '1008'],
      ['city', 'Prilly'],
    ]);
  });

  test('Netherlands: the whole code is kept where the data has its first part', async () => {
    await scene.showAddress(page, 'country="NL"');
    await write('street', 'Markt 1');
    await write('postal-code', '9401 AB');
    await expectValue(fieldOf(page, 'city'), 'Assen');
    expect(await hintOf('postal-code')).toBe('');
    expect(await send()).toEqual([
      ['country', 'NL'],
      ['street', 'Markt 1'],
      ['postal-code', '9401 AB'],
      ['city', 'Assen'],
    ]);
  });

  test('Canada: a code tells the province, and the city around its area', async () => {
    await scene.showAddress(page, 'country="CA"');
    await write('street', '150 Elgin St');
    await write('postal-code', 'K2P 1L4');
    await expectValue(fieldOf(page, 'state'), 'Ontario');
    await expectValue(fieldOf(page, 'city'), 'Ottawa');
    expect(await send()).toEqual([
      ['country', 'CA'],
      ['street', '150 Elgin St'],
      ['city', 'Ottawa'],
      ['state', 'Ontario'],
      ['postal-code', 'K2P 1L4'],
    ]);
  });

  test.each([
    ['CA', 'K1A 0B1', 'Ottawa', 'a part of the city'],
    ['CA', 'L9R 1W7', 'Alliston', 'the city itself'],
  ])('%s: the first part of %s decides on %s, %s', async (country, code, city) => {
    await scene.showAddress(page, `country="${country}"`);
    await write('postal-code', code);
    await expectValue(fieldOf(page, 'city'), city);
  });

  test('Canada: an area that is no town is nobody’s city', async () => {
    await scene.showAddress(page, 'country="CA"');
    await write('postal-code', 'T0A 0A0');
    await expectValue(fieldOf(page, 'state'), 'Alberta');
    expect(await fieldOf(page, 'city').inputValue()).toBe('');
  });

  test('United Kingdom: the first part of a code has the city that the API has for it, and offers the others', async () => {
    await scene.showAddress(page, 'country="GB"');
    const england = { id: 'england', name: 'England', localName: 'England', type: 'region', level: 1 };
    const of = (name: string, population: number | null, city = name): object => ({
      ...{ id: name, name, localName: name, type: 'locality', level: 2, countryCode: 'GB', ancestors: [england] },
      ...{ postalCode: 'OX1', population, city: { id: city, name: city } },
    });
    const places = [
      of('Boars Hill', 561),
      of('Kennington', null),
      of('Oxford', 162_100),
      of('Hinksey', null, 'Oxford'),
    ];
    const oxford = { id: 'Oxford', name: 'Oxford' };
    scene.api.answer = (response, target) => {
      const isSuggestion = target.includes('kinds=postcode');
      const check = { postcode: 'OX1', match: 'partial' };
      const codes = [
        { postalCode: 'OX10', placeName: 'Benson', city: { id: 'Wallingford', name: 'Wallingford' } },
        { postalCode: 'OX1', placeName: 'Oxford', city: oxford },
      ];
      const data = target.includes('/check') ? check : isSuggestion ? codes : { postcode: 'OX1', places };
      answerWith(200, { data })(response, target);
    };
    await write('postal-code', 'OX1 3BG');
    await expectValue(fieldOf(page, 'city'), 'Oxford');
    expect(await onElement(page, '[element.place?.name, element.match]')).toEqual(['Oxford', 'partial']);
    await fieldOf(page, 'city').click();
    expect(await page.locator('#city-list [role=option] span').allTextContents()).toEqual([
      'Boars Hill',
      'Kennington',
      'Oxford',
    ]);
  });

  test('Poland: a code that the data lacks has the town of its block, and says so', async () => {
    await scene.showAddress(page, 'country="PL"');
    scene.api.answer = inferWarsaw;
    await write('postal-code', '00-001');
    await expectValue(fieldOf(page, 'city'), 'Warszawa');
    expect(await hintOf('postal-code')).toBe('Not a code that we know, but it belongs to Warszawa.');
    expect(await onElement(page, '[element.match, element.place?.name]')).toEqual(['inferred', 'Warszawa']);
    // The suggestions may lack the town.
    await scene.showAddress(page, 'country="PL"');
    scene.api.answer = (response, target) => {
      if (target.includes('/autocomplete')) answerWith(200, { data: [] })(response, target);
      else inferWarsaw(response, target);
    };
    await write('postal-code', '00-001');
    await expectValue(fieldOf(page, 'city'), 'Warszawa');
    expect(await onElement(page, 'element.place')).toBe(null);
  });

  test('France, of which the server has no data: nothing is suggested, and nothing is in the way', async () => {
    await scene.showAddress(page, 'country="FR"');
    await write('street', '55 Rue du Faubourg Saint-Honoré');
    await write('postal-code', '75008');
    await write('city', 'Paris');
    await expectSoon(() => scene.api.targets.length, 1);
    expect(await page.locator('postal-address-form p').allTextContents()).toEqual(Array(7).fill(''));
    expect(await send()).toEqual([
      ['country', 'FR'],
      ['street', '55 Rue du Faubourg Saint-Honoré'],
      ['postal-code', '75008'],
      ['city', 'Paris'],
    ]);
  });
});

describe('the codes of a city', () => {
  /** Writes the start of a city's name in place of the field's text, and chooses the first suggestion with this name. */
  async function choose(name: string): Promise<void> {
    await fieldOf(page, 'city').fill('');
    await fieldOf(page, 'city').pressSequentially(name.slice(0, -1));
    await page.locator('#city-list [role=option]').filter({ hasText: name }).first().click();
  }
  const MANY = 'This city has 2 codes: choose one.';

  test('are offered for as long as the city is there', async () => {
    await scene.showAddress(page, 'country="US"');
    await choose('Cupertino');
    await expectSoon(() => hintOf('postal-code'), MANY);
    // It has more codes than anybody reads.
    await choose('Los Angeles');
    expect(await hintOf('postal-code')).toBe('');
    await choose('Cupertino');
    await expectSoon(() => hintOf('postal-code'), MANY);
    await write('city', ' Heights');
    expect(await hintOf('postal-code')).toBe('');
    await fieldOf(page, 'postal-code').focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#postal-code-list').isVisible()).toBe(false);
  });

  test('do not come with another city that was chosen meanwhile', async () => {
    await scene.showAddress(page, 'country="CH"');
    // The page keeps these suggestions, so the second city is chosen before the codes of the first one come.
    await fieldOf(page, 'city').pressSequentially('Aara');
    await option('Aarau').first().waitFor();
    scene.api.delayMs = 300;
    await choose('Renens VD');
    await choose('Aarau');
    await expectSoon(() => hintOf('postal-code'), 'This city has 4 codes: choose one.');
    expect(await onElement(page, 'element.value')).toMatchObject({ city: 'Aarau', postalCode: '' });
  });

  test('that decided on a code go with it when another city is chosen', async () => {
    await scene.showAddress(page, 'country="CH"');
    await fieldOf(page, 'street').fill('Rain 18');
    await choose('Renens VD');
    // The change that the code is known is told before those that are listened to.
    await expectSoon(() => onElement(page, '[element.value.postalCode, element.match]'), ['1020', 'exact']);
    await onElement(page, '(globalThis.heard = [], element.onchange = ({ detail }) => heard.push(detail))');
    await choose('Aarau');
    await expectSoon(() => hintOf('postal-code'), 'This city has 4 codes: choose one.');
    expect(await page.evaluate('heard.map(({ value, match }) => [value.city, value.postalCode, match])')).toEqual([
      ['Aarau', '', null],
    ]);
    // A form without a code is not sent with the earlier one.
    expect(await onElement(page, 'element.validity.valueMissing')).toBe(true);
  });
});

describe('the hint of a code', () => {
  test.each([
    ['that is not known', 'DE', '99999', 'We don’t know this code: 99999 (Germany). Check it, or go on.'],
    ['that is not finished', 'NL', '9401', 'A code looks like this: 2490 AA (Netherlands).'],
    ['that the API completes with a zero', 'US', '9021', 'A code looks like this: 95014 (United States).'],
    ['in another spelling', 'LU', '1323', 'Known as L-1323.'],
    [
      'that is not finished and not known',
      'DE',
      '999',
      'We don’t know this code: 999 (Germany). Check it, or go on. A code looks like this: 53225 (Germany).',
    ],
  ])('%s tells so, goes with the next letter, and the form is sent', async (_, country, code, hint) => {
    await scene.showAddress(page, `country="${country}" fields="postal-code city"`);
    await write('postal-code', code);
    await expectSoon(() => hintOf('postal-code'), hint);
    expect(await fieldOf(page, 'postal-code').getAttribute('aria-invalid')).toBe(null);
    expect(await onElement(page, 'element.checkValidity() || element.value.city === ""')).toBe(true);
    await fieldOf(page, 'postal-code').focus();
    await page.keyboard.press('End');
    // As the letter comes: the API may answer to it before this test looks again.
    await onElement(
      page,
      `element.addEventListener('input', () => (globalThis.hintAtInput =
        element.shadowRoot.querySelector('#postal-code-hint').textContent), { once: true })`,
    );
    await page.keyboard.type('9');
    expect(await page.evaluate('hintAtInput')).toBe('');
    await page.keyboard.press('Backspace');
    await fieldOf(page, 'city').fill('Somewhere');
    await expectSoon(() => hintOf('postal-code'), hint);
    expect(
      (await send())
        .filter(([name]) => name !== 'country')
        .map(([, value]) => value)
        .sort(),
    ).toEqual([code, 'Somewhere']);
  });
});

test('the start of a code fills in nothing: 9021 is no 09021', async () => {
  await scene.showAddress(page, 'country="US"');
  await write('postal-code', '9021');
  await expectSoon(() => onElement(page, 'element.match'), 'normalised');
  expect(await onElement(page, '[element.value.city, element.value.state, element.place]')).toEqual(['', '', null]);
  await fieldOf(page, 'postal-code').focus();
  await page.keyboard.press('End');
  await page.keyboard.type('0');
  await expectValue(fieldOf(page, 'city'), 'Beverly Hills');
});

test.each([
  ['withdrawn', null],
  ['partial', 'AB10'],
])('a code that only an earlier release has is said to be no longer used: %s', async (match, postcode) => {
  await scene.showAddress(page, 'country="GB"');
  const withdrawn = { postcode: 'AB10 1BZ', release: '2026-03', placeName: 'Aberdeen' };
  scene.api.answer = (response, target) => {
    const data = target.includes('/check') ? { match, postcode, withdrawn } : [];
    answerWith(200, { data })(response, target);
  };
  await write('postal-code', 'AB10 1BZ');
  await expectSoon(() => hintOf('postal-code'), 'This code is no longer used.');
});

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
  expect(await send()).toEqual([COUNTRY, SWISS[0], SWISS[1], SWISS[2]]);
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
