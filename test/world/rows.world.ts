/**
 * Every row of the release is in the snapshot, and nothing else is. Rows are read by the reader of these checks and
 * compared, country by country, with the places of the snapshot: each row's code must lead to a place of its names,
 * units and coordinates, and every leaf and every unit must come from a row. Answers of the service are sampled.
 */

import { expect, test } from '@jest/globals';
import { findPostcode } from '../../src/core/answers/postcodes.js';
import { positionOf } from '../../src/core/snapshot/place-positions.js';
import { findPostcode as findInIndex, indexedPostcodePlaces } from '../../src/core/snapshot/postcode-index.js';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { isDamagedLine, listReleaseCountries, type ReleaseRow, readRows } from './release-rows.js';
import { createShownRow, withRegion } from './shown-rows.js';
import {
  count,
  Failures,
  openRelease,
  parseAnswer,
  parsePlaces,
  printFigures,
  readReport,
  releaseFolder,
  structuresOf,
} from './world.js';

const TYPES = ['region', 'district', 'municipality'];
const SAMPLE_SHARE = 1 / 400;
const MAX_PLACES = 100;

type PlaceDetail = PlaceResource & { readonly ancestors: readonly PlaceResource[] };

/** What the whole release must add up to; filled by the one pass over it. */
const totals = { rows: 0, damaged: 0, distinct: 0, repeatedLines: 0, nameless: 0, places: 0, sampled: 0 };

test("every row's code finds its place, and every place comes from a row", async () => {
  const snapshot = openRelease('2026-03');
  const release = releaseFolder('2026-03');
  const reported = new Map(readReport('2026-03').countries.map((country) => [country.code, country]));
  const failures = new Failures();
  const random = createRandom(1);
  const countries = listReleaseCountries(release);
  expect([...reported.keys()]).toEqual(countries);
  for (const country of countries) {
    const all = (await readRows(release, country)).map((row) => withRegion(country, row));
    const rows = all.filter((row) => !isDamagedLine(row));
    totals.damaged += all.length - rows.length;
    const shown = createShownRow(country);
    const cleaned = cleaningOf(country);
    const movedIds = checkCountry(snapshot, country, rows, cleaned, failures);
    for (const row of rows) {
      if (random() < SAMPLE_SHARE) checkAnswer(snapshot, country, shown(row), { cleaned, movedIds }, failures);
    }
    const { places, levels, codes } = expectedOf(rows);
    const report = reported.get(country);
    if (cleaned.mergedCount === 0) {
      expect(report).toEqual({ code: country, places, levels, distinctPostcodes: codes });
    } else {
      // The report lists merged units of different names; units of the same name in both are gone too.
      expect(report?.distinctPostcodes).toBe(codes);
      expect(report?.places).toBeLessThanOrEqual(places - cleaned.mergedCount - cleaned.droppedCount);
    }
    totals.places += report?.places ?? 0;
  }
  expect(failures.shown).toEqual([]);
  printFigures(
    `rows: ${count(totals.rows)} rows of ${countries.length} countries found by their codes, ` +
      `${count(totals.places)} places accounted for, ${count(totals.sampled)} renderedPlaces of the service compared`,
  );
});

test('read = taken + merged + rejected, and the counts are those of the release', () => {
  const { rows, problems } = readReport('2026-03');
  expect(totals).toMatchObject({ rows: 1_356_909, damaged: 1, repeatedLines: 63, nameless: 1 });
  expect(rows.read).toBe(totals.rows + totals.damaged);
  expect(rows.taken).toBe(totals.distinct);
  expect(rows.merged).toBe(totals.rows - totals.distinct);
  expect(rows.rejected).toBe(totals.damaged);
  expect(rows.taken + rows.merged + rows.rejected).toBe(rows.read);
  expect(problems.find(({ examples }) => examples.some((example) => example.includes('38052')))?.count).toBe(1);
  printFigures(
    `accounting: ${count(rows.read)} read = ${count(rows.taken)} taken + ${rows.merged} merged + ${rows.rejected} ` +
      `rejected, ${count(rows.repaired)} repaired; the row without a name took its unit's`,
  );
});

test('the earlier release is read whole as well', async () => {
  const release = releaseFolder('2024-04');
  const { rows, countries } = readReport('2024-04');
  let rowCount = 0;
  for (const country of listReleaseCountries(release)) rowCount += (await readRows(release, country)).length;
  expect(rowCount).toBe(516_935);
  expect(rows.read).toBe(rowCount);
  expect(rows.taken + rows.merged + rows.rejected).toBe(rowCount);
  expect(countries).toHaveLength(90);
  printFigures(`accounting of 2024-04: ${count(rows.read)} read, ${count(rows.taken)} taken, ${rows.merged} merged`);
});

/** What the report says of a country that the rows do not show as they are. */
interface Cleaned {
  /** Number of units merged into another. */
  readonly mergedCount: number;
  /** Number of duplicate rows in such units. */
  readonly droppedCount: number;
}

function cleaningOf(country: string): Cleaned {
  const countOf = (kind: string): number =>
    readReport('2026-03').cleaning.find((change) => change.kind === kind)?.countries[country] ?? 0;
  return {
    mergedCount: countOf('unit: merged into another'),
    droppedCount: countOf('leaf: duplicate in a unit'),
  };
}

/** Every row through the store, and no leaf without a row. The ids of leaves that lie elsewhere than their row says. */
function checkCountry(
  snapshot: Snapshot,
  country: string,
  rows: readonly ReleaseRow[],
  { mergedCount, droppedCount }: Cleaned,
  failures: Failures,
): ReadonlySet<string> {
  const structures = structuresOf(snapshot, country);
  const places = parsePlaces(structures);
  const keysByCode = new Map<string, Set<string>>();
  const keysOf = (code: string): Set<string> => {
    let keys = keysByCode.get(code);
    if (keys === undefined) {
      const match = findInIndex(structures.postcodes, code);
      keys = new Set(match?.postcode === code ? [...match.places].map((place) => leafKey(places, place)) : []);
      keysByCode.set(code, keys);
    }
    return keys;
  };
  const leafKey = (all: readonly PlaceResource[], place: number): string => {
    const { localName, postalCode } = all[place] as PlaceResource;
    const { latitude, longitude } = positionOf(structures.positions, place).released ?? (all[place] as PlaceResource);
    const admins = ['', '', ''];
    for (
      let at = structures.tree.parents[place] as number;
      at < all.length;
      at = structures.tree.parents[at] as number
    ) {
      const unit = all[at] as PlaceResource;
      admins[TYPES.indexOf(unit.type)] = unit.localName;
    }
    return [postalCode, localName, ...(mergedCount > 0 ? [] : admins), latitude, longitude].join('\t');
  };
  const distinct = new Set<string>();
  const shown = createShownRow(country);
  for (const row of rows) {
    distinct.add(rowKey(row));
    const key = rowKey(mergedCount > 0 ? { ...shown(row), admins: [] } : shown(row));
    if (!keysOf(row.code).has(key)) failures.add(`${country}: ${row.line}`);
  }
  const leafCount = places.filter(({ postalCode }) => postalCode !== null).length;
  if (leafCount !== distinct.size - droppedCount)
    failures.add(`${country}: ${leafCount} leaves, ${distinct.size} distinct rows`);
  let listed = 0;
  for (let code = 0; code < structures.postcodes.codeCount; code++)
    listed += indexedPostcodePlaces(structures.postcodes, code).length;
  if (listed !== leafCount) failures.add(`${country}: ${listed} places under codes, ${leafCount} leaves`);

  totals.rows += rows.length;
  totals.distinct += distinct.size;
  totals.repeatedLines += rows.length - new Set(rows.map(({ line }) => line)).size;
  totals.nameless += rows.filter(({ hasOwnName }) => !hasOwnName).length;
  return new Set(Array.from(structures.positions.moved, (place) => places[place]?.id as string));
}

/** One row through the service, as a client would ask: in lower case, and without separators. */
function checkAnswer(
  snapshot: Snapshot,
  country: string,
  row: ReleaseRow,
  { cleaned, movedIds }: { readonly cleaned: Cleaned; readonly movedIds: ReadonlySet<string> },
  failures: Failures,
): void {
  const { places, ...head } = parseAnswer<{ places: PlaceDetail[] }>(
    findPostcode(snapshot, { country, postcode: row.code }),
  );
  expect(head).toEqual({ countryCode: country, postcode: row.code });
  const admins = row.admins.filter((admin) => admin !== '');
  const isThere = places.some(
    ({ id, name, localName, postalCode, latitude, longitude, ancestors }) =>
      postalCode === row.code &&
      isNameOf(row.name, name, localName) &&
      (movedIds.has(id) || (latitude === row.lat && longitude === row.lng)) &&
      ancestors.length === admins.length &&
      (cleaned.mergedCount > 0 ||
        ancestors.every((unit, depth) => isNameOf(admins[depth] as string, unit.name, unit.localName))),
  );
  // Of a code with more places than an answer may hold, the row's need not be among them.
  if (!isThere && places.length < MAX_PLACES) failures.add(`${country} answer: ${row.line}`);
  const compact = row.code.replace(/[\s-]/g, '');
  const similar = parseAnswer<{ postcode: string }>(findPostcode(snapshot, { country, postcode: compact }));
  if (similar.postcode.replace(/[\s-]/g, '') !== compact) failures.add(`${country} ${compact}: ${similar.postcode}`);
  totals.sampled++;
}

/** How many places, on which levels, and how many codes these rows make: a unit is its chain of columns and names. */
function expectedOf(rows: readonly ReleaseRow[]): { places: number; levels: number[]; codes: number } {
  const units = new Set<string>();
  const leaves = new Set<string>();
  const levels = [0, 0, 0, 0];
  for (const row of rows) {
    let chain = '';
    let depth = 0;
    row.admins.forEach((admin, column) => {
      if (admin === '') return;
      chain += `\t${column}:${admin}`;
      if (!units.has(chain)) levels[depth] = (levels[depth] as number) + 1;
      units.add(chain);
      depth++;
    });
    const key = rowKey(row);
    if (!leaves.has(key)) levels[depth] = (levels[depth] as number) + 1;
    leaves.add(key);
  }
  return { places: units.size + leaves.size, levels, codes: new Set(rows.map(({ code }) => code)).size };
}

type KeyedRow = Omit<ReleaseRow, 'admins'> & { readonly admins: readonly string[] };

function rowKey({ code, name, admins, lat, lng }: KeyedRow): string {
  return [code, spellingsOf(name).local, ...admins.map((admin) => spellingsOf(admin).local), lat, lng].join('\t');
}

/** "local / Latin" in a row is `localName` and `name` of the place; any other text is `localName`. */
function spellingsOf(text: string): { readonly local: string; readonly latin: string | null } {
  const parts = text.split('/');
  for (let cut = 1; cut < parts.length; cut++) {
    const sides = [parts.slice(0, cut).join('/').trim(), parts.slice(cut).join('/').trim()] as const;
    const scripts = sides.map(scriptOf).join();
    if (scripts === 'other,Latin') return { local: sides[0], latin: sides[1] };
    if (scripts === 'Latin,other') return { local: sides[1], latin: sides[0] };
  }
  return { local: text, latin: null };
}

/** Whether a place of these names is what a row calls `text`: names in other scripts are romanised, capitals small. */
function isNameOf(text: string, name: string, localName: string): boolean {
  const { local, latin } = spellingsOf(text);
  if (localName !== local) return false;
  if (latin !== null) return name === latin;
  if (/[^\P{L}\p{Script=Latin}\p{Script=Common}]/u.test(text)) return scriptOf(name) === 'Latin';
  return name === text || (!/\p{Ll}{2}/u.test(text) && name.toLowerCase() === text.toLowerCase());
}

function scriptOf(text: string): 'Latin' | 'other' | 'none or both' {
  const letters = text.match(/\p{L}/gu) ?? [];
  const latinCount = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (letters.length === 0 || (latinCount > 0 && latinCount < letters.length)) return 'none or both';
  return latinCount === 0 ? 'other' : 'Latin';
}
