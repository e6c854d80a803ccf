/**
 * Writes clients/web/src/address-formats.ts: which fields an address of each country has, in which order, which of them
 * are required, and what they are called. Orders, required fields, words and examples come from Google's address
 * metadata (data/address-metadata.tsv), formats of postal codes from data/countries.tsv, which is newer and what the
 * API serves. The tables below are what differs from Google's metadata, each with its reason.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../src/base/package-root.js';

/** Google's letters: street, city, dependent locality (suburb), state, and Z for the postal code. */
const LETTERS = 'ACDSZ';
/** Of countries for which Google has no order or no required fields: street and city. */
const DEFAULT_FORMAT = '%A%C';
const DEFAULT_REQUIRED = 'AC';

/** Orders that differ from Google's. JP: Google joins city and street; Japan Post and forms of the country don't. */
const ORDERS: Readonly<Record<string, string>> = { JP: '%Z%S%C%A' };
const REQUIRED: Readonly<Record<string, string>> = { JP: 'ACSZ' };
/** Countries of the US Postal Service, whose "state" is the country itself: who chose the country has said it. */
const OWN_STATES: ReadonlySet<string> = new Set(['AS', 'FM', 'MH', 'MP', 'PW', 'UM', 'VI']);
/** In the British form. The shared format also has the codes of a whole country (`FIQQ 1ZZ`). */
const BRITISH_CODES = '@# #@@|@## #@@|@@# #@@|@@## #@@|@#@ #@@|@@#@ #@@|@@@@ #@@';
/** Countries of which data/countries.tsv has the letters of each code. Whether a code is complete doesn't need them. */
const BRITISH = 'FK GB GG GI GS IM IO JE PN SH TC'.split(' ').map((code) => [code, BRITISH_CODES] as const);
/** IE: a letter but the first may be a digit too, which `*` stands for. */
const POSTAL_CODES: Readonly<Record<string, string>> = { ...Object.fromEntries(BRITISH), IE: '@** ****' };
/** Examples where Google has none (LC, MS), has an earlier format (CR), or writes the code in another way. */
const EXAMPLES: Readonly<Record<string, string>> = {
  CR: '10101',
  IR: '1193612345',
  LC: 'LC04 101',
  MS: 'MSR 1110',
  SE: '114 55',
  SV: '1101',
};

/**
 * Admin levels that carry the state, where it is not the first level. Each was looked up in the releases of 2024-04 and
 * 2026-03. ES, IT: provinces are the second level, below autonomous communities and regions. PH: provinces are the
 * second level, below regions such as Calabarzon, which no address has. LT: municipalities are the second level, below
 * counties, which lost their administrations in 2010. IE: releases have the four provinces, and no address has them.
 * PF: releases have groups of islands and communes, no islands. An empty level is none.
 * Neither release has places of AE, IN, JP, MX, TW and some smaller countries with a state: they have the first level.
 */
const LEVELS: Readonly<Record<string, 'district' | ''>> = {
  ES: 'district',
  IE: '',
  IT: 'district',
  LT: 'district',
  PF: '',
  PH: 'district',
};

/**
 * Names of terms (clients/web/src/message-texts.ts) for Google's types, where they are not the same word. In the towns of IE
 * an area is no townland.
 */
const TERM_NAMES: Readonly<Record<string, string>> = {
  do_si: 'doSi',
  post_town: 'postTown',
  townland: 'area',
  village_township: 'suburb',
};
/** Google's type "suburb" for the city itself, of AU alone, is a term of its own. */
const CITY_TERM_NAMES: Readonly<Record<string, string>> = { ...TERM_NAMES, suburb: 'suburbOrTown' };

/**
 * Terms that differ from Google's: where Google has its default, which is "postal code" and "province", and the country
 * says another word. clients/web/src/address-format.ts has the rule.
 */
const TERMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Z: {
    cap: 'IT SM VA',
    cep: 'BR',
    npa: 'CH',
    plz: 'AT DE LI',
    postcode: 'AI AU CC CX FK GB GG GI GS HM IM IO JE MY NF NL NZ PN SH TC VG',
    zip: 'PH',
  },
  S: {
    county: 'EE RO',
    department: 'PE SV UY',
    district: 'SR',
    governorate: 'EG IQ',
    municipality: 'LT LV',
    region: 'BY CL KZ SO UZ',
    state: 'CC CX HM NF',
  },
};

interface Country {
  readonly code: string;
  /** Letters of the fields in their order, then the country's terms and the level of its state, as the file has them. */
  readonly layout: string;
  readonly postalCodeFormat: string;
  readonly postalCodeExample: string;
}

export function writeAddressFormats(): string {
  const metadata = new Map(readTable('data/address-metadata.tsv').map((row) => [row.code, row]));
  const countries = readTable('data/countries.tsv').map(({ code = '', postalCodeFormat = '' }) =>
    describeCountry(code, postalCodeFormat, metadata.get(code) ?? {}),
  );
  const layouts = groupBy(countries, ({ layout }) => layout).map(
    ([layout, group]) => `${layout}:${group.map(({ code }) => code).join('')}`,
  );
  const withCodes = countries.filter(({ postalCodeFormat }) => postalCodeFormat !== '');
  const postalCodes = groupBy(withCodes, ({ postalCodeFormat }) => postalCodeFormat).map(
    ([format, group]) =>
      `${format}:${group.map(({ code, postalCodeExample }) => `${code}${postalCodeExample}`).join()}`,
  );
  return `${HEAD}
/**
 * The letters of a layout (A street, C city, D suburb, S state, Z postal code; small ones are optional), its terms, and as
 * L the type of place of its state unless that is the region (empty for none); then its countries.
 */
export const LAYOUTS = \`${layouts.join('\n')}\`;

/** A format (# digit, @ letter, * either), then the countries whose postal codes have it, each with an example. */
export const POSTAL_CODES = \`${postalCodes.join('\n')}\`;
`;
}

const HEAD = `/**
 * Address formats of all countries, which address-format.ts decodes. Generated by \`npm run generate:openapi\`: do not edit.
 * Derived from Google's address metadata (CC BY 4.0); generate/address-formats.ts says what was changed.
 */`;

function describeCountry(code: string, format: string, metadata: Readonly<Record<string, string>>): Country {
  const letters = listFields(code, format !== '', metadata.fmt);
  const required = REQUIRED[code] ?? (metadata.require || DEFAULT_REQUIRED);
  const cased = letters.map((letter) => (required.includes(letter) ? letter : letter.toLowerCase())).join('');
  const terms = letters.flatMap((letter) => {
    const term = findTerm(code, letter, metadata);
    return term === undefined ? [] : [`${letter}=${term}`];
  });
  const level = LEVELS[code] === undefined ? [] : [`L=${LEVELS[code]}`];
  return {
    code,
    layout: [cased, ...terms, ...level].join(' '),
    postalCodeFormat: generalise(code, format),
    postalCodeExample:
      format === ''
        ? ''
        : chooseExample(code, POSTAL_CODES[code] ?? format, [format, ...(metadata.zipex ?? '').split(',')]),
  };
}

/** A postal code that Google's order lacks comes last. */
function listFields(code: string, hasPostalCodes: boolean, googles: string | undefined): string[] {
  const format = ORDERS[code] ?? (googles || DEFAULT_FORMAT);
  const letters = new Set([...format.matchAll(/%([A-Z])/g)].map(([, letter]) => letter as string));
  if (hasPostalCodes) letters.add('Z');
  else letters.delete('Z');
  if (OWN_STATES.has(code)) letters.delete('S');
  return [...letters].filter((letter) => LETTERS.includes(letter));
}

/** Undefined for the default. */
function findTerm(code: string, letter: string, metadata: Readonly<Record<string, string>>): string | undefined {
  const own = Object.entries(TERMS[letter] ?? {}).find(([, countries]) => countries.split(' ').includes(code));
  if (own !== undefined) return own[0];
  const columns: Readonly<Record<string, string>> = {
    C: 'locality_name_type',
    D: 'sublocality_name_type',
    S: 'state_name_type',
    Z: 'zip_name_type',
  };
  const type = metadata[columns[letter] ?? ''] || undefined;
  return type && ((letter === 'C' ? CITY_TERM_NAMES : TERM_NAMES)[type] ?? type);
}

/** A digit that all codes of a country have (`971##`) is not needed to tell whether a code of digits is complete. */
function generalise(code: string, format: string): string {
  return POSTAL_CODES[code] ?? (/[A-Z@]/.test(format) ? format : format.replace(/\d/g, '#'));
}

/**
 * Of the given examples that have the format, maybe behind the country's prefix, one with the fewest different
 * characters, which is the easiest to read; empty for none. A format without a sign is a code.
 */
function chooseExample(code: string, format: string, given: readonly string[]): string {
  const forms = format.split('|').map((form) => new RegExp(`^${form.replace(/[#@*]/g, (sign) => SIGNS[sign] ?? '')}$`));
  const prefix = /^[A-Z]+[ -]?(?=#)/.exec(format)?.[0] ?? '';
  const candidates = given.flatMap((one) => [one, prefix + one]);
  const right = candidates.filter((example) => forms.some((form) => form.test(example)));
  const sizeOf = (example: string) => new Set(example).size;
  return EXAMPLES[code] ?? right.reduce((best, one) => (best === '' || sizeOf(one) < sizeOf(best) ? one : best), '');
}

const SIGNS: Readonly<Record<string, string>> = { '#': '\\d', '@': '[A-Z]', '*': '[A-Z\\d]' };

/** Groups in order of their keys. */
function groupBy(countries: readonly Country[], keyOf: (country: Country) => string): [string, readonly Country[]][] {
  const groups = new Map<string, Country[]>();
  for (const country of countries) groups.set(keyOf(country), [...(groups.get(keyOf(country)) ?? []), country]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function readTable(file: string): Readonly<Record<string, string>>[] {
  const [head = '', ...lines] = readFileSync(join(packageRoot(), file), 'utf8').trimEnd().split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const values = line.split('\t');
    return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? '']));
  });
}
