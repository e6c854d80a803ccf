/**
 * One snapshot before both readers: the hand-made release with countries of the seeded one, so that there are large
 * ranges of names and trees of many nodes, and with a post office of US forces abroad.
 */
import { readFileSync } from 'node:fs';
import type { PlaceResource } from '../../../src/format/rendered-places.js';
import { type CountryStructures, decodeSnapshot, type Snapshot } from '../../../src/store/snapshot.js';
import { replaceManifest } from '../../fixtures/damage.js';
import { buildFixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import { type FixtureRow, HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
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

export async function readScene(): Promise<Scene> {
  const { FR = [], RU = [] } = seededRelease(20260330);
  // Romanised, a name of 200 characters has words behind the 255th.
  const AX = [
    ...(HAND_MADE_ROWS.AX ?? []),
    ['22110', '서울특별시 서울 '.repeat(22).trim(), '', '', '', 60.2, 19.9] as const,
  ];
  const US = [...(HAND_MADE_ROWS.US ?? []), ['09001', 'APO AE', '', '', '', -75.3, 123.4] as const];
  const AQ = [...(HAND_MADE_ROWS.AQ ?? []), ['BIQQ 5ZZ', 'North Pole', 'Coast', '', '', 90, 180] as const];
  const fixture = await buildFixtureSnapshot({ ...HAND_MADE_ROWS, AQ, AX, FR, RU, SM: listedRows(), US });
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
    return { bytes, file, snapshot, countries };
  } finally {
    fixture.cleanup();
  }
}
