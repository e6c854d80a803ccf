/**
 * An API that is hostile or broken: names with markup, wrong types, endless lists, pages of proxies. Nothing is executed, nothing
 * is thrown that the page sees, and the form is sent.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Answer, answerWith } from './api-gateway.js';
import { createWebScene, expectSoon, fieldOf, send, takeComplaints, type WebScene } from './web-scene.js';

const MARKUP = '<img src=x onerror="hacked=1"><script>hacked=1</script>&amp;';
const UNIT = { id: MARKUP, name: MARKUP, localName: MARKUP, type: 'region', level: 1, iso3166_2: MARKUP };
const PLACE = {
  ...UNIT,
  type: 'locality',
  ...{ label: `${MARKUP}, ${MARKUP}, ${MARKUP}`, placeName: MARKUP, postalCode: MARKUP, countryCode: 'DE' },
  ...{ latitude: 0, longitude: 0, path: 'javascript:hacked=1', url: 'javascript:hacked=1', population: 1 },
  ...{ ancestors: [UNIT], context: [UNIT] },
};
const WRONG = [null, 0, 'text', {}, [null], [['text']], [{ name: {} }]];

/** The same data for every operation of the elements. */
function dataOf(value: unknown): object {
  return {
    data: {
      ...{ postcode: value, match: value, hasKnownFormat: value, hasNextPage: false },
      ...{ places: value, items: value },
    },
  };
}

/** A list where the elements expect one, and an object with this list where they expect that. */
function answerAs(list: unknown, others: object): Answer {
  return (response, target) => {
    const body = target.startsWith('/v1/autocomplete') ? { data: list } : others;
    answerWith(200, body)(response, target);
  };
}

const ANSWERS: readonly (readonly [string, Answer])[] = [
  [
    'names with markup',
    answerAs([PLACE, PLACE], { data: { postcode: '10117', match: 'exact', places: [PLACE, { ...PLACE, name: 'x' }] } }),
  ],
  [
    'lists of 5,000',
    answerAs(Array(5_000).fill(PLACE), {
      data: {
        ...{ postcode: '10117', items: Array.from({ length: 5_000 }, (_, at) => ({ postcode: `${at}` })) },
        places: Array.from({ length: 5_000 }, (_, at) => ({ ...PLACE, name: `Place ${at}` })),
      },
    }),
  ],
  ['a name of 100,000 characters', answerAs([{ ...PLACE, name: 'x'.repeat(1e5) }], dataOf([]))],
  ...WRONG.map((value) => [`${JSON.stringify(value)} for all data`, answerWith(200, { data: value })] as const),
  ...WRONG.map((value) => [`${JSON.stringify(value)} for each field`, answerAs([value], dataOf(value))] as const),
  ...WRONG.map((value) => {
    const place = { ...PLACE, name: value, localName: value, ancestors: value, context: value, label: value };
    const others = { data: { postcode: '10117', match: 'exact', places: [place], items: [place] } };
    return [`places with ${JSON.stringify(value)}`, answerAs([place], others)] as const;
  }),
  ['no data', answerWith(200, {})],
  ['null', answerWith(200, 'null')],
  ['broken JSON', answerWith(200, '{"data": [')],
  ['nothing', answerWith(204, '')],
  ['the page of a proxy', answerWith(502, '<html><script>hacked=1</script>502</html>', 'text/html')],
  ['the page of a captive portal', answerWith(200, '<html>Welcome</html>', 'text/html')],
  [
    'half an answer',
    (response) => {
      const headers = { 'content-length': '99', 'access-control-allow-origin': '*' };
      response.writeHead(200, headers).write('{', () => response.destroy());
    },
  ],
];

let scene: WebScene;
let page: Page;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage();
  await page.addInitScript('globalThis.hacked = 0;');
});
afterAll(() => scene?.stop());

test.each(ANSWERS)('%s', async (_, answer) => {
  await scene.showAddress(page, 'country="DE"');
  scene.api.answer = answer;
  const [code, city] = [fieldOf(page, 'postal-code'), fieldOf(page, 'city')];
  await code.fill('10117');
  await expectSoon(() => scene.api.targets.length > 0, true);
  await city.fill('');
  await city.pressSequentially('Be');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // Of a list that has come with Down, Enter has chosen an option; without one the form says what is missing.
  await code.fill('1011');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  expect(await page.locator('postal-address-form [role=option]').count()).toBeLessThanOrEqual(100);
  expect(await page.locator('postal-address-form :is(img, script, a, iframe)').count()).toBe(0);
  expect(await page.evaluate('hacked')).toBe(0);
  await fieldOf(page, 'street').fill('Unter den Linden 77');
  await code.fill('10117');
  await city.fill('Berlin');
  expect(await send(scene, page)).toEqual([
    ['country', 'DE'],
    ['street', 'Unter den Linden 77'],
    ['postal-code', '10117'],
    ['city', 'Berlin'],
  ]);
  const complaints = takeComplaints();
  expect(complaints.filter((text) => !text.startsWith('postal-places: '))).toEqual([]);
  expect(complaints.length).toBeLessThanOrEqual(1);
});
