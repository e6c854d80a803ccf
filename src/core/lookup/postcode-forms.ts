/**
 * Which countries write their postal codes in the form of a typed one, by `postalCodeFormat` of all countries, with data
 * and without. Separators count if any were typed: only Poland writes 00-001, but 00001 can be of 65 countries. A country
 * also writes its codes behind its sign, and one with full codes writes their first part alone. Some 5 µs for digits, 30
 * µs behind a letter.
 */

import { oncePer } from '../../base/once-per.js';
import { firstPartFormat, fitsForm } from '../snapshot/postcode-format.js';
import { findPostcode } from '../snapshot/postcode-index.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import { type RenderedCountries, renderedPostalCodeFormat } from '../snapshot/rendered-countries.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { findWorldPostcodeCountries } from '../snapshot/world-postcodes.js';
import {
  hasStrictNationalRule,
  isNationalFullCode,
  SHORT_CODE_COUNTRIES,
  withoutNationalSign,
} from './national-postcodes.js';

type WithFormats = Pick<Snapshot, 'renderedCountries' | 'countries'>;

/** By length, the forms and the numbers of their countries. */
type FormsByLength = ReadonlyMap<number, readonly (readonly [form: string, country: number])[]>;

interface CodeForms {
  readonly written: FormsByLength;
  /** Without separators. */
  readonly compact: FormsByLength;
  /** Of the first parts of full codes, without separators. */
  readonly firstParts: FormsByLength;
}

const formsOf = oncePer(
  ({ renderedCountries, countries }: WithFormats): CodeForms => {
    const [written, compact, firstParts] = [new Map(), new Map(), new Map()];
    for (const country of countries) {
      const { format, firstPart } = readFormats(renderedCountries, country);
      addForms(written, format, country.number);
      addForms(compact, compactPostcode(format), country.number);
      addForms(firstParts, firstPart, country.number);
    }
    return { written, compact, firstParts };
  },
  ({ renderedCountries }) => renderedCountries,
);

/** The format of a country's codes, and of their first parts without separators; empty where there are none. */
function readFormats(rendered: RenderedCountries, { number, entry }: Country): { format: string; firstPart: string } {
  const format = renderedPostalCodeFormat(rendered, number) ?? '';
  return { format, firstPart: SHORT_CODE_COUNTRIES.has(entry.code) ? compactPostcode(firstPartFormat(format)) : '' };
}

function addForms(forms: Map<number, [string, number][]>, format: string, country: number): void {
  for (const form of format.split('|')) {
    if (form === '') continue;
    const same = forms.get(form.length) ?? [];
    if (same.length === 0) forms.set(form.length, same);
    same.push([form, country]);
  }
}

function numbersOf(forms: FormsByLength, code: string): number[] {
  return (forms.get(code.length) ?? []).flatMap(([form, country]) => (fitsForm(form, code) ? country : []));
}

/** Whether a compact code has a form of the country's codes, without regard to their separators and signs. */
export function hasNationalForm(snapshot: WithFormats, { number, entry }: Country, compact: string): boolean {
  const { compact: whole, firstParts } = formsOf(snapshot);
  const has = (forms: FormsByLength): boolean => numbersOf(forms, compact).includes(number);
  return isNationalFullCode(entry.code, compact) || has(whole) || has(firstParts);
}

/** The countries whose codes have the form of a typed code, whether their data have it or not. */
export function countriesOfForm(snapshot: WithFormats, typed: string): Country[] {
  const numbers = new Set([...numbersOfForm(snapshot, typed), ...numbersOfFirstPart(snapshot, typed)]);
  return snapshot.countries.filter(({ number }) => numbers.has(number));
}

/**
 * The only country whose codes have the form of a typed code: "00-001" is of Poland; undefined if not exactly one. First
 * parts are written with any separators, so they make no form a country's own: "165 0" is none of the Netherlands. Nor is
 * a form one country's own for a code that another country's data have as typed: the codes of Ireland have no known form.
 */
export function countryOfForm(snapshot: Snapshot, typed: string): Country | undefined {
  const [number, ...others] = numbersOfForm(snapshot, typed);
  if (number === undefined || others.length > 0) return undefined;
  const isOfOther = [...numbersOfFirstPart(snapshot, typed), ...numbersHaving(snapshot, typed)].some(
    (other) => other !== number,
  );
  return isOfOther ? undefined : snapshot.countries[number];
}

/** The numbers of the countries that write whole codes so, each once. */
function numbersOfForm(snapshot: WithFormats, typed: string): number[] {
  const plain = plainPostcode(typed);
  const compact = compactPostcode(plain);
  const forms = formsOf(snapshot);
  const numbers = new Set(numbersOf(compact === plain ? forms.compact : forms.written, plain));
  if (!/[A-Z]/.test(compact)) return [...numbers];
  for (const { number, entry } of snapshot.countries) {
    const behindSign = withoutNationalSign(entry.code, compact);
    const isSigned = behindSign.some((rest) => numbersOf(forms.compact, rest).includes(number));
    if (isSigned || hasStrictNationalRule(entry.code, compact)) numbers.add(number);
  }
  return [...numbers];
}

function numbersOfFirstPart(snapshot: WithFormats, typed: string): number[] {
  return numbersOf(formsOf(snapshot).firstParts, compactPostcode(plainPostcode(typed)));
}

/** The numbers of the countries whose data have a code as typed. */
function numbersHaving({ worldPostcodes, countries }: Snapshot, typed: string): number[] {
  return [...findWorldPostcodeCountries(worldPostcodes, compactPostcode(typed))].filter((number) => {
    const { postcodes } = countries[number]?.structures ?? {};
    return postcodes !== undefined && findPostcode(postcodes, typed)?.postcode === typed;
  });
}
