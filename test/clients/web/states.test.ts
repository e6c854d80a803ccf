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

/** Widths of phones: fields stand side by side on the wider ones, where the list of the second must not stick out. */
test.each([320, 360, 390, 412, 430, 600, 768])('no list is wider than a window of %d px', async (width) => {
  const page = await scene.newPage({ viewport: { width, height: 740 } });
  for (const [html, edge] of [
    ['lang="en"', 'right'],
    ['lang="en" dir="rtl"', 'left'],
  ] as const) {
    await scene.showAddress(page, 'country="US"', html);
    await page.locator('#postal-code').pressSequentially('9501');
    const list = page.locator('#postal-code-list');
    await list.waitFor();
    const box = await list.boundingBox();
    expect({ edge, isInside: box !== null && box.x >= 0 && box.x + box.width <= width }).toEqual({
      edge,
      isInside: true,
    });
    expect(await overflowOf(page)).toBe(0);
  }
  await page.context().close();
});
