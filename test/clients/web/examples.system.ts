/** The examples run as they are written, but for the key and the address of the API: in plain HTML, with React, with Vue. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildSync } from 'esbuild';
import { packageRoot } from '../../../src/base/package-root.js';
import { expectSoon, expectValue, onElement, scene } from './web-scene.js';

const folder = join(packageRoot(), 'clients/web/examples');

/** The body of the page and its script. */
interface Example {
  readonly body: string;
  readonly script: string;
}

/** The page of the test has a policy, so the script of the example is a file there. */
function readPage(): Example {
  const text = readFileSync(join(folder, 'plain.html'), 'utf8');
  const [, body = '', script = ''] =
    /(<form[\s\S]*<\/output>)\s*<script type="module">([\s\S]*)<\/script>/.exec(text) ?? [];
  return { body, script };
}

function bundle(name: string): Example {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, name)],
    ...{ bundle: true, write: false, minify: true, format: 'esm', jsx: 'automatic' },
    define: {
      'process.env.NODE_ENV': '"production"',
      ...{
        __VUE_OPTIONS_API__: 'false',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
  });
  return { body: '<div id="app"></div>', script: outputFiles[0]?.text ?? '' };
}

test.each([
  ['plain HTML', readPage],
  ['React', () => bundle('react.jsx')],
  ['Vue', () => bundle('vue.js')],
])('%s', async (_, read) => {
  const { body, script } = read();
  const own = (text: string): string =>
    text.replace('pp_pub_YOUR_KEY', scene.key).replace('https://api.example', scene.api.origin);
  scene.pages.script = own(script);
  scene.pages.orders.length = 0;
  const page = await scene.newPage();
  await scene.show(page, own(body));
  await page.getByRole('button', { name: 'Order' }).click();
  expect(scene.pages.orders).toEqual([]);
  await page.getByLabel('Name').fill('Ada');
  await page.getByLabel('Street address').fill('Unter den Linden 77');
  await page.getByRole('combobox', { name: 'Postal code' }).fill('10117');
  const city = page.getByRole('combobox', { name: 'City' });
  await expectValue(city, 'Berlin');
  await city.press('Enter');
  await expectSoon(() => page.locator('output').textContent(), 'Thank you');
  const [order, ...more] = scene.pages.orders.map((text) => JSON.parse(text));
  expect(more).toEqual([]);
  expect(order).toEqual({
    ...{ name: 'Ada', country: 'DE', street: 'Unter den Linden 77', 'postal-code': '10117', city: 'Berlin' },
    placeId: await onElement(page, 'element.place.id'),
  });
  expect(order.placeId).toMatch(/^[\da-f-]{36}$/);
});

test('a framework sets properties where there are some: country, value, messages, name', async () => {
  const script = `
    import { createElement as h } from 'react';
    import { createRoot } from 'react-dom/client';
    createRoot(document.querySelector('#app')).render(h('form', null,
      h('postal-address-form', { country: 'CH', fields: 'postal-code city', name: 'to', messages: { city: 'Town' }, value: { city: 'Bern' } }),
      h('postal-code-input', { country: 'US', name: 'zip', value: '95014', label: 'ZIP', required: true })));`;
  const { outputFiles } = buildSync({
    stdin: { contents: script, resolveDir: packageRoot() },
    ...{ bundle: true, write: false, format: 'esm', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  scene.pages.script = outputFiles[0]?.text ?? '';
  const page = await scene.newPage();
  await scene.show(page, '<div id="app"></div>');
  await page.getByRole('combobox', { name: 'Town' }).waitFor();
  expect(await onElement(page, '[...new FormData(element.form)]')).toEqual([
    ...[
      ['to-country', 'CH'],
      ['to-postal-code', ''],
      ['to-city', 'Bern'],
      ['zip', '95014'],
    ],
  ]);
});
