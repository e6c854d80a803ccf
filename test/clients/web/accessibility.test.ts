/** What readers of screens are told: names, roles and states of the fields at each step, as Chromium's accessibility tree has them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { createWebScene, expectSoon, expectValue, fieldOf, formAround, type WebScene } from './web-scene.js';

let scene: WebScene;
let page: Page;
let session: CDPSession;
beforeAll(async () => {
  scene = await createWebScene();
  page = await scene.newPage();
  session = await page.context().newCDPSession(page);
});
afterAll(() => scene?.stop());

/** The states that the tests look at; others say how an element is made. */
const STATES = ['autocomplete', 'required', 'invalid', 'expanded', 'disabled', 'selected', 'hasPopup', 'live'];

/** Nodes with these roles in their order, each as role, name, description, value and states on one line. */
async function tree(...roles: readonly string[]): Promise<string[]> {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  const names = new Map(nodes.map(({ backendDOMNodeId, name }) => [backendDOMNodeId, name?.value]));
  return nodes
    .filter(({ role, ignored }) => !ignored && roles.includes(role?.value))
    .map(({ role, name, description, value, properties = [] }) => {
      const states = properties
        .filter((property) => STATES.includes(property.name) && ![false, 'false', ''].includes(property.value.value))
        .map((property) =>
          property.value.value === true ? property.name : `${property.name}=${property.value.value}`,
        );
      const active = properties
        .find((property) => property.name === 'activedescendant')
        ?.value.relatedNodes?.map(({ backendDOMNodeId }) => `at "${names.get(backendDOMNodeId)}"`);
      return [
        `${role?.value} "${name?.value}"`,
        ...(description?.value ? [`(${description.value})`] : []),
        ...(value?.value ? [`= ${value.value}`] : []),
        ...states,
        ...(active ?? []),
      ].join(' ');
    });
}

const fields = (): Promise<string[]> => tree('combobox', 'textbox');
/** The texts that are read aloud when they come. */
const told = (): Promise<string[]> =>
  page
    .locator('postal-address-form [role=status], postal-address-form [aria-live]')
    .allTextContents()
    .then((texts) => texts.filter((text) => text !== ''));

const COMBOBOX = 'autocomplete=list hasPopup=listbox';

test('from empty to filled', async () => {
  await scene.showAddress(page, 'country="CH" countries="CH DE"');
  expect(await tree('group')).toEqual(['group "Address"']);
  expect(await fields()).toEqual([
    'combobox "Country" = Switzerland hasPopup=menu',
    'textbox "Street address" required',
    `combobox "Postal code (PLZ/NPA)" ${COMBOBOX} required`,
    `combobox "City" ${COMBOBOX} required`,
  ]);
});
