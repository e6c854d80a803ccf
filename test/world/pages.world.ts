/**
 * Pages of places over whole countries: every page of every level, and of all levels, of ten countries that differ in
 * size, depth and script, and every page of children of every place of two. Together the pages must hold each place
 * once, in the order of `Intl.Collator('en')`, then of code points, then of ids. And the pages of the website, as a crawler
 * reads them: small, without a dead link, an empty list or two lines that look the same.
 */

import { expect, test } from '@jest/globals';
import { listChildren, listPlaces } from '../../src/core/answers/places.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { crawlSite, findListFaults } from './site-crawl.js';
import { count, openRelease, openWithCities, parseAnswer, parsePlaces, printFigures, structuresOf } from './world.js';

const LISTED = ['AD', 'BG', 'CN', 'DE', 'FR', 'KR', 'LT', 'PE', 'PT', 'US'];
const LISTED_WITH_CHILDREN = ['BG', 'US'];
const PAGE_SIZE = 100;

interface Page {
  readonly items: readonly PlaceResource[];
  readonly pageNumber: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly hasPreviousPage: boolean;
  readonly hasNextPage: boolean;
}

const collator = new Intl.Collator('en');
const snapshot = openRelease('2026-03');

test.each(LISTED)('every page of every level of %s is complete, ordered and without repeats', (country) => {
  const places = parsePlaces(structuresOf(snapshot, country));
  let pageCount = 0;
  for (const level of [undefined, 1, 2, 3, 4]) {
    const expected = places.filter((place) => level === undefined || place.level === level);
    pageCount += checkPages(expected, (page) =>
      parseAnswer(listPlaces(snapshot, { country, level, page, pageSize: PAGE_SIZE })),
    );
  }
  printFigures(`pages of ${country}: ${count(places.length)} places twice on ${count(pageCount)} pages`);
});

test.each(LISTED_WITH_CHILDREN)('the pages of children of every place of %s are complete', (country) => {
  const places = parsePlaces(structuresOf(snapshot, country));
  const childrenOf = new Map<string, PlaceResource[]>(places.map(({ id }) => [id, []]));
  for (const place of places) childrenOf.get(place.parentId ?? '')?.push(place);
  let pageCount = 0;
  for (const [id, children] of childrenOf) {
    pageCount += checkPages(children, (page) =>
      parseAnswer(listChildren(snapshot, { country, id, page, pageSize: PAGE_SIZE })),
    );
  }
  printFigures(`children in ${country}: of ${count(places.length)} places on ${count(pageCount)} pages`);
});

test('a crawler of the website finds no fault on 20,000 pages', async () => {
  const { pageCount, linkCount, largestBytes, faults } = await crawlSite(openWithCities(), 20_000, 29);
  expect(faults).toEqual([]);
  expect(linkCount).toBeGreaterThan(pageCount);
  printFigures(
    `crawl: ${count(pageCount)} pages, ${count(linkCount)} links, the largest page has ${count(largestBytes)} bytes`,
  );
});

test('the crawler tells faults from good pages', () => {
  const page = (list: string, answer = '1010'): string => `<h1>Wien</h1><p class="answer">${answer}</p>${list}`;
  expect(findListFaults(page('<ul><li>a</li><li>b</li></ul><ul><li>a</li></ul>'))).toEqual([]);
  expect(findListFaults(page('<ul></ul>'))).toEqual(['an empty list']);
  expect(findListFaults(page('<ul><li><a href="/x">a</a></li><li>a</li></ul>'))).toEqual(['two lines "a"']);
  expect(findListFaults(page('<ul><li><b></b></li></ul>'))).toEqual(['an empty line']);
  expect(findListFaults(page('', ' '))).toEqual(['neither a code nor a city']);
});

/** Reads pages up to one behind the last and compares them with the places expected. How many there were. */
function checkPages(expected: readonly PlaceResource[], read: (page: number) => Page): number {
  const totalCount = expected.length;
  const totalPages = Math.ceil(totalCount / PAGE_SIZE);
  const listed: PlaceResource[] = [];
  for (let pageNumber = 1; pageNumber <= totalPages + 1; pageNumber++) {
    const { items, ...head } = read(pageNumber);
    const hasPreviousPage = pageNumber > 1 && totalCount > 0;
    const hasNextPage = pageNumber < totalPages;
    expect(head).toEqual({ pageNumber, pageSize: PAGE_SIZE, totalCount, totalPages, hasPreviousPage, hasNextPage });
    const itemsLeft = totalCount - listed.length;
    expect(items).toHaveLength(Math.min(PAGE_SIZE, itemsLeft));
    listed.push(...items);
  }
  const outOfOrder = listed.findIndex((place, index) => index > 0 && comparePlaces(listed[index - 1], place) >= 0);
  expect(listed[outOfOrder]).toBeUndefined();
  // In strict order, so without repeats; as many as expected, so it is enough that each is one of those.
  const ids = new Set(expected.map(({ id }) => id));
  expect(listed.filter(({ id }) => !ids.has(id))).toEqual([]);
  return totalPages;
}

function comparePlaces(a: PlaceResource | undefined, b: PlaceResource): number {
  if (a === undefined) return -1;
  if (a.name === b.name) return a.id < b.id ? -1 : a.id === b.id ? 0 : 1;
  return collator.compare(a.name, b.name) || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name));
}
