/**
 * `verify`: checks every checksum and every byte of padding of a snapshot file, and what would lead a look-up astray:
 * numbers out of bounds, lists in disorder, and references that lead to something else (verify-country.ts, check-index.ts,
 * and for the sections of the world this file). It does not check that the builder wrote the right contents, such as
 * ranks, facts, and which cells and codes a country has. Each country is a task, on all cores. The largest country and
 * the name index of the world bound its memory.
 */

import { closeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { findCountryByName } from '../../src/core/lookup/countries.js';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { checkPadding, checkSections } from '../../src/core/snapshot/check-sections.js';
import { decodeCountryGrid } from '../../src/core/snapshot/country-grid.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import type { CountryEntry, Manifest } from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex } from '../../src/core/snapshot/name-index.js';
import { decodeNamesByLanguage } from '../../src/core/snapshot/names-by-language.js';
import { countryDetailJson, decodeRenderedCountries } from '../../src/core/snapshot/rendered-countries.js';
import { COUNTRY_NAMES_SECTION } from '../../src/core/snapshot/sections.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import {
  openShared,
  readContents,
  readSection,
  type SnapshotContents,
  withFile,
} from '../../src/core/snapshot/snapshot-file.js';
import { decodeWorldPostcodes } from '../../src/core/snapshot/world-postcodes.js';
import type { Pool, Task } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { checkAscending, checkBelow, checkNameIndex, checkNamesByLanguage, fail } from './check-index.js';
import type { VerifyCountryTask } from './verify-country.js';

export interface VerifySectionsTask extends Task<undefined> {
  readonly kind: 'verify-sections';
  readonly path: string;
}

/** The checksum of every section, and zeros between sections and between slices. Throws SnapshotError. */
export function verifySections({ path }: VerifySectionsTask): void {
  withFile(path, (fd) => {
    const { countries, sections } = checkSections(fd).manifest;
    // A section of the world has no slices.
    sections.forEach(({ offset: sectionStart }, index) => {
      let sliceEnd = 0;
      for (const { slices } of countries) {
        const slice = slices[index];
        if (slice === undefined) continue;
        checkPadding(fd, sectionStart + sliceEnd, sectionStart + slice.offset);
        sliceEnd = slice.offset + slice.length;
      }
    });
  });
}

/** Throws SnapshotError with the first fault. The file stays locked (shared), so that `prune` leaves it alone. */
export async function verifySnapshot(path: string, pool: Pool, progress: Progress): Promise<SnapshotContents> {
  const fd = openShared(path);
  try {
    const contents = readContents(fd);
    // Results come in the order of the tasks, so a damaged section is reported before the inconsistencies that it causes.
    const tasks = [...wholeFileTasks(path), ...countryTasks(path, contents.manifest)];
    progress.start('verifying', tasks.length);
    await runTasks(tasks, pool, progress);
    return contents;
  } finally {
    closeSync(fd);
  }
}

/** The parts of the manifest that describe the countries, known before the whole manifest. */
export type CountryContents = Pick<Manifest, 'siteUrl' | 'countries' | 'sections'>;

/**
 * Verifies a file while it is written, in two steps: the countries as soon as their sections are complete, the rest
 * when the file is complete. Both steps together are equivalent to verifySnapshot.
 */
export function createVerifier(path: string, pool: Pool, progress: Progress) {
  return {
    /** Throws SnapshotError with the first fault of a country. */
    async verifyCountries(contents: CountryContents): Promise<void> {
      const tasks = countryTasks(path, contents);
      progress.start('verifying', tasks.length + wholeFileTasks(path).length);
      await runTasks(tasks, pool, progress);
    },

    /** Throws SnapshotError, also if the file's manifest differs from `manifest`. */
    async verifyWhole(manifest: Manifest): Promise<void> {
      const found = withFile(path, (fd) => readContents(fd).manifest);
      if (!isDeepStrictEqual(found, manifest)) {
        throw new SnapshotError('MANIFEST_DAMAGED', 'the manifest that was written', 'another');
      }
      await runTasks(wholeFileTasks(path), pool, progress);
    },
  };
}

function wholeFileTasks(path: string): (VerifySectionsTask | VerifyWorldTask)[] {
  return [
    { kind: 'verify-sections', step: 'verifying checksums', path },
    { kind: 'verify-world', step: 'verifying the index of the world', path },
  ];
}

function countryTasks(path: string, { siteUrl, countries, sections }: CountryContents): VerifyCountryTask[] {
  return countries
    .filter(({ slices }) => slices.length > 0)
    .map((entry) => ({
      kind: 'verify-country',
      step: `verifying ${entry.code}`,
      size: entry.slices.reduce((bytes, { length }) => bytes + length, 0),
      path,
      entry,
      sections,
      pageUrl: `${siteUrl}/${entry.slug}`,
    }));
}

async function runTasks(
  tasks: readonly (VerifySectionsTask | VerifyWorldTask | VerifyCountryTask)[],
  pool: Pool,
  progress: Progress,
): Promise<void> {
  let done = 0;
  for await (const _ of pool.run(tasks)) {
    const task = tasks[done++];
    progress.step(task?.kind === 'verify-country' ? task.entry.code : '');
  }
}

export interface VerifyWorldTask extends Task<undefined> {
  readonly kind: 'verify-world';
  readonly path: string;
}

/** Throws SnapshotError STRUCTURE_INVALID. */
export function verifyWorld({ path }: VerifyWorldTask): void {
  withFile(path, (fd) => {
    const { manifest } = readContents(fd);
    const { countries, sections } = manifest;
    checkCountryAnswers(fd, manifest);
    const grid = decodeCountryGrid(readSection(fd, sections, 'country-grid'), 'country-grid');
    checkAscending('country-grid.cells', grid.cells, 1);
    checkAscending('country-grid.starts', grid.starts, 1);
    checkHaveData('country-grid', grid.countries, countries);
    checkNames(fd, manifest);
    const codes = decodeWorldPostcodes(readSection(fd, sections, 'world-postcodes'), 'world-postcodes');
    checkAscending('world-postcodes.hashes', codes.hashes, 0);
    checkHaveData('world-postcodes', codes.countries, countries);
    const where = COUNTRY_NAMES_SECTION;
    if (!sections.some(({ name }) => name === where)) return;
    const countryNames = decodeNamesByLanguage(readSection(fd, sections, where), where, countries.length);
    checkNamesByLanguage(countryNames, where);
  });
}

/** Each country's object is JSON that begins as the manifest says and ends so that the list can be cut behind it. */
function checkCountryAnswers(fd: number, { countries, sections, siteUrl }: Manifest): void {
  const where = 'country-answers';
  const rendered = decodeRenderedCountries(readSection(fd, sections, where), where, countries.length);
  checkAscending(`${where}.offsets`, rendered.offsets, 1);
  checkAscending(`${where}.statsOffsets`, rendered.statsOffsets, 0);
  countries.forEach(({ code, name, slug, slices }, number) => {
    const end = rendered.offsets[number + 1] as number;
    const closing = rendered.text.toString('latin1', end - CLOSING.length, end);
    if (closing !== CLOSING) fail(where, `${CLOSING} behind ${code}`, closing);
    const json = `${decodeUtf8(countryDetailJson(rendered, number).join(''))}}`;
    const answer = parseJson(json) ?? fail(where, 'JSON', json);
    const hasPostcodes = slices.length > 0;
    const expected = { code, name, slug, hasPostcodes, url: `${siteUrl}/${slug}` };
    const isRight =
      JSON.stringify({ ...answer, ...expected }) === json && Object.hasOwn(answer, 'stats') === hasPostcodes;
    if (!isRight) fail(where, `the manifest's values for ${code}`, json);
  });
}

/** The end of each country's object in the list, with the comma after it. */
const CLOSING = '},';

function parseJson(json: string): object | undefined {
  try {
    return Object(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function checkHaveData(where: string, numbers: ArrayLike<number>, countries: readonly CountryEntry[]): void {
  const hasData = countries.map(({ slices }) => slices.length > 0);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    if (hasData[number] !== true) fail(where, 'numbers of countries with data', number);
  }
}

/** Every rank leads to a place of its country, and the English name of every country to this country. */
function checkNames(fd: number, { countries, sections }: Manifest): void {
  const where = 'world-name-index';
  const index = decodeNameIndex(readSection(fd, sections, where), where, 'world');
  const placeCounts = countries.map(({ levelCounts }) => levelCounts.reduce((sum, count) => sum + count, 0));
  checkNameIndex(index, (rank) => placeCounts[index.countries[rank] as number] ?? 0, where);
  checkBelow(`${where}.bigCityCountries`, index.bigCityCountries, countries.length);
  checkBelow(`${where}.namedCountries`, index.namedCountries, countries.length);
  for (const [number, { name }] of countries.entries()) {
    const found = findCountryByName(index, foldText(name));
    if (found !== number) fail(where, `country number ${number} by the name ${name}`, found);
  }
}
