/**
 * How an address of a country is written: its postal code in words, and the lines of an envelope with a code and a city of
 * the served data. The order of lines is Google's (data/address-metadata.tsv), and so are the codes to try.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../base/package-root.js';
import { cityOfPostcode } from '../../core/lookup/main-place.js';
import { SHORT_CODE_COUNTRIES } from '../../core/lookup/national-postcodes.js';
import { readCityName } from '../../core/snapshot/city-name.js';
import { placeUnitCodesOf } from '../../core/snapshot/place-facts.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { formatCounted } from '../html/formats.js';
import { codeOfRank, listRanksOfPage } from './code-summary.js';
import type { CoveredCountry } from './covered-country.js';
import { findCode } from './found-code.js';
import { largestCitiesOf } from './largest-cities.js';

/** Countries whose states are written as the code of ISO 3166-2 has them; elsewhere a state may be left out. */
const SHORT_STATES: ReadonlySet<string> = new Set(['AU', 'BR', 'CA', 'US']);
/** Google's first example for NL, which no address has. */
const INVENTED_CODE = '1234 AB';
/** Maximum number of forms of a code that are told in words; of more, as in the United Kingdom, an example says more. */
const MAX_FORMS = 3;

/** "5 digits, or 5 digits, a hyphen and 4 digits". In Ireland letters may be digits. */
export function describeFormat(country: string, format: string): string {
  const forms = format.split('|');
  if (forms.length > MAX_FORMS || country === 'IE') return 'letters and digits';
  const words = forms.map((form) => (form.match(/#+|@+|[^#@ -]+|[ -]/g) ?? []).map(wordOf).join(', '));
  return words.map((parts) => parts.replace(/, ([^,]+)$/, ' and $1')).join(', or ');
}

function wordOf(part: string): string {
  if (part === ' ' || part === '-') return part === ' ' ? 'a space' : 'a hyphen';
  const word = part.startsWith('#') ? 'digit' : 'letter';
  if (!/[#@]/.test(part)) return `“${part}”`;
  return part.length === 1 ? `a ${word}` : formatCounted(part.length, word);
}

/** A code with the lines around it, in which `name` and `street` stand for themselves; undefined where no code is known. */
export function exampleAddress(
  snapshot: Snapshot,
  country: CoveredCountry,
  blanks: { readonly name: string; readonly street: string },
): { readonly postcode: string; readonly lines: readonly string[] } | undefined {
  const { entry, structures } = country;
  const { fmt = '%N%n%A%n%C', zipex = '' } = readLayouts().get(entry.code) ?? {};
  const [largest] = largestCitiesOf(country);
  const ranks = largest === undefined ? [] : listRanksOfPage(country, largest.place).slice(0, 1);
  const found = [...zipex.split(','), ...ranks.map((rank) => codeOfRank(country, rank))]
    .map((text) => (text === INVENTED_CODE ? undefined : findCode(snapshot, country, text)))
    .find((one) => one?.country === country && (one.fullCode ?? one.missing ?? !SHORT_CODE_COUNTRIES.has(entry.code)));
  const city = found && cityOfPostcode(structures, found.match);
  if (found === undefined || city === undefined) return undefined;
  const postcode = found.fullCode?.postcode ?? found.missing ?? found.match.postcode;
  const state = SHORT_STATES.has(entry.code) && placeUnitCodesOf(structures, city).iso3166_2?.slice(3);
  const fields = new Map([
    ['N', blanks.name],
    ['A', blanks.street],
    ['C', readCityName(structures, city)],
    ['S', state || ''],
    ['Z', postcode],
  ]);
  const lines = (fmt.includes('%Z') ? fmt : `${fmt}%n%Z`).split('%n').map((line) =>
    line
      // Letters before a code are those of mail from abroad: "CH-8001".
      .replace(/(?<![%A-Z])[A-Z]+[- ](?=%Z)/, '')
      .replace(/%(.)/g, (_, letter: string) => fields.get(letter) ?? '')
      // What stood around a field that the address lacks.
      .replace(/(?:, )+(?=, )|^[ ,/-]+|[ ,/-]+$| (?= )/g, ''),
  );
  return { postcode, lines: lines.filter((line) => line !== '') };
}

let layouts: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;

/** By country; empty fields are left out. */
function readLayouts(): NonNullable<typeof layouts> {
  if (layouts !== undefined) return layouts;
  const text = readFileSync(join(packageRoot(), 'data', 'address-metadata.tsv'), 'utf8');
  const [head = [], ...rows] = text.split('\n').map((line) => line.split('\t'));
  const fieldsOf = (row: readonly string[]): string[][] => head.map((column, at) => [column, row[at] ?? '']);
  layouts = new Map(rows.map((row) => [row[0] ?? '', Object.fromEntries(fieldsOf(row).filter(([, value]) => value))]));
  return layouts;
}
