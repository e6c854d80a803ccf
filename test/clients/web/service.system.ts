/**
 * The form while the service is away, slow or wrong: it asks little, says once what is missing, shows nothing of an older
 * text, and is sent every time.
 */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { takeComplaints } from '../../site/browser-scene.js';
import {
  answerWith,
  expectSoon,
  expectValue,
  fieldOf,
  formAround,
  hang,
  onElement,
  page,
  scene,
  send,
} from './web-scene.js';

const AWAY = 'No suggestions right now. You can still fill in the form.';

/** Counts the requests that the page has under way, until it has read the answer or given it up. */
const COUNT_REQUESTS = `
  const send = fetch;
  let running = 0;
  globalThis.mostRequests = 0;
  globalThis.fetch = async (...request) => {
    running++;
    mostRequests = Math.max(mostRequests, running);
    try {
      const response = await send(...request);
      return new Response(await response.text(), response);
    } finally {
      running--;
    }
  };`;
beforeAll(async () => {
  await page.addInitScript(COUNT_REQUESTS);
});

const field = (name: string) => fieldOf(page, name);
const statusOf = (): Promise<string | null> => page.locator('postal-address-form p[role=status]').textContent();

/** Fills the form in by hand and sends it. */
async function fillAndSend(code = '10117', city = 'Berlin'): Promise<void> {
  await field('street').fill('Unter den Linden 77');
  await field('postal-code').fill('');
  await field('postal-code').pressSequentially(code);
  await field('city').fill(city);
  expect(await send()).toEqual([
    ['country', 'DE'],
    ['street', 'Unter den Linden 77'],
    ['postal-code', code],
    ['city', city],
  ]);
}

test('that is down: the form says so once, and is sent', async () => {
  const element = `<postal-address-form key="${scene.key}" api="${scene.closedOrigin}" country="DE"></postal-address-form>`;
  await scene.show(page, formAround(element));
  await field('postal-code').fill('10117');
  await expectSoon(statusOf, AWAY);
  await fillAndSend();
  expect(takeComplaints().filter((text) => text.startsWith('postal-places:'))).toHaveLength(1);
});

test.each([
  ['500', 500, { error: { code: 'INTERNAL_ERROR', message: 'broken' } }],
  ['503', 503, { error: { code: 'SERVICE_UNAVAILABLE', message: 'later' } }],
  ['429', 429, { error: { code: 'SERVICE_RATE_LIMITED', message: 'too fast' } }],
  ['401', 401, { error: { code: 'SERVICE_API_KEY_INVALID', message: 'no key' } }],
])(
  'that answers %s is asked once, warns the author of the page once, and the form is sent',
  async (_, status, body) => {
    await scene.showAddress(page, 'country="DE"');
    scene.api.answer = answerWith(status, body);
    await field('postal-code').fill('10117');
    await expectSoon(statusOf, AWAY);
    await field('city').pressSequentially('Pots');
    await field('postal-code').fill('14467');
    await fillAndSend();
    expect(scene.api.targets).toHaveLength(1);
    expect(takeComplaints()).toEqual([
      expect.stringContaining(`postal-places: ${status} ${body.error.code}: ${body.error.message}`),
    ]);
  },
);

test('that refuses the origin of the page warns its author of just that', async () => {
  const other = await scene.newPage({ baseURL: scene.pages.origin.replace('127.0.0.1', 'localhost') });
  await scene.showAddress(other, 'country="DE"');
  await fieldOf(other, 'postal-code').fill('10117');
  await expectSoon(() => other.locator('postal-address-form p[role=status]').textContent(), AWAY);
  await fieldOf(other, 'street').fill('Unter den Linden 77');
  await fieldOf(other, 'city').fill('Berlin');
  const { origin } = new URL(other.url());
  expect(await send(other)).toHaveLength(4);
  const [warning, ...more] = takeComplaints().filter((text) => text.startsWith('postal-places:'));
  expect([warning, more]).toEqual([expect.stringContaining(`is the key for pages of ${origin}?`), []]);
});

test('that goes away: city and state of the code before are not sent with the next one', async () => {
  await scene.showAddress(page, 'country="US"');
  await field('street').fill('1 Main St');
  await field('postal-code').fill('95014');
  await expectValue(field('city'), 'Cupertino');
  scene.api.answer = answerWith(503, {});
  await field('postal-code').fill('10001');
  await expectSoon(statusOf, AWAY);
  expect([await field('city').inputValue(), await field('state').inputValue()]).toEqual(['', '']);
  await field('city').fill('New York');
  await field('postal-code').fill('10002');
  await field('state').fill('NY');
  expect(Object.fromEntries(await send())).toMatchObject({ city: 'New York', 'postal-code': '10002' });
  expect(takeComplaints()).toHaveLength(1);
});

test('that is no API is said to be none, and /v1 in its address is none too many', async () => {
  const of = (api: string) => formAround(`<postal-address-form key="${scene.key}" api="${api}"></postal-address-form>`);
  await scene.show(page, of(`${scene.api.origin}/elsewhere`));
  await field('country').selectOption('DE');
  await field('postal-code').fill('10117');
  await expectSoon(statusOf, AWAY);
  expect(takeComplaints()).toEqual([expect.stringContaining('ROUTE_NOT_FOUND')]);
  await scene.show(page, of(`${scene.api.origin}/v1/`));
  await field('country').selectOption('DE');
  await field('postal-code').fill('10117');
  await expectValue(field('city'), 'Berlin');
});

test('that never answers holds nobody up, and is given up after a while', async () => {
  await scene.showAddress(page, 'country="DE"');
  scene.api.answer = hang;
  await fillAndSend();
  await scene.showAddress(page, 'country="DE"');
  scene.api.answer = hang;
  await field('postal-code').fill('10117');
  await page.locator('postal-address-form p[role=status]').filter({ hasText: AWAY }).waitFor({ timeout: 10_000 });
  await fillAndSend();
  expect(scene.api.targets).toHaveLength(1);
  expect(takeComplaints()).toEqual([expect.stringContaining('postal-places: ')]);
});

describe('that takes 300 ms', () => {
  test('has one request of the form at a time, and an answer to an older text changes nothing', async () => {
    await scene.showAddress(page, 'country="DE"');
    // Longer than all the typing takes on a busy machine: no answer may come while its text still stands there.
    scene.api.delayMs = 5_000;
    const code = field('postal-code');
    await code.pressSequentially('1011', { delay: 60 });
    await code.pressSequentially('7', { delay: 60 });
    await code.press('Backspace');
    await code.pressSequentially('9', { delay: 60 });
    await code.fill('80331');
    await field('city').pressSequentially('Mün', { delay: 200 });
    await page.keyboard.press('Tab');
    await expectSoon(() => onElement(page, 'element.place?.name'), undefined);
    await expectSoon(() => onElement(page, 'element.shadowRoot.querySelector("#city").value'), 'Mün');
    scene.api.delayMs = 300;
    await field('city').fill('');
    await field('postal-code').focus();
    await field('postal-code').fill('8033');
    await field('postal-code').fill('80331');
    await expectValue(field('city'), 'München');
    expect(await page.evaluate('mostRequests')).toBe(1);
    expect(await onElement(page, 'element.place.postalCode')).toBe('80331');
  });

  test('has a list for the last text alone', async () => {
    await scene.showAddress(page, 'country="DE"');
    scene.api.delayMs = 300;
    const city = field('city');
    await city.pressSequentially('Ham', { delay: 20 });
    // The request for the first text is under way when the next one is written.
    await expectSoon(() => scene.api.targets.length, 1);
    await city.fill('Dresd');
    await page.locator('#city-list [role=option]').first().waitFor();
    expect(await page.locator('#city-list [role=option] span').first().textContent()).toBe('Dresden');
    expect(scene.api.targets).toHaveLength(2);
    expect(await page.evaluate('mostRequests')).toBe(1);
  });

  test('writes into no field that the user has written in meanwhile, and asks about no country before', async () => {
    await scene.showAddress(page, 'country="DE"');
    scene.api.delayMs = 300;
    await field('postal-code').fill('10117');
    await field('city').fill('Mitte');
    await onElement(
      page,
      'new Promise((resolve) => { element.onchange = ({ detail }) => detail.match && resolve(); })',
    );
    expect(await field('city').inputValue()).toBe('Mitte');
    await field('city').fill('');
    await field('postal-code').fill('5000');
    await field('country').selectOption('CH');
    await expectValue(field('city'), 'Aarau');
    expect(scene.api.targets.filter((target) => target.includes('/DE/postcodes/5000'))).toEqual([]);
  });
});

test.each([
  ['no key', 'api'],
  ['no address', 'key'],
])('of which the page gives %s is not asked, and nothing is said', async (_, name) => {
  const value = name === 'api' ? scene.api.origin : scene.key;
  await scene.show(page, formAround(`<postal-address-form ${name}="${value}" country="DE"></postal-address-form>`));
  await field('city').pressSequentially('Ber');
  await page.keyboard.press('ArrowDown');
  await fillAndSend();
  expect(scene.api.targets).toEqual([]);
});

test('is not asked about a code before its country is known', async () => {
  await scene.show(page, formAround(`<postal-code-input ${scene.access} value="10117"></postal-code-input>`));
  await page.locator('#postal-code').fill('14467');
  await page.keyboard.press('Tab');
  await onElement(page, "new Promise((resolve) => { element.onchange = () => resolve(); element.country = 'DE'; })");
  expect(scene.api.targets).toEqual(['/v1/countries/DE/postcodes/14467?include=codes%2Ccity%2Cpopulation']);
});

test('is asked about each text once: the same code again sends nothing', async () => {
  await scene.showAddress(page, 'country="DE"');
  const code = field('postal-code');
  await code.fill('10117');
  await expectValue(field('city'), 'Berlin');
  const targets = [...scene.api.targets];
  expect(targets).toEqual(['/v1/countries/DE/postcodes/10117?include=codes%2Ccity%2Cpopulation']);
  await code.fill('14467');
  await expectValue(field('city'), 'Potsdam');
  await code.fill('10117');
  await expectValue(field('city'), 'Berlin');
  expect(scene.api.targets).toHaveLength(2);
});
