/**
 * Which countries write their postal codes in the form of a typed one, by `postalCodeFormat` of all countries, with data
 * and without. Separators count if any were typed: only Poland writes 00-001, but 00001 can be of 65 countries. A country
 * also writes its codes behind its sign, and one with full codes writes their first part alone. Some 5 µs for digits, 30
 * µs behind a letter.
 */

import { oncePer } from '../../base/once-per.js';
import { firstPartFormat, fitsForm } from '../snapshot/postcode-format.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import { type RenderedCountries, renderedPostalCodeFormat } from '../snapshot/rendered-countries.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { isNationalFullCode, SHORT_CODE_COUNTRIES, withoutNationalSign } from './national-postcodes.js';

type WithFormats = Pick<Snapshot, 'renderedCountries' | 'countries'>;

/** By length, the forms and the numbers of their countries. */
type FormsByLength = ReadonlyMap<number, readonly (readonly [form: string, country: number])[]>;

interface CodeForms {
  readonly written: FormsByLength;
  /** Without separators, with those of first parts. */
  readonly compact: FormsByLength;
  readonly firstParts: FormsByLength;
}

const formsOf = oncePer(
  ({ renderedCountries, countries }: WithFormats): CodeForms => {
    const [written, compact, firstParts] = [new Map(), new Map(), new Map()];
    for (const country of countries) {
      const { format, firstPart } = readFormats(renderedCountries, country);
      addForms(written, format, country.number);
      addForms(compact, `${compactPostcode(format)}|${firstPart}`, country.number);
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
  return isNationalFullCode(entry.code, compact) || numbersOf(formsOf(snapshot).compact, compact).includes(number);
}

/** The countries whose codes have the form of a typed code, whether their data have it or not. */
export function countriesOfForm(snapshot: WithFormats, typed: string): Country[] {
  const plain = plainPostcode(typed);
  const compact = compactPostcode(plain);
  const forms = formsOf(snapshot);
  const separated = [...numbersOf(forms.written, plain), ...numbersOf(forms.firstParts, compact)];
  const numbers = new Set(compact === plain ? numbersOf(forms.compact, compact) : separated);
  if (/^[A-Z]/.test(compact)) {
    for (const { number, entry } of snapshot.countries) {
      const isSigned = withoutNationalSign(entry.code, compact).some((rest) =>
        numbersOf(forms.compact, rest).includes(number),
      );
      if (isSigned) numbers.add(number);
    }
  }
  return snapshot.countries.filter(
    ({ number, entry }) => numbers.has(number) || isNationalFullCode(entry.code, compact),
  );
}

/** The only country whose codes have the form of a typed code: "00-001" is of Poland; undefined if not exactly one. */
export function countryOfForm(snapshot: WithFormats, typed: string): Country | undefined {
  const [country, ...others] = countriesOfForm(snapshot, typed);
  return others.length === 0 ? country : undefined;
}
