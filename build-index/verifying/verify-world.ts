/** Checks the sections of the world: what leads a look-up out of an array, or to a country or place that is not there. */

import { findCountryByName } from '../../src/core/lookup/countries.js';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { decodeCountryGrid } from '../../src/core/snapshot/country-grid.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { type CountryEntry, type Manifest, manifestPlaceCount } from '../../src/core/snapshot/manifest.js';
import { decodeNameIndex } from '../../src/core/snapshot/name-index.js';
import { decodeNamesByLanguage } from '../../src/core/snapshot/names-by-language.js';
import { decodeRenderedCountries, renderedCountryDetail } from '../../src/core/snapshot/rendered-countries.js';
import { readSection, readSnapshotContents, withFile } from '../../src/core/snapshot/snapshot-file.js';
import { decodeWorldPostcodes } from '../../src/core/snapshot/world-postcodes.js';
import type { Task } from '../pool/pool.js';
import { checkAscending, checkBelow, failArrayCheck } from './array-checks.js';
import { checkNameIndex } from './check-name-index.js';
import { checkNamesByLanguage } from './check-names-by-language.js';

export interface VerifyWorldTask extends Task<undefined> {
  readonly kind: 'verify-world';
  readonly path: string;
}

export function verifyWorld({ path }: VerifyWorldTask): void {
  withFile(path, (fd) => {
    const { manifest } = readSnapshotContents(fd);
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
    const where = 'country-names-by-language';
    const names = readSection(fd, sections, where);
    if (names.length > 0) checkNamesByLanguage(decodeNamesByLanguage(names, where, countries.length), where);
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
    if (closing !== CLOSING) failArrayCheck(where, `${CLOSING} behind ${code}`, closing);
    const json = `${decodeUtf8(renderedCountryDetail(rendered, number).join(''))}}`;
    const answer = parseJson(json) ?? failArrayCheck(where, 'JSON', json);
    const hasPostcodes = slices.length > 0;
    const expected = { code, name, slug, hasPostcodes, url: `${siteUrl}/${slug}` };
    const isRight =
      JSON.stringify({ ...answer, ...expected }) === json && Object.hasOwn(answer, 'stats') === hasPostcodes;
    if (!isRight) failArrayCheck(where, `the manifest's values for ${code}`, json);
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
    if (hasData[number] !== true) failArrayCheck(where, 'numbers of countries with data', number);
  }
}

/** Every rank leads to a place of its country, and the English name of every country to this country. */
function checkNames(fd: number, { countries, sections }: Manifest): void {
  const where = 'world-name-index';
  const index = decodeNameIndex(readSection(fd, sections, where), where, 'world');
  const placeCounts = countries.map(manifestPlaceCount);
  checkNameIndex(index, (rank) => placeCounts[index.countries[rank] as number] ?? 0, where);
  checkBelow(`${where}.bigCityCountries`, index.bigCityCountries, countries.length);
  checkBelow(`${where}.namedCountries`, index.namedCountries, countries.length);
  for (const [number, { name }] of countries.entries()) {
    const found = findCountryByName(index, foldText(name));
    if (found !== number) failArrayCheck(where, `country number ${number} by the name ${name}`, found);
  }
}
