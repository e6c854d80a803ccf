/**
 * Checks the sections of the world: the answers of the countries, the grid of countries, and the names and
 * postal codes of the world.
 */

import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { decodeCountryGrid } from '../../src/core/snapshot/country-grid.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import type { CountryEntry, Manifest } from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex, type NameIndex } from '../../src/core/snapshot/name-index.js';
import { decodePointIndex } from '../../src/core/snapshot/point-index.js';
import { decodeWorldPostcodes } from '../../src/core/snapshot/postcode-index.js';
import { countryDetailJson, decodeRenderedCountries } from '../../src/core/snapshot/rendered-countries.js';
import { readContents, readSection, withFile } from '../../src/core/snapshot/snapshot-file.js';
import { findCountryByName } from '../../src/core/use-cases/countries.js';
import type { Task } from '../pool/pool.js';
import { worldPostcodesOf } from '../structures/build-postcode-index.js';
import { gridOf } from '../structures/country-answers.js';
import { readCountrySlices, streamCountrySlices } from '../structures/country-slices.js';
import { fail, mustEqual } from './check-answers.js';
import { checkWorldNames } from './check-names.js';

/*
 * Checks the names in the world's index that lead to a country instead of a place. Of the names of countries only the
 * English ones, which the manifest has, can be told from others.
 */

const WHERE = 'world-name-index';

export function checkNamesOfCountries(index: NameIndex, countries: readonly CountryEntry[]): void {
  /** The countries of the current name. */
  const seen = new Set<number>();
  index.bigCityCountries.forEach((number, at) => {
    if (countries[number] === undefined) fail(WHERE, 'big cities of countries', `country number ${number}`);
    if (index.bigCityNames[at] !== index.bigCityNames[at - 1]) seen.clear();
    if (seen.has(number)) fail(WHERE, 'each name of a big city once for a country', `country number ${number}`);
    seen.add(number);
  });
  const named = new Set(index.namedCountries);
  for (const number of named) if (countries[number] === undefined) fail(WHERE, 'names of countries', number);
  if (named.size !== countries.length) fail(WHERE, `names of ${countries.length} countries`, `of ${named.size}`);
  for (const [number, { name }] of countries.entries()) {
    const found = findCountryByName(index, foldText(name));
    if (found !== number) fail(WHERE, `country number ${number} by the name ${name}`, String(found));
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
    checkCountryAnswers(fd, manifest);
    checkGrid(fd, manifest);
    checkWorld(fd, manifest);
    checkWorldPostcodes(fd, manifest);
  });
}

function checkCountryAnswers(fd: number, { countries, sections, siteUrl }: Manifest): void {
  const bytes = readSection(fd, sections, 'country-answers');
  const renderedCountries = decodeRenderedCountries(bytes, 'country-answers', countries.length);
  for (const offsets of [renderedCountries.offsets, renderedCountries.statsOffsets]) {
    const wrong = offsets.findIndex((offset, index) => offset < (offsets[index - 1] ?? 0));
    if (wrong !== -1) fail('country-answers', 'offsets ascending', offsets[wrong]);
  }
  let listLength = 0;
  countries.forEach((entry, number) => {
    const [open, stats] = countryDetailJson(renderedCountries, number);
    const json = `${decodeUtf8(open + stats)}}`;
    listLength += open.length + CLOSING.length;
    const closing = renderedCountries.text.subarray(listLength - CLOSING.length, listLength);
    if (Buffer.compare(closing, CLOSING) !== 0) fail('country-answers', 'a brace and a comma', entry.code);
    const detail = parseJson(json);
    const levels = entry.levelCounts.flatMap((count, index) => (count > 0 ? [{ level: index + 1, count }] : []));
    const hasPostcodes = entry.slices.length > 0;
    const expected = {
      ...detail,
      code: entry.code,
      name: entry.name,
      slug: entry.slug,
      latitude: entry.centre?.latitude ?? null,
      longitude: entry.centre?.longitude ?? null,
      ...(!hasPostcodes && { postalCodeFormat: entry.givenFormat }),
      hasPostcodes,
      url: `${siteUrl}/${entry.slug}`,
      ...(hasPostcodes && {
        stats: {
          totalPlaces: entry.levelCounts.reduce((sum, count) => sum + count, 0),
          distinctPostcodes: entry.distinctPostcodes,
          levels,
        },
      }),
    };
    if (JSON.stringify(expected) !== json) fail('country-answers', `the manifest's values for ${entry.code}`, json);
    if (!(hasPostcodes || !('stats' in detail))) fail('country-answers', `no stats for ${entry.code}`, json);
  });
}

/** The end of each country's object in the list, with the comma after it. */
const CLOSING = Buffer.from('},', 'latin1');

function parseJson(json: string): Record<string, unknown> {
  try {
    return JSON.parse(json);
  } catch {
    fail('country-answers', 'JSON', json);
  }
}

function checkGrid(fd: number, manifest: Manifest): void {
  const grid = decodeCountryGrid(readSection(fd, manifest.sections, 'country-grid'), 'country-grid');
  const expected = gridOf(
    readCountrySlices(fd, manifest, 'point-index').map(({ country, bytes, where }) => {
      return { country, points: decodePointIndex(bytes, where) };
    }),
  );
  for (const name of ['cells', 'starts', 'countries'] as const) {
    mustEqual('country-grid', `the ${name} derived from the points`, grid[name], expected[name]);
  }
}

function checkWorldPostcodes(fd: number, manifest: Manifest): void {
  const where = 'world-postcodes';
  const found = decodeWorldPostcodes(readSection(fd, manifest.sections, where), where);
  const expected = worldPostcodesOf(streamCountrySlices(fd, manifest, 'postcode-index'));
  for (const name of ['hashes', 'countries'] as const) {
    mustEqual(where, `the ${name} derived from the postcode indexes`, found[name], expected[name]);
  }
}

function checkWorld(fd: number, manifest: Manifest): void {
  const indexes = readCountrySlices(fd, manifest, 'name-index').map(
    ({ country, bytes, where }) => [country, decodeNameIndex(bytes, where, 'country')] as const,
  );
  const { sections } = manifest;
  const world = decodeNameIndex(readSection(fd, sections, 'world-name-index'), 'world-name-index', 'world');
  checkWorldNames(world, new Map(indexes));
  checkNamesOfCountries(world, manifest.countries);
}
