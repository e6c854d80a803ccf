/**
 * All full codes of GB against the rows that they were made of: each is found with its position, in every spelling; the
 * nearest ones are those of brute force; and a table of addresses that end with one gets no other.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { distance } from 'geokdbush';
import { nearby } from '../../src/core/answers/nearby.js';
import { findPostcode } from '../../src/core/answers/postcodes.js';
import { normalizePostcode } from '../../src/core/snapshot/postcode-spelling.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { type ReleaseRow, readRows } from './release-rows.js';
import { buildsFolder, count, Failures, parseAnswer, pick, printFigures, releaseFolder } from './world.js';

const RELEASE = '2026-03';
const SNAPSHOT = join(buildsFolder(), 'full-codes.snapshot');
/** The whole file: none of its rows repeats a code. */
const CODES = 1_745_005;
const SPELLED = 20_000;
const POINTS = 2_000;
const NEAREST = 10;
const RADIUS_KM = 20;
const ADDRESSES = 100_000;
/** Degrees: the positions of the rows have four decimals or more. */
const TOLERANCE = 0.00005;
const KM_PER_DEGREE = 111;

interface Answer {
  readonly postcode: string;
  readonly places: readonly { readonly postalCode: string; readonly latitude: number; readonly longitude: number }[];
}
interface Near {
  readonly countryCode: string;
  readonly postcode: string;
  readonly distanceKm: number;
}

const snapshot = openSnapshot(SNAPSHOT);
let rows: readonly ReleaseRow[];

beforeAll(async () => {
  rows = await readRows(releaseFolder(RELEASE), 'GB_full');
});

/** The fault of the answer to a typed code, or undefined. */
function faultOf({ code, lat, lng }: ReleaseRow, typed: string): string | undefined {
  const postcode = normalizePostcode(typed);
  const answer = parseAnswer<Answer>(findPostcode(snapshot, { country: 'GB', postcode }));
  const isFound =
    answer.postcode === code &&
    answer.places.length > 0 &&
    answer.places.every(
      ({ postalCode, latitude, longitude }) =>
        postalCode === code && Math.abs(latitude - lat) < TOLERANCE && Math.abs(longitude - lng) < TOLERANCE,
    );
  return isFound ? undefined : `${typed}: ${JSON.stringify(answer).slice(0, 200)}`;
}

test('every code is found with its position, and 20,000 in five spellings', () => {
  const failures = new Failures();
  for (const row of rows) {
    const fault = faultOf(row, row.code);
    if (fault !== undefined) failures.add(fault);
  }
  const random = createRandom(17);
  for (let drawn = 0; drawn < SPELLED; drawn++) {
    const row = pick(random, rows);
    const compact = row.code.replace(' ', '');
    const spellings = [compact, compact.toLowerCase(), row.code.replace(' ', '-'), `GB-${row.code}`, ` ${row.code}  `];
    for (const spelling of spellings) {
      const fault = faultOf(row, spelling);
      if (fault !== undefined) failures.add(fault);
    }
  }
  expect(failures.shown).toEqual([]);
  expect(rows).toHaveLength(CODES);
  printFigures(`full codes: ${count(rows.length)} found, ${count(SPELLED)} of them in 5 spellings`);
});

test('the nearest codes are those of brute force at 2,000 points', () => {
  const byLatitude = [...rows].sort((a, b) => a.lat - b.lat);
  const latitudes = Float64Array.from(byLatitude, ({ lat }) => lat);
  const longitudes = Float64Array.from(byLatitude, ({ lng }) => lng);
  const random = createRandom(18);
  const failures = new Failures();
  let found = 0;
  for (let drawn = 0; drawn < POINTS; drawn++) {
    const at = pick(random, rows);
    const [lat, lng] = [at.lat + (random() - 0.5) * 0.2, at.lng + (random() - 0.5) * 0.2];
    const near = parseAnswer<Near[]>(
      nearby(snapshot, {
        ...{ lat, lng, country: undefined, postcode: undefined, place: undefined, radiusKm: RADIUS_KM, limit: NEAREST },
        ...{ countries: ['GB'], types: ['locality', 'recipient'], by: 'postcode' },
      }),
    );
    const reach = RADIUS_KM / KM_PER_DEGREE;
    const width = (1.1 * reach) / Math.cos((lat * Math.PI) / 180);
    const kms: number[] = [];
    for (let row = firstAbove(latitudes, lat - reach), end = firstAbove(latitudes, lat + reach); row < end; row++) {
      if (Math.abs((longitudes[row] as number) - lng) >= width) continue;
      const km = distance(lng, lat, longitudes[row] as number, latitudes[row] as number);
      if (km <= RADIUS_KM) kms.push(km);
    }
    const expected = Float64Array.from(kms).sort();
    // A first part that has no full codes is listed itself.
    const full = near.filter(({ postcode }) => postcode.includes(' '));
    found += full.length;
    // Codes at one distance may come in any order, so the distances are compared; they are rounded to metres.
    const isRight =
      (near.length === NEAREST || full.length === expected.length) &&
      full.every(({ distanceKm }, index) => Math.abs(distanceKm - (expected[index] as number)) < 0.002);
    if (!isRight)
      failures.add(`${lat}, ${lng}: ${JSON.stringify(near)}, by brute force ${expected.subarray(0, NEAREST)}`);
  }
  expect(failures.shown).toEqual([]);
  printFigures(`full codes: the nearest ${NEAREST} of ${count(POINTS)} points, ${count(found)} codes`);
});

/** The first index whose value is above `value`, of ascending values. */
function firstAbove(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

test('100,000 addresses that end with a full code get it and its position', () => {
  const random = createRandom(19);
  const streets = ['High Street', 'Station Road', 'Church Lane', 'The Crescent', 'Flat 3, Albert Court'];
  const asked = Array.from({ length: ADDRESSES }, () => pick(random, rows));
  const lines = asked.map(({ code, name }) => {
    const typed = pick(random, [code, code, code.replace(' ', ''), code.toLowerCase()]);
    return `"${1 + Math.floor(random() * 300)} ${pick(random, streets)}, ${name.replaceAll('"', '')} ${typed}",GB`;
  });
  const folder = mkdtempSync(join(tmpdir(), 'postal-full-codes-'));
  try {
    const [table, out] = [join(folder, 'addresses.csv'), join(folder, 'out.csv')];
    writeFileSync(table, ['address,country', ...lines, ''].join('\n'));
    const program = join(import.meta.dirname, '../../dist/cli/main.js');
    const options = ['--add', 'postcode,latitude,longitude', '--snapshot', SNAPSHOT, '--out', out];
    const { status, stderr } = spawnSync(process.execPath, [program, 'enrich', table, ...options], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const results: { postcode: string; latitude: string; longitude: string }[] = parse(readFileSync(out), {
      columns: true,
    });
    const failures = new Failures();
    let right = 0;
    for (const [index, { postcode, latitude, longitude }] of results.entries()) {
      const { code, lat, lng } = asked[index] as ReleaseRow;
      const isNear = Math.abs(Number(latitude) - lat) < TOLERANCE && Math.abs(Number(longitude) - lng) < TOLERANCE;
      if (postcode === code && isNear) right++;
      else failures.add(`${lines[index]}: ${postcode} ${latitude} ${longitude}`);
    }
    printFigures(`full codes: ${count(right)} of ${count(ADDRESSES)} addresses`);
    expect(failures.shown).toEqual([]);
    expect(results).toHaveLength(ADDRESSES);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
