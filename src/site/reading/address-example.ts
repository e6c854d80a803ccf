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
import { readNameField } from '../../core/snapshot/place-fields.js';
import { listAncestors } from '../../core/snapshot/place-tree.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { formatCounted } from '../html/formats.js';
import { codeOfRank, listRanksOfPage } from './code-summary.js';
import type { CoveredCountry } from './covered-country.js';
import { findCode } from './found-code.js';
import { largestCitiesOf } from './largest-cities.js';

/** Countries whose states are written as the code of ISO 3166-2 has them: NY. */
const SHORT_STATES: ReadonlySet<string> = new Set(['AU', 'BR', 'CA', 'US']);
/** Countries of the US Postal Service whose "state" is the country itself. */
const OWN_STATES: ReadonlySet<string> = new Set(['AS', 'FM', 'MH', 'MP', 'PW', 'VI']);
/** Countries whose addresses have no unit of the first level: Italy's have the province, French Polynesia's the island. */
const WITHOUT_STATE: ReadonlySet<string> = new Set(['ES', 'IE', 'IT', 'LT', 'PF', 'PH']);
/** Google's first example for NL, which no address has. */
const INVENTED_CODE = '1234 AB';
/** Maximum number of forms of a code that are told in words; of more, as in the United Kingdom, an example says more. */
const MAX_FORMS = 3;

/** "5 digits, or 5 digits, a hyphen and 4 digits". In Ireland letters may be digits. */
export function describeFormat(country: string, format: string): string {
  const forms = format.split('|');
  if (forms.length > MAX_FORMS || country === 'IE') return 'letters and digits';
  const words = forms.map((form) => (form.match(/#+|@+|[^#@ -]+|[ -]/g) ?? []).map(wordOf));
  return words.map((parts) => parts.join(', ').replace(/, ([^,]+)$/, ' and $1')).join(', or ');
}

function wordOf(part: string): string {
  const [sign] = part;
  if (sign === ' ' || sign === '-') return sign === ' ' ? 'a space' : 'a hyphen';
  if (sign !== '#' && sign !== '@') return `“${part}”`;
  const word = sign === '#' ? 'digit' : 'letter';
  return part.length === 1 ? `a ${word}` : formatCounted(part.length, word);
}

export interface AddressLine {
  readonly text: string;
  /** Whether the text stands for what a sender writes there. */
  readonly isBlank: boolean;
}

const BLANKS: Readonly<Record<string, string>> = { '%N': 'Name', '%A': 'Street and number' };

/** The lines of an envelope within the country; undefined where no example is a code of the country. */
export function exampleAddress(
  snapshot: Snapshot,
  country: CoveredCountry,
): { readonly postcode: string; readonly lines: readonly AddressLine[] } | undefined {
  const { entry, structures } = country;
  const { fmt = '', zipex = '' } = readLayouts().get(entry.code) ?? {};
  const found = findExampleCode(
    snapshot,
    country,
    zipex.split(',').filter((code) => code !== INVENTED_CODE),
  );
  if (found === undefined) return undefined;
  const { city, postcode } = found;
  const name = readCityName(structures, city);
  const state = stateOf(country, city);
  const fields = new Map([
    ['C', name],
    ['S', state === name ? '' : state],
    ['Z', postcode],
  ]);
  const layout = fmt.includes('%Z') ? fmt : `${fmt || '%N%n%A%n%C'}%n%Z`;
  const lines = layout.split('%n').map((line) => {
    const blank = BLANKS[line];
    if (blank !== undefined) return { text: blank, isBlank: true };
    const text = line
      // Letters before a code are those of letters from abroad: "CH-8001".
      .replace(/(?<![%A-Z])[A-Z]+[- ](?=%Z)/, '')
      .replace(/%(.)(?=%)/g, '%$1 ')
      .replace(/%(.)/g, (_, letter: string) => fields.get(letter) ?? '')
      // What stood around a field that the address lacks.
      .replace(/(?:, )+(?=, )/g, '')
      .replace(/ {2,}/g, ' ')
      .replace(/^[ ,-]+|[ ,-]+$/g, '');
    return { text, isBlank: false };
  });
  return { postcode, lines: lines.filter(({ text }) => text !== '') };
}

function stateOf({ entry, structures }: CoveredCountry, city: number): string {
  if (OWN_STATES.has(entry.code)) return entry.code;
  const [unit] = WITHOUT_STATE.has(entry.code) ? [] : listAncestors(structures.tree, city);
  const short = SHORT_STATES.has(entry.code) ? placeUnitCodesOf(structures, city).iso3166_2?.slice(3) : undefined;
  return short ?? (unit === undefined ? '' : readNameField(structures, unit));
}

/** The first of the given codes that the country has, else the first code of its largest city, with the code's city. */
function findExampleCode(
  snapshot: Snapshot,
  country: CoveredCountry,
  given: readonly string[],
): { readonly postcode: string; readonly city: number } | undefined {
  for (const text of given) {
    const found = findCode(snapshot, country, text);
    const city = found?.country === country ? cityOfPostcode(country.structures, found.match) : undefined;
    if (found === undefined || city === undefined) continue;
    return { postcode: found.fullCode?.postcode ?? found.missing ?? found.match.postcode, city };
  }
  const [largest] = largestCitiesOf(country);
  const [rank] = largest === undefined ? [] : listRanksOfPage(country, largest.place);
  if (largest === undefined || rank === undefined || SHORT_CODE_COUNTRIES.has(country.entry.code)) return undefined;
  return { postcode: codeOfRank(country, rank), city: largest.place };
}

let layouts: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;

/** By country. */
function readLayouts(): NonNullable<typeof layouts> {
  if (layouts !== undefined) return layouts;
  const text = readFileSync(join(packageRoot(), 'data', 'address-metadata.tsv'), 'utf8');
  const [head = [], ...rows] = text.split('\n').map((line) => line.split('\t'));
  layouts = new Map(
    rows.map((row) => [row[0] ?? '', Object.fromEntries(head.map((column, at) => [column, row[at] ?? '']))]),
  );
  return layouts;
}
