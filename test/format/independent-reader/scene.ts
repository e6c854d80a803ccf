/**
 * One snapshot before both readers: the hand-made release with countries of the seeded one, so that there are large
 * ranges of names and trees of many nodes, and with a post office of US forces abroad. It follows a snapshot in which
 * units had other names.
 */

import { readFileSync } from 'node:fs';
import { readPath } from '../../../src/core/snapshot/place-fields.js';
import type { PlaceResource } from '../../../src/core/snapshot/rendered-places.js';
import {
  type CountryStructures,
  decodeSnapshot,
  openSnapshot,
  type Snapshot,
} from '../../../src/core/snapshot/snapshot.js';
import { replaceManifest } from '../../fixtures/damage.js';
import { buildFixtureSnapshot, type FixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS, type RowsByCountry } from '../../fixtures/hand-made-release.js';
import { seededRelease } from '../../fixtures/seeded-release.js';
import { type CountryPlaces, readCountryPlaces } from './country-places.js';
import { COUNTRY_SECTIONS, openSnapshotFile, type SnapshotFile } from './snapshot-file.js';

export interface ReadCountry {
  readonly number: number;
  readonly code: string;
  /** The independent reader's. */
  readonly places: CountryPlaces;
  readonly answers: readonly PlaceResource[];
  readonly slices: readonly Buffer[];
  /** The program's. */
  readonly structures: CountryStructures;
}

export interface Scene {
  readonly bytes: Buffer;
  readonly file: SnapshotFile;
  readonly snapshot: Snapshot;
  /** The paths of all places of the previous snapshot, by country. */
  readonly previousPaths: ReadonlyMap<string, readonly string[]>;
  /** Those with data. */
  readonly countries: readonly ReadCountry[];
}

export const sliceOf = ({ slices }: ReadCountry, section: string): Buffer =>
  slices[COUNTRY_SECTIONS.indexOf(section)] as Buffer;

export const SOURCE_DATE = '2026-03-30';

/** 256 names that start with "qa", which is not a large range yet, and 257 with "qe", which is. */
function listedRows(): FixtureRow[] {
  return Array.from({ length: 256 + 257 }, (_, number) => {
    const word = String.fromCharCode(97 + (number % 26), 97 + (Math.floor(number / 26) % 26));
    return [String(47_890 + number), `Q${number < 256 ? 'a' : 'e'}${word}`, '', '', '', 43.9, 12.4 + number / 10_000];
  });
}

/** A row as in the release before: some units had another name, and one row in nine was in another second-level unit. */
function inOldUnits(row: RowsByCountry[string][number], index: number): RowsByCountry[string][number] {
  if (typeof row === 'string') return row;
  const [code, name, admin1, admin2, ...rest] = row;
  return [code, name, admin1.replace(/^N/, 'Old N'), index % 9 === 0 ? 'Elsewhere' : admin2, ...rest];
}

function pathsOf({ path }: FixtureSnapshot): Map<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const { entry, structures } of openSnapshot(path).countries) {
    if (structures === undefined) continue;
    const { placeCount } = structures.tree;
    paths.set(
      entry.code,
      Array.from({ length: placeCount }, (_, place) => readPath(structures, place)),
    );
  }
  return paths;
}

export async function readScene(): Promise<Scene> {
  const { FR = [], RU = [] } = seededRelease(20260330);
  // Romanised, a name of 200 characters has words behind the 255th.
  const AX = [
    ...(HAND_MADE_ROWS.AX ?? []),
    ['22110', '서울특별시 서울 '.repeat(22).trim(), '', '', '', 60.2, 19.9] as const,
  ];
  const US = [...(HAND_MADE_ROWS.US ?? []), ['09001', 'APO AE', '', '', '', -75.3, 123.4] as const];
  const AQ = [...(HAND_MADE_ROWS.AQ ?? []), ['BIQQ 5ZZ', 'North Pole', 'Coast', '', '', 90, 180] as const];
  const rows = { ...HAND_MADE_ROWS, AQ, AX, FR, RU, SM: listedRows(), US };
  const previous = await buildFixtureSnapshot({ FR: FR.map(inOldUnits), RU, US: US.map(inOldUnits) });
  const previousPaths = pathsOf(previous);
  const fixture = await buildFixtureSnapshot(rows, { previousPath: previous.path }).finally(previous.cleanup);
  try {
    const built = readFileSync(fixture.path);
    const bytes = Buffer.from(replaceManifest(built, (manifest) => ({ ...manifest, sourceDate: SOURCE_DATE })));
    const [file, snapshot] = [openSnapshotFile(bytes), decodeSnapshot(bytes, false)];
    const countries = file.countries.flatMap((country, number): ReadCountry[] => {
      if (country.slices.length === 0) return [];
      const places = readCountryPlaces(country);
      const answers = Array.from({ length: places.placeCount }, (_, place) => JSON.parse(places.answerOf(place)));
      const structures = snapshot.countries[number]?.structures as CountryStructures;
      return [{ number, code: country.code, places, answers, slices: country.slices, structures }];
    });
    return { bytes, file, snapshot, previousPaths, countries };
  } finally {
    fixture.cleanup();
  }
}
