/**
 * Loads the facts of each country that its rows lack: from the project's own table (data/countries.tsv: every country
 * of ISO 3166-1 and XK), overridden by a release's countryInfo.txt. A code that is not in the table, such as a
 * withdrawn one, is not a country, even if countryInfo.txt has it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.js';
import { foldText } from '../../src/core/snapshot/fold-text.js';
import { firstPartFormat, fitsFormat, fitsSign } from '../../src/core/snapshot/postcode-format.js';
import type { CountryResource } from '../../src/core/snapshot/rendered-countries.js';
import { slugOf } from '../../src/core/snapshot/slug.js';
import { appendTo } from './grouping.js';
import { ReleaseError } from './input-file.js';

/** A country's answer without the fields that depend on the release's rows and on the website. */
export interface CountryFacts extends Omit<CountryResource, 'hasPostcodes' | 'url' | 'postalCodeFormat'> {
  /** The formats of the release and of the table, if any: see below. */
  readonly postalCodeFormats: readonly string[];
  readonly population: number;
}

const POPULATION_COLUMN = 7;
const POSTAL_FORMAT_COLUMN = 13;

/** Every country, sorted by code. `countryInfo` is the text of countryInfo.txt, null if the release has none. */
export function loadCountryFacts(countryInfo: string | null): CountryFacts[] {
  const inRelease = new Map(tableRows(countryInfo ?? '').map((columns) => [columns[0], columns]));
  if (inRelease.size > 0 && ![...inRelease.values()].some((columns) => columns.length > POSTAL_FORMAT_COLUMN)) {
    throw new ReleaseError('countryInfo.txt: not one line of it describes a country');
  }
  const text = readFileSync(join(packageRoot(), 'data', 'countries.tsv'), 'utf8');
  return tableRows(text)
    .slice(1)
    .map((columns) => {
      const [code, alpha3, name, region, subRegion, currencyCode, timezone, latitude, longitude, format, population] =
        columns as string[] & { length: 11 };
      const info = inRelease.get(code as string);
      const given = (column: number, form: RegExp, fallback: string): string => {
        const value = info?.[column] ?? '';
        return form.test(value) ? value : fallback;
      };
      const countryName = given(4, /^.{1,100}$/, name as string);
      return {
        code: code as string,
        alpha3: given(1, /^[A-Z]{3}$/, alpha3 as string),
        name: countryName,
        slug: slugOf(countryName) || (code as string).toLowerCase(),
        region: given(8, /^[A-Z]{2}$/, region as string),
        subRegion: subRegion || null,
        currencyCode: given(10, /^[A-Z]{3}$/, currencyCode as string),
        timezone: timezone as string,
        latitude: parseCentre(latitude as string),
        longitude: parseCentre(longitude as string),
        postalCodeFormats: [...new Set([given(POSTAL_FORMAT_COLUMN, /^.{1,100}$/, ''), format as string])].filter(
          (one) => one !== '',
        ),
        population: Number(given(POPULATION_COLUMN, /^(?:[1-9]\d{0,8}|[1-3]\d{9})$/, population as string)),
      };
    })
    .sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** The lines that are neither blank nor comments, split at tabs. */
function tableRows(text: string): string[][] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t').map((column) => column.trim()));
}

function parseCentre(text: string): number | null {
  if (text === '') return null;
  const degrees = Number(text);
  if (!Number.isFinite(degrees)) throw new Error(`data/countries.tsv: ${text} is no coordinate`);
  return degrees;
}

/*
 * Further names of countries (data/country-names.tsv): in English, in the languages of the country, and common ones.
 * The table is read once.
 */

let namesByCode: ReadonlyMap<string, readonly string[]> | undefined;

/** The names of the country with this code; none if the table lacks the country. */
export function countryNames(code: string): readonly string[] {
  namesByCode ??= readNames();
  return namesByCode.get(code) ?? [];
}

function readNames(): Map<string, readonly string[]> {
  return new Map(readColumns('country-names.tsv').map(([code, ...names]) => [code as string, names]));
}

/*
 * Chooses the value of `postalCodeFormat` for a country (src/core/snapshot/postcode-spelling.ts). A table's format is used only
 * if the country's codes fit it. In this order:
 *
 *   a format that all codes fit, in whole or (GB, whose data have the first part only) up to its space
 *   the one form of all codes                                                                         RS: #####
 *   a format that some codes fit, if the codes have several forms                                     FR: #####
 *   none
 */

/** `formats` are in the order of preference; `codes` are the country's codes in normal form. */
export function choosePostalCodeFormat(formats: readonly string[], codes: Iterable<string>): string | null {
  const distinct = [...new Set(codes)];
  if (distinct.length === 0) return formats[0] ?? null;
  const whole = formats.find((format) => distinct.every((code) => fitsFormat(format, code)));
  if (whole !== undefined) return whole;
  const isInParts = distinct.every((code) => !code.includes(' '));
  const started = formats.find((format) => isInParts && distinct.every((code) => fitsFirstPart(format, code)));
  return (
    started ??
    commonForm(distinct) ??
    formats.find((format) => distinct.some((code) => fitsFormat(format, code))) ??
    null
  );
}

function fitsFirstPart(format: string, code: string): boolean {
  return fitsFormat(firstPartFormat(format), code);
}

/** The common form of all codes; undefined if they differ in more than digits and letters. */
function commonForm([first = '', ...others]: readonly string[]): string | undefined {
  let form = first;
  for (const code of others) {
    if (code.length !== form.length) return undefined;
    const signs = Array.from(form, (sign, at) => joinSign(sign, code.charAt(at)));
    if (signs.includes(undefined)) return undefined;
    form = signs.join('');
  }
  // A country with one code: its digits may differ in future codes.
  return form.replace(/\d/g, '#');
}

function joinSign(sign: string, character: string): string | undefined {
  if (sign === character || fitsSign(sign, character)) return sign;
  if ((sign === '#' || fitsSign('#', sign)) && fitsSign('#', character)) return '#';
  return (sign === '@' || fitsSign('@', sign)) && fitsSign('@', character) ? '@' : undefined;
}

/*
 * The first-level subdivisions of ISO 3166-2 with their names (data/subdivision-names.tsv), and the subdivisions of the
 * units that names don't settle (data/subdivision-codes.tsv). Each table is read once.
 */

export interface Subdivision {
  /** The code without the country: "52" of IT-52. */
  readonly code: string;
  /** Null where CLDR has no English name that is right. */
  readonly english: string | null;
  /** The English name, and the names in the country's languages. */
  readonly names: readonly string[];
}

export interface EnglishSubdivision extends Subdivision {
  readonly english: string;
}

let byCountry: ReadonlyMap<string, readonly Subdivision[]> | undefined;
let codesByUnit: ReadonlyMap<string, string> | undefined;

export function subdivisionsOf(countryCode: string): readonly Subdivision[] {
  byCountry ??= readSubdivisionTable();
  return byCountry.get(countryCode) ?? [];
}

/** Those with an English name; none if no subdivision of the country has an English name of its own. */
export function englishSubdivisionsOf(countryCode: string): readonly EnglishSubdivision[] {
  const named = subdivisionsOf(countryCode).filter((one): one is EnglishSubdivision => one.english !== null);
  return named.some(hasOwnEnglishName) ? named : [];
}

function hasOwnEnglishName({ english, names: [, ...others] }: EnglishSubdivision): boolean {
  return others.length > 0 && others.every((name) => foldText(name) !== foldText(english));
}

/**
 * The code, without the country, of the subdivision that a unit is: empty if the table says that it is none, undefined if
 * the table lacks the unit. `name` is a name of the unit in the release.
 */
export function subdivisionCodeOf(countryCode: string, name: string): string | undefined {
  codesByUnit ??= readCodes();
  return codesByUnit.get(`${countryCode}\t${foldText(name)}`);
}

function readSubdivisionTable(): Map<string, Subdivision[]> {
  const found = new Map<string, Subdivision[]>();
  for (const [code, english, ...names] of readColumns('subdivision-names.tsv')) {
    if (code === undefined || english === undefined) continue;
    const subdivision = english === '' ? { english: null, names } : { english, names: [english, ...names] };
    appendTo(found, code.slice(0, 2), { code: code.slice(3), ...subdivision });
  }
  return found;
}

function readCodes(): Map<string, string> {
  return new Map(
    readColumns('subdivision-codes.tsv').flatMap(([code, name]) =>
      code === undefined || name === undefined ? [] : [[`${code.slice(0, 2)}\t${foldText(name)}`, code.slice(3)]],
    ),
  );
}

/** The lines of a table of the project, split at tabs. */
export function readColumns(file: string): string[][] {
  const lines = readFileSync(join(packageRoot(), 'data', file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}

/*
 * Names of admin units in the country's own language (data/unit-names.tsv), for units that a release has in English or
 * by a code alone. A released name is compared as a whole, so a name that the table lacks stays. The table is read once.
 */

/** Stands for any text, in a released name and in the name for it. */
const ANY = '*';
/** Marks a code of first-level units in the column of released names. */
const CODE_MARK = '=';

export class UnitNames {
  /** By column and released name. */
  private readonly names = new Map<string, string>();
  private readonly patterns: { column: number; start: string; end: string; name: string }[] = [];
  private readonly namesByCode = new Map<string, string>();

  /** `lines` are the columns of the country's lines in the table: level, released name, name. */
  constructor(lines: readonly (readonly string[])[]) {
    for (const [level, released, name] of lines as readonly (readonly [string, string, string])[]) {
      const column = Number(level) - 1;
      const [start, end] = released.split(ANY);
      if (end !== undefined) this.patterns.push({ column, start: start as string, end, name });
      else if (released.startsWith(CODE_MARK)) this.namesByCode.set(released.slice(CODE_MARK.length), name);
      else this.names.set(`${column}\t${released}`, name);
    }
  }

  /** The country's name of a unit; undefined if the table lacks the released name. `column` counts from 0. */
  nameOf(column: number, released: string): string | undefined {
    const name = this.names.get(`${column}\t${released}`);
    if (name !== undefined) return name;
    const pattern = this.patterns.find(
      ({ column: ofPattern, start, end }) =>
        ofPattern === column &&
        released.length > start.length + end.length &&
        released.startsWith(start) &&
        released.endsWith(end),
    );
    return pattern?.name.replace(ANY, () =>
      released.slice(pattern.start.length, released.length - pattern.end.length).trim(),
    );
  }

  /** The name of the first-level unit with a code, in a country whose release has no names of them. */
  nameOfCode(code: string): string | undefined {
    return this.namesByCode.get(code);
  }
}

let linesByCountry: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;

export function unitNamesOf(countryCode: string): UnitNames {
  linesByCountry ??= readUnitTable();
  return new UnitNames(linesByCountry.get(countryCode) ?? []);
}

function readUnitTable(): Map<string, string[][]> {
  const lines = new Map<string, string[][]>();
  for (const [code, ...columns] of readColumns('unit-names.tsv')) {
    if (code !== undefined && columns.length > 0) appendTo(lines, code, columns);
  }
  return lines;
}
