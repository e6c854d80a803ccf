/**
 * What a postal code may mean that a country's data do not have as it was typed: people put the country before it, leave
 * out what the data put before it, type the whole code where the data have its first part, or half of it. The one place
 * where these rules stand, the strictest first. Codes are compared without spaces and hyphens (postcode-index.ts).
 *
 *   as it is         after plainPostcode; in a territory, where the country asked for has no such code  97400 in FR: RE
 *   first part       of a full code, where the data have that only                                   SW1A 1AA: SW1A
 *   ZIP+4            the five digits that the data have                                              02138-1234: 02138
 *   letters of AR    the four digits that the data have                                              B1650ABC: 1650
 *   CEDEX            the number of the office that the data have behind it, where there is just one  75380: 75380 CEDEX 08
 *   general code     of half a code, where the data have one for the whole town                      79300: 79300-000
 *   half of PT       the first of its codes, where all are of one place                              1000: 1000-001
 *   prefix           that the data have before each code                                             1010: LV-1010
 *   leading zeros    up to two that were lost, where all codes have so many digits                   1067: 01067
 *
 * Each is tried for what was typed, and then for what is left of it without the country (D-10115, FR 75001). A rule that
 * leads to codes of two places (by name and unit) finds none: which is meant can't be told.
 *
 * Sources: the postal services' own forms as the Universal Postal Union collects them (Postal addressing systems, country
 * sheets); the distinguishing signs of the Convention on Road Traffic, which stood before codes until the 1990s.
 */
import { compactPostcode } from '../format/postcode.js';
import { placeNameJson } from '../store/place-answers.js';
import { isPlace } from '../store/place-tree.js';
import { findPostcode, type PostcodeMatch } from '../store/postcode-index.js';
import type { Country, CountryStructures, Snapshot } from '../store/snapshot.js';
import { WORK, type WorkBudget } from '../store/work-budget.js';

/** A code of the data, and the structures of the country that has it. */
interface ReadPostcode {
  readonly match: PostcodeMatch;
  readonly structures: CountryStructures;
}

/** A code without spaces and hyphens, and as it was typed → the codes that it may be in a country's data. */
type Reading = (code: string, typed: string) => readonly string[];

/** What a rule is in the data of `owner`; undefined where there is nothing of the kind, as of most rules in most countries. */
type Rule = (owner: string) => Reading | undefined;

const BRITISH = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/;
/** Of a full code the first group is the part that the data have. */
const FULL_CODES: Readonly<Record<string, RegExp>> = {
  CA: /^([A-Z]\d[A-Z])\d[A-Z]\d$/,
  GB: BRITISH,
  GG: BRITISH,
  IE: /^([A-Z]\d[\dW])[A-Z\d]{4}$/,
  IM: BRITISH,
  JE: BRITISH,
  MT: /^([A-Z]{3})\d{4}$/,
  NL: /^(\d{4})[A-Z]{2}$/,
};
/** Whose data have the first part of each code alone. */
export const SHORT_CODE_COUNTRIES: ReadonlySet<string> = new Set(Object.keys(FULL_CODES));
const ZIP_PLUS_4 = /^(\d{5})\d{4}$/;
const ARGENTINE = /^[A-Z](\d{4})(?:[A-Z]{3})?$/;
/** What stands behind half a code in the code of the whole town. */
const GENERAL_CODES: Readonly<Record<string, readonly [RegExp, string]>> = {
  BR: [/^\d{5}$/, '000'],
  JP: [/^\d{3}$/, '0000'],
  PT: [/^\d{4}$/, '000'],
};
const HALF_OF_PT = /^\d{4}$/;
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
/** What the codes of each start with: no other country's data have these offices. */
const CEDEX_STARTS: Readonly<Record<string, RegExp>> = {
  FR: /^(?!9[78])\d{5}$/,
  GF: /^973\d\d$/,
  GP: /^971\d\d$/,
  MQ: /^972\d\d$/,
  RE: /^974\d\d$/,
  YT: /^976\d\d$/,
};
const CEDEX_OFFICES = [
  '',
  ...Array.from({ length: 99 }, (_, number) => [number + 1, `0${number + 1}`].slice(0, number < 9 ? 2 : 1)).flat(),
];
const DIGITS_ONLY = /^\d+$/;
const STARTS_WITH_DIGIT = /^\d/;
const NO_CODES: readonly string[] = [];
const MAX_LOST_ZEROS = 2;
const LEAST_DIGITS_LEFT = 3;
/** The number of digits that each code of a country has, and nothing else. */
const CODE_LENGTHS = readTable({
  3: 'FO IS',
  4: 'AL AR AT AU BD BE BG CC CH CX CY DK GL HM HU LI LU LV MD MK NF NL NO NU NZ PH SI SJ ZA',
  5: 'AS AX CR CZ DE DO DZ EE ES FI FM FR GF GP GT GU HN HR ID IT KE KR LK LT MA MC MH MP MQ MY NC PA PE PF PK PL PM PR PW RE RS SE SK SM TH TR UA US UY VA VI WF YT',
  6: 'BY CN CO EC HK MO MW RO RU SG',
});
/** The signs that stood before codes, besides the country's code. */
const SIGNS: Readonly<Record<string, string>> = {
  AT: 'A',
  BE: 'B',
  DE: 'D',
  EE: 'EST',
  ES: 'E',
  FI: 'FIN',
  FR: 'F',
  HU: 'H',
  IT: 'I',
  LI: 'FL',
  LU: 'L',
  NO: 'N',
  PT: 'P',
  RU: 'RUS',
  SE: 'S',
  SI: 'SLO',
  SM: 'RSM',
  VA: 'V',
};
/** The code of a country, and its sign where it has another. */
const signsOf = remember((owner) => [owner, ...(SIGNS[owner] === undefined ? [] : [SIGNS[owner]])]);
/** Whose codes people ask a country for, since its post serves them. */
const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
  CH: ['LI'],
  DK: ['FO', 'GL'],
  FI: ['AX'],
  FR: ['GF', 'GP', 'MC', 'MQ', 'NC', 'PF', 'PM', 'RE', 'WF', 'YT'],
  GB: ['GG', 'GI', 'IM', 'JE'],
  IT: ['SM', 'VA'],
  NO: ['SJ'],
  US: ['AS', 'GU', 'MP', 'PR', 'VI'],
};
const US_POST: ReadonlySet<string> = new Set(['US', ...(TERRITORIES.US as readonly string[])]);

/** What is sure enough to be looked for in every country at once. */
const STRICT_RULES: readonly Rule[] = [
  () => (_code, typed) => [typed],
  (owner) => firstGroup(FULL_CODES[owner]),
  (owner) => (US_POST.has(owner) ? firstGroup(ZIP_PLUS_4) : undefined),
  (owner) => (owner === 'AR' ? firstGroup(ARGENTINE) : undefined),
  (owner) => ofForm(CEDEX_STARTS[owner], (code) => CEDEX_OFFICES.map((office) => `${code}CEDEX${office}`)),
];
const ALL_RULES: readonly Rule[] = [
  ...STRICT_RULES,
  (owner) => {
    const [half, rest] = GENERAL_CODES[owner] ?? [];
    return ofForm(half, (code) => [code + rest]);
  },
  (owner) => ofForm(owner === 'PT' ? HALF_OF_PT : undefined, (code) => THREE_DIGITS.map((rest) => code + rest)),
  (owner) => ofForm(DIGITS_ONLY, (code) => signsOf(owner).map((sign) => sign + code)),
  (owner) => {
    const length = CODE_LENGTHS.get(owner);
    if (length === undefined) return undefined;
    return ofForm(DIGITS_ONLY, (code) => {
      const lost = length - code.length;
      const isShort = lost > 0 && lost <= MAX_LOST_ZEROS && code.length >= LEAST_DIGITS_LEFT;
      return isShort ? ['0'.repeat(lost) + code] : [];
    });
  },
];

/** What each rule is in each country that was asked for: tried in every country, a code meets next to no rule at all. */
const readingsOf = remember((owner) => ALL_RULES.map((rule) => rule(owner)));

/** The code that a plain one (plainPostcode) means in a country that has data, or in its territories. */
export function readPostcode(snapshot: Snapshot, country: Country, plain: string): ReadPostcode | undefined {
  const territories = (TERRITORIES[country.entry.code] ?? []).flatMap((code) => snapshot.countryByCode.get(code) ?? []);
  return readIn([country, ...territories], plain, ALL_RULES.length);
}

/**
 * Likewise in the country alone, as far as `work` suffices; where it is one of many by the stricter rules only, which cost
 * next to nothing.
 */
export function readPostcodeOf(
  country: Country,
  plain: string,
  isOneOfMany: boolean,
  work: WorkBudget,
): ReadPostcode | undefined {
  return readIn([country], plain, isOneOfMany ? STRICT_RULES.length : ALL_RULES.length, work);
}

/** By the first of the rules, so many of them. Without `work` all is looked up, at most some 1,200 codes. */
function readIn(
  owners: readonly Country[],
  plain: string,
  ruleCount: number,
  work?: WorkBudget,
): ReadPostcode | undefined {
  const readings = owners.map(({ entry }) => readingsOf(entry.code));
  const compact = compactPostcode(plain);
  for (const code of [plain, ...withoutCountry(owners[0] as Country, compact)]) {
    const compactCode = code === plain ? compact : compactPostcode(code);
    for (let rule = 0; rule < ruleCount; rule++) {
      for (let owner = 0; owner < owners.length; owner++) {
        const codes = readings[owner]?.[rule]?.(compactCode, code);
        if (codes === undefined || codes.length === 0) continue;
        if (work?.spend(codes.length * WORK.probe) === false) return undefined;
        const found = findOne(owners[owner] as Country, codes, code, compactCode);
        if (found !== undefined) return found;
      }
    }
  }
  return undefined;
}

/** The one code among `codes` that the country has; `compact` is what was `typed`, in compact form. */
function findOne(country: Country, codes: readonly string[], typed: string, compact: string): ReadPostcode | undefined {
  const { structures } = country;
  if (structures === undefined) return undefined;
  const matches: PostcodeMatch[] = [];
  for (const code of codes) {
    const match = findPostcode(structures.postcodes, code, code === typed ? compact : undefined);
    if (match !== undefined) matches.push(match);
  }
  const [first] = matches;
  if (first === undefined || (matches.length > 1 && !areOfOnePlace(structures, matches))) return undefined;
  return { match: first, structures };
}

function areOfOnePlace({ tree, answers }: CountryStructures, matches: readonly PostcodeMatch[]): boolean {
  const places = matches.flatMap((match) => [...match.places]).filter((place) => isPlace(tree, place));
  const [first = 0] = places;
  const name = placeNameJson(answers, first);
  return places.every((place) => tree.parents[place] === tree.parents[first] && placeNameJson(answers, place) === name);
}

/** What is left behind the country's code or sign, if a digit is in it. */
function withoutCountry({ entry }: Country, code: string): readonly string[] {
  if (STARTS_WITH_DIGIT.test(code)) return NO_CODES;
  return signsOf(entry.code)
    .filter((sign) => code.startsWith(sign))
    .map((sign) => code.slice(sign.length))
    .filter((rest) => /\d/.test(rest));
}

function firstGroup(form: RegExp | undefined): Reading | undefined {
  return ofForm(form, (code) => [form?.exec(code)?.[1] as string]);
}

/** The reading of codes of a form; undefined without one. */
function ofForm(form: RegExp | undefined, read: Reading): Reading | undefined {
  return form && ((code, typed) => (form.test(code) ? read(code, typed) : NO_CODES));
}

/** What is made for a key once. The keys are the codes of countries. */
function remember<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}

function readTable(countriesByLength: Readonly<Record<number, string>>): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(countriesByLength).flatMap(([length, countries]) =>
      countries.split(' ').map((country) => [country, Number(length)] as const),
    ),
  );
}
