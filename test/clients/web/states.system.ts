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

/** What is wrong with the page now, and how far it is wider than its window. */
async function faultsOf(page: Page, name: string): Promise<unknown> {
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name.replace(/ /g, '-')}.png`) });
  return { faults: await findFaults(page), overflow: await overflowOf(page) };
}

const NONE = { faults: [], overflow: 0 };

describe('in light and in the dark on a phone', () => {
  let page: Page;
  beforeAll(async () => {
    page = await scene.newPage();
  });
  afterAll(() => page?.context().close());

  test.each(Object.entries(STATES))('%s', async (name, { attributes, reach }) => {
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 720 });
    await scene.showAddress(page, attributes);
    await reach(page, scene);
    expect(await faultsOf(page, `light ${name}`)).toEqual(NONE);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize(PHONE.viewport);
    expect(await faultsOf(page, `dark ${name}`)).toEqual(NONE);
    takeComplaints();
  });
});

test.each(['option active', 'filled', 'code unknown', 'errors'])('from right to left: %s', async (name) => {
  const page = await scene.newPage();
  const state = STATES[name];
  await scene.showAddress(page, state?.attributes, 'lang="ar" dir="rtl"');
  await state?.reach(page, scene);
  expect(await faultsOf(page, `from right to left ${name}`)).toEqual(NONE);
  await page.context().close();
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
