/**
 * The fields of an address by country: their order, which are required, what they are called, and the look of postal
 * codes. Every country of ISO 3166-1 and Kosovo has a format. address-formats.ts holds them as text, and a call decodes
 * the lines of one country: some microseconds.
 *
 * Words: a label is in the language of the form, not of the country. A country has its own word for postal codes where
 * people there hardly use another: ZIP, PIN, Eircode, CAP, CEP, PLZ, NPA. A language that is spoken there shows that
 * word alone ("PLZ"), another shows it behind its general word ("Postal code (PLZ)"). NL and countries whose post
 * office writes "postcode" in English have that. The word for a state is that of the country's law. The word for a city
 * is "suburb or town" in AU and "town or city" in GB, NO and SE, where the place of an address is often no city.
 */

import { LAYOUTS, POSTAL_CODES } from './address-formats.js';
import type { TermName } from './message-texts.js';

export type FieldName = 'street' | 'suburb' | 'city' | 'state' | 'postal-code';

export interface AddressFormat {
  /** The fields of an address of the country, in the order in which people of the country write them. */
  readonly fields: readonly FieldName[];
  readonly required: readonly FieldName[];
  /** The words for the fields, as keys of messages; a field that the country lacks has its general word. */
  readonly terms: Readonly<Record<FieldName, TermName>>;
  /**
   * Source of a regular expression that a whole code in capitals matches, without anchors and flags; undefined where
   * the country has no postal codes. Spaces, hyphens and the prefix of a country may be left out. It tells when a code
   * is complete and must not block: formats change, and the API knows codes that have none of the forms.
   */
  readonly postalCodePattern: string | undefined;
  /** A code of the country, '' for none. */
  readonly postalCodeExample: string;
  /** Whether codes consist of digits and separators alone, for the keyboard of a phone. */
  readonly hasNumericCodes: boolean;
  /** The type of place that the country's state is in the API; undefined where places have no such unit. */
  readonly stateType: 'region' | 'district' | undefined;
}

const FIELDS: Readonly<Record<string, FieldName>> = {
  A: 'street',
  C: 'city',
  D: 'suburb',
  S: 'state',
  Z: 'postal-code',
};
/** The pattern of each sign of a format. */
const SIGNS: Readonly<Record<string, string>> = { '#': '\\d', '@': '[A-Z]', '*': '[A-Z\\d]' };
/** The pattern between the parts of a code. */
const SEPARATOR = '[ \\-]?';

/** A sign that no line contains. */
const NO_COUNTRY = '--';

/** All countries, as codes of ISO 3166-1 alpha-2 in their order, and XK. */
export const addressCountries: readonly string[] = LAYOUTS.split('\n')
  .flatMap((line) => line.slice(line.indexOf(':') + 1).match(/../g) ?? [])
  .sort();

/** By code of ISO 3166-1 alpha-2 in capitals. An unknown country has street and city. */
export function addressFormatOf(country: string): AddressFormat {
  const code = /^[A-Z]{2}$/.test(country) ? country : NO_COUNTRY;
  const [, layout = 'AC'] = new RegExp(`^(.+):(?:..)*${code}`, 'm').exec(LAYOUTS) ?? [];
  const [, format, example = ''] = new RegExp(`^(.+):(?:.*,)?${code}(.*?)(?:,|$)`, 'm').exec(POSTAL_CODES) ?? [];
  const [letters = '', ...rest] = layout.split(' ');
  const own = Object.fromEntries(rest.map((item) => item.split('=')));
  const listFields = (from: string) => [...from].map((letter) => FIELDS[letter.toUpperCase()] as FieldName);
  return {
    fields: listFields(letters),
    required: listFields(letters.replace(/[a-z]/g, '')),
    terms: {
      street: 'street',
      city: own.C ?? 'city',
      suburb: own.D ?? 'suburb',
      state: own.S ?? 'province',
      'postal-code': own.Z ?? 'postalCode',
    },
    postalCodePattern: format && patternOf(format),
    postalCodeExample: example,
    hasNumericCodes: format !== undefined && /^[\d#| -]+$/.test(format),
    stateType: (own.L ?? 'region') || undefined,
  };
}

/** A prefix before digits alone, as in LV-####, may be left out. */
function patternOf(format: string): string {
  const forms = format.split('|').map((form) => form.replace(/^[A-Z]+[ -]?(?=[#\d -]+$)/, '(?:$&)?'));
  return forms.join('|').replace(/[#@* -]/g, (sign) => SIGNS[sign] ?? SEPARATOR);
}
