/**
 * Every state of the form, in light and dark, on a desk and on a phone, from left to right and from right to left: nothing
 * that axe-core knows is wrong with it, and the page is no wider than the window. With SHOTS, the name of a folder, each
 * state is kept there as an image.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { findFaults, overflowOf, PHONE } from '../../site/browser-scene.js';
import { STATES } from './states.js';
import { createWebScene, takeComplaints, type WebScene } from './web-scene.js';

const { SHOTS } = process.env;

let scene: WebScene;
beforeAll(async () => {
  scene = await createWebScene();
});
afterAll(() => scene?.stop());

describe.each([
  ['light', {}, 'lang="en"'],
  ['dark, on a phone', { ...PHONE, colorScheme: 'dark' as const }, 'lang="en"'],
  ['from right to left', {}, 'lang="ar" dir="rtl"'],
])('%s', (look, options, html) => {
  let page: Page;
  beforeAll(async () => {
    page = await scene.newPage(options);
  });
  afterAll(() => page?.context().close());

  test.each(Object.entries(STATES))('%s', async (name, { attributes, reach }) => {
    await scene.showAddress(page, attributes, html);
    await reach(page, scene);
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${look}-${name}.png`.replace(/[ ,]+/g, '-')) });
    expect(await findFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBe(0);
    takeComplaints();
  });
});

/** Windows in which fields stand side by side, where the list of the second must not stick out. */
test('no list is wider than the window', async () => {
  const page = await scene.newPage();
  for (const [width, html] of [
    [360, 'lang="en"'],
    [412, 'lang="en"'],
    [412, 'lang="ar" dir="rtl"'],
    [768, 'lang="en"'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await scene.showAddress(page, 'country="US"', html);
    await page.locator('#postal-code').pressSequentially('9501');
    const list = page.locator('#postal-code-list');
    await list.waitFor();
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `more-codes-${width}-${html.length}.png`) });
    const { x = -1, width: listWidth = 0 } = (await list.boundingBox()) ?? {};
    expect({ width, isInside: x >= 0 && x + listWidth <= width }).toEqual({ width, isInside: true });
    expect(await overflowOf(page)).toBe(0);
  }
  await page.context().close();
});
