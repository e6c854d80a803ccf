/**
 * What the checks over whole releases share: the compiled snapshots and their reports, every place as the object a
 * client gets, answers of the service as objects, seeded randomness, and one line of figures for each check.
 */

import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ResponseData, readResponseData } from '../../src/core/answers/response-data.js';
import { type PlaceResource, placeRangeJson } from '../../src/core/snapshot/rendered-places.js';
import { type CountryStructures, openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';

export type ReleaseName = '2024-04' | '2026-03';

export interface Report {
  readonly cleaning: readonly { readonly kind: string; readonly countries: Readonly<Record<string, number>> }[];
  readonly rows: Readonly<Record<'read' | 'taken' | 'merged' | 'repaired' | 'rejected', number>>;
  readonly problems: readonly { readonly kind: string; readonly count: number; readonly examples: readonly string[] }[];
  readonly countries: readonly {
    readonly code: string;
    readonly places: number;
    readonly levels: readonly number[];
    readonly distinctPostcodes: number;
  }[];
}

/** The folder that build-releases.js compiled into. */
export function buildsFolder(): string {
  const folder = process.env.WORLD_BUILDS;
  if (folder === undefined) throw new Error('run these checks with: npm run test:world');
  return folder;
}

export function releaseFolder(release: ReleaseName): string {
  return join(process.env.WORLD_RELEASES as string, release);
}

/** The same without full codes: what the snapshots of releases are built of. */
export function builtFolder(release: ReleaseName): string {
  return join(buildsFolder(), 'first-parts', release);
}

export function snapshotFile(release: ReleaseName): string {
  return join(buildsFolder(), `${release}.snapshot`);
}

export function openRelease(release: ReleaseName): Snapshot {
  return openSnapshot(snapshotFile(release));
}

/** The release of 2026-03 with the cities of the gazetteer. */
export function openWithCities(): Snapshot {
  return openSnapshot(join(buildsFolder(), '2026-03-cities.snapshot'));
}

export function readReport(release: ReleaseName): Report {
  return JSON.parse(readFileSync(join(buildsFolder(), `${release}.json`), 'utf8'));
}

/** The countries with postcode data, ascending by code. */
export function countriesWithData(snapshot: Snapshot): { code: string; structures: CountryStructures }[] {
  return snapshot.countries.flatMap(({ entry, structures }) =>
    structures === undefined ? [] : [{ code: entry.code, structures }],
  );
}

export function structuresOf(snapshot: Snapshot, code: string): CountryStructures {
  const structures = snapshot.countryByCode.get(code)?.structures;
  if (structures === undefined) throw new Error(`the snapshot has no data of ${code}`);
  return structures;
}

/** Every place of a country as a client sees it, by number. */
export function parsePlaces({ renderedPlaces, tree }: CountryStructures): PlaceResource[] {
  const places: PlaceResource[] = [];
  const step = 1000;
  for (let start = 0; start < tree.placeCount; start += step) {
    const bytes = placeRangeJson(renderedPlaces, start, Math.min(start + step, tree.placeCount));
    places.push(...JSON.parse(`[${textOf(bytes)}]`));
  }
  return places;
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** The object that an answer's pieces are. */
export function parseAnswer<T>(answer: ResponseData): T {
  return JSON.parse(readResponseData(answer));
}

export function pick<T>(random: () => number, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** Keeps the first few of what went wrong: a million lines help nobody. */
export class Failures {
  readonly shown: string[] = [];

  add(text: string): void {
    if (this.shown.length < 10) this.shown.push(text);
  }
}

export function printFigures(text: string): void {
  process.stdout.write(`world: ${text}\n`);
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(4)} %`;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
