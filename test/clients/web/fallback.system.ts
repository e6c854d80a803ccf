/** Plain fields between the tags: what people without scripts see and send, and what the element makes of them. */

import { describe, expect, test } from '@jest/globals';
import { expectSoon, expectValue, formAround, onElement, page, scene, send } from './web-scene.js';

/** Fields of a shop, with its own names, and one that is none of an address. */
function fallbackOf(access: string, values: Readonly<Record<string, string>> = {}): string {
  const input = (label: string, name: string, token: string): string =>
    `<p><label>${label} <input name="${name}" autocomplete="${token}" value="${values[name] ?? ''}" required></label></p>`;
  return formAround(`<postal-address-form ${access} country="DE">
    ${input('Street', 'addr1', 'shipping address-line1')}
    ${input('Postal code', 'zip', 'shipping postal-code')}
    ${input('Town', 'town', 'shipping address-level2')}
    <p><label>Country <select name="land" autocomplete="shipping country"><option value="DE">Germany<option value="CH">Switzerland</select></label></p>
  </postal-address-form>`);
}

const SENT = [
  ['addr1', 'Unter den Linden 77'],
  ['zip', '10117'],
  ['town', 'Berlin'],
  ['land', 'DE'],
];

test('without scripts they are the form', async () => {
  const plain = await scene.newPage({ javaScriptEnabled: false });
  await scene.show(plain, fallbackOf(scene.access));
  await plain.getByLabel('Street').fill('Unter den Linden 77');
  await plain.getByLabel('Postal code').fill('10117');
  await plain.getByLabel('Town').fill('Berlin');
  expect(await send(plain)).toEqual(SENT);
});

test('with scripts their names are sent, each once, and they are not seen', async () => {
  await scene.show(page, fallbackOf(scene.access));
  expect(await page.getByLabel('Town').isVisible()).toBe(false);
  await page.locator('#street').fill('Unter den Linden 77');
  await page.locator('#postal-code').fill('10117');
  await expectValue(page.locator('#city'), 'Berlin');
  expect((await send()).sort()).toEqual([...SENT].sort());
});

test('what they contain is kept, is what a reset brings back, and no error', async () => {
  await scene.show(page, fallbackOf(scene.access, { addr1: 'Unter den Linden 77', zip: '10117', town: 'Mitte' }));
  expect(await onElement(page, 'element.value')).toMatchObject({ postalCode: '10117', city: 'Mitte' });
  await expectSoon(() => scene.api.targets.length, 1);
  await page.locator('#country').selectOption('CH');
  await page.locator('#city').fill('Bern');
  await onElement(page, 'element.form.reset()');
  expect(await onElement(page, 'element.value')).toMatchObject({
    ...{ country: 'DE', street: 'Unter den Linden 77', postalCode: '10117', city: 'Mitte' },
  });
  expect(await onElement(page, 'element.form.checkValidity()')).toBe(true);
});

test('who is writing in one when the script comes goes on writing, and a country is known by its name', async () => {
  const slow = await scene.newPage();
  let load = (): void => {};
  const loaded = new Promise<void>((resolve) => {
    load = resolve;
  });
  await slow.route('**/postal-places.js', async (route) => {
    await loaded;
    await route.continue();
  });
  const fields =
    '<input name="land" autocomplete="country-name"><input aria-label="Town" name="town" autocomplete="address-level2">';
  Object.assign(scene.pages, { body: formAround(`<postal-address-form country="DE">${fields}</postal-address-form>`) });
  await slow.goto('/', { waitUntil: 'commit' });
  await slow.locator('[name=land]').fill('austria');
  await slow.getByLabel('Town').focus();
  await slow.keyboard.type('Wie');
  load();
  await slow.locator('postal-address-form #city').waitFor();
  await slow.keyboard.type('n');
  expect(await onElement(slow, '[element.value.country, element.value.city]')).toEqual(['AT', 'Wien']);
});

describe('a field of a postal code alone', () => {
  /** In a form of a shop that has its own city. */
  const formOf = (attributes: string, contents = ''): string =>
    formAround(`<label for="zip">Your ZIP</label>
      <postal-code-input id="zip" ${scene.access} country="US" ${attributes}>${contents}</postal-code-input>
      <p><label>City <input name="city"></label></p>`);

  test('is named by the label of the page, which leads to it, and tells the place', async () => {
    await scene.show(page, formOf('name="zip" required'));
    const field = page.getByRole('combobox', { name: 'Your ZIP' });
    await page.getByText('Your ZIP').click();
    expect(
      await field.evaluate((input) => (input as unknown as { matches(selector: string): boolean }).matches(':focus')),
    ).toBe(true);
    await page.getByRole('button', { name: 'Send' }).click();
    await expectSoon(() => page.locator('postal-code-input .error').textContent(), 'Please fill in this field.');
    await onElement(
      page,
      'element.addEventListener("change", ({ detail: { place } }) => { element.form.elements.city.value = place?.name ?? ""; })',
    );
    await field.pressSequentially('95014');
    await expectValue(page.getByLabel('City'), 'Cupertino');
    expect(await page.locator('postal-code-input [role=status].hidden').textContent()).toBe('Cupertino');
    await field.press('Enter');
    await page.waitForURL('/send');
    expect(scene.pages.sent.at(-1)).toEqual([
      ['zip', '95014'],
      ['city', 'Cupertino'],
    ]);
  });

  test('suggests codes, is reset and disabled, and follows its country', async () => {
    await scene.show(page, formOf('name="zip" value="10117"'));
    const field = page.getByRole('combobox');
    expect(await field.inputValue()).toBe('10117');
    await field.fill('');
    await field.pressSequentially('9501');
    await page.getByRole('option', { name: '95014' }).click();
    expect(await onElement(page, 'element.value')).toBe('95014');
    await onElement(page, 'element.form.reset()');
    expect(await field.inputValue()).toBe('10117');
    const told = onElement(
      page,
      'new Promise((resolve) => { element.onchange = ({ detail }) => detail.match && resolve(detail); element.country = "DE"; })',
    );
    expect(await told).toMatchObject({ value: '10117', place: { name: 'Berlin' }, match: 'exact' });
    await onElement(page, '(element.setAttribute("disabled", ""), element.name = "plz")');
    expect(await onElement(page, '[...new FormData(element.form).keys()]')).toEqual(['city']);
    await onElement(page, 'element.removeAttribute("disabled")');
    expect(await onElement(page, '[...new FormData(element.form).keys()]')).toEqual(['plz', 'city']);
  });

  test('takes over a plain field, and its own label is that of the country', async () => {
    const contents = '<input name="code" autocomplete="postal-code" value="5000">';
    await scene.show(
      page,
      formAround(`<postal-code-input ${scene.access} country="CH" lang="de">${contents}</postal-code-input>`),
    );
    expect(await page.locator('postal-code-input label').textContent()).toBe('PLZ');
    await onElement(page, 'element.parentElement.append(element)');
    await page.locator('#postal-code').fill('8001');
    await onElement(page, 'element.parentElement.append(element)');
    expect(await send()).toEqual([['code', '8001']]);
  });
});
