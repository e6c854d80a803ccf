/**
 * The rules for a postal code that a country's data don't contain as typed. People put the country before the code,
 * leave out the data's prefix, type a full code although the data have only its first part, or type half of a code.
 * Each rule turns a typed code into candidates: the codes of the data that it may mean. The strictest rules come first.
 *
 *   as typed         after plainPostcode; then in the country's territories                    97400 in FR: RE
 *   first part       of a full code, if the data have only first parts                         SW1A 1AA: SW1A
 *   ZIP+4            its first five digits                                                     02138-1234: 02138
 *   letters of AR    the code without its letters                                              B1650ABC: 1650
 *   CEDEX            with CEDEX and an office's number, if the data have one such code         75380: 75380 CEDEX 08
 *   general code     half of a code, completed to the general code of the town                 79300: 79300-000
 *   half of PT       the first code with this half, if all belong to one place                 1000: 1000-001
 *   prefix           with the prefix of the data's codes                                       1010: LV-1010
 *   leading zeros    with up to two zeros, if all codes of the country have the same length    1067: 01067
 *
 * Sources: the postal services' code formats as collected by the Universal Postal Union (Postal addressing systems,
 * country sheets); the distinguishing signs of the Convention on Road Traffic, which people put before codes until the
 * 1990s.
 */
/** Returns the candidates for a code, given without spaces and hyphens and as typed. */
type FindCandidates = (code: string, typed: string) => readonly string[];

/** A rule as applied to a country. */
interface CountryRule {
  /** The compact codes that the rule is for. */
  readonly format: RegExp;
  readonly find: FindCandidates;
}

interface Rule {
  /** The rule for the country with the code `owner`; undefined if the country has no such codes, as most have not. */
  readonly of: (owner: string) => CountryRule | undefined;
  /** Whether a candidate is only a part of the typed code, or the typed code only a part of a candidate. */
  readonly isPartial: boolean;
}

const BRITISH = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]{2}$/;
/** Full codes by country. The first group is the part in the data. */
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
/** The countries whose data have only the first part of each code. */
export const SHORT_CODE_COUNTRIES: ReadonlySet<string> = new Set(Object.keys(FULL_CODES));
/** Whether a compact code is a full code, of which the country's data have only the first part. */
export function isNationalFullCode(owner: string, compact: string): boolean {
  return FULL_CODES[owner]?.test(compact) === true;
}

/** The start of a full code that has more than the part in the data, the first group, by country. */
const BRITISH_START = /^([A-Z]{1,2}\d[A-Z\d]?)\d[A-Z]?$/;
const FULL_CODE_STARTS: Readonly<Record<string, RegExp>> = {
  CA: /^([A-Z]\d[A-Z])\d[A-Z]?$/,
  GB: BRITISH_START,
  GG: BRITISH_START,
  IE: /^([A-Z]\d[\dW])[A-Z\d]{1,3}$/,
  IM: BRITISH_START,
  JE: BRITISH_START,
  MT: /^([A-Z]{3})\d{1,3}$/,
  NL: /^(\d{4})[A-Z]$/,
  US: /^(\d{5})\d{1,3}$/,
};

/** The code of the data for the start of a full code, compact and in upper case; undefined if it is no such start. */
export function nationalFullCodeStart(owner: string, compact: string): string | undefined {
  return FULL_CODE_STARTS[owner]?.exec(compact)?.[1];
}

const LOST_ZEROS = /^0+$/;

/** A first part, and a second part or its start. */
export const SPACED_CODE = /^(.+) ([^ ]+)$/;

/** The first part of a start of a full code, if a space is behind that part: "EH1 1" is in EH1, and "EH11" may not be. */
export function typedFirstPart(owner: string, code: string): string | undefined {
  const [, firstPart = '', rest = ''] = SPACED_CODE.exec(code) ?? [];
  const compact = firstPart.replaceAll(' ', '');
  return compact !== '' && nationalFullCodeStart(owner, compact + rest) === compact ? compact : undefined;
}

/** Whether a code of the data has zeros before the typed one. */
export function hasLostZeros(typed: string, postcode: string): boolean {
  return postcode.endsWith(typed) && LOST_ZEROS.test(postcode.slice(0, -typed.length));
}

/**
 * Whether a text that may be a code or the start of one means the code of the data that a lookup finds by it: "EH1 1" starts
 * codes in EH1, and is not EH11, and "9021" starts 90210 before it is 09021.
 */
export function isMeantByStart(owner: string, typed: string, postcode: string): boolean {
  const firstPart = typedFirstPart(owner, typed);
  return firstPart === undefined ? !hasLostZeros(typed, postcode) : firstPart === postcode;
}

/** The start of a code as the country's data have it: without the country's sign, and the letter of a province of AR. */
export function nationalCodeInData(owner: string, compact: string): string {
  const [, digits] = (owner === 'AR' ? /^[A-Z](\d+)[A-Z]{0,2}$/.exec(compact) : null) ?? [];
  if (digits !== undefined) return digits;
  const sign = signsOf(owner).find((one) => /^\d*$/.test(compact.replace(one, '')) && compact.startsWith(one));
  return sign === undefined ? compact : compact.slice(sign.length);
}

const ZIP_PLUS_4 = /^(\d{5})\d{4}$/;
const ZIP_PLUS_4_DIGITS = 9;
const ARGENTINE = /^[A-Z](\d{4})(?:[A-Z]{3})?$/;
/** Half of a code, and the digits that complete it to the general code of a town, by country. */
const GENERAL_CODES: Readonly<Record<string, readonly [RegExp, string]>> = {
  BR: [/^\d{5}$/, '000'],
  JP: [/^\d{3}$/, '0000'],
  PT: [/^\d{4}$/, '000'],
};
const HALF_OF_PT = /^\d{4}$/;
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
/** The codes with CEDEX offices, by country: no other country's data have such offices. */
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
const NO_CODES: readonly string[] = [];
/**
 * Maximum number of leading zeros to restore, which spreadsheets remove. More would turn any short number into a code.
 */
const MAX_LOST_ZEROS = 2;
/** Minimum number of digits of a code without its leading zeros; a shorter number is something else. */
const MIN_DIGITS_LEFT = 3;
/** The number of digits of every code of a country, for countries whose codes are digits only. */
const CODE_LENGTHS = readTable({
  3: 'FO IS',
  4: 'AL AR AT AU BD BE BG CC CH CX CY DK GL HM HU LI LU LV MD MK NF NL NO NU NZ PH SI SJ ZA',
  5: 'AS AX CR CZ DE DO DZ EE ES FI FM FR GF GP GT GU HN HR ID IT KE KR LK LT MA MC MH MP MQ MY NC PA PE PF PK PL PM PR PW RE RS SE SK SM TH TR UA US UY VA VI WF YT',
  6: 'BY CN CO EC HK MO MW RO RU SG',
});
/**
 * The number of digits of every code of a country whose codes are written with separators: a number without its zeros is
 * a code there only in a table.
 */
const SEPARATED_CODE_LENGTHS = readTable({ 5: 'LT PL', 7: 'JP', 8: 'BR' });

/** A compact code with the zeros before it that a column of numbers has lost; undefined if it can have lost none. */
export function withLostZeros(owner: string, compact: string): string | undefined {
  return padToLength(CODE_LENGTHS.get(owner) ?? SEPARATED_CODE_LENGTHS.get(owner), compact);
}

function padToLength(length: number | undefined, code: string): string | undefined {
  if (length === undefined || !DIGITS_ONLY.test(code)) return undefined;
  const lost = length - code.length;
  const isShort = lost > 0 && lost <= MAX_LOST_ZEROS && code.length >= MIN_DIGITS_LEFT;
  return isShort ? '0'.repeat(lost) + code : undefined;
}

/**
 * Whether a strict rule can find a code of the country for a number of so many digits; false spares a lookup in most
 * countries.
 */
export function mayHaveNationalDigits(owner: string, count: number): boolean {
  if (count < MIN_DIGITS_LEFT) return false;
  const length = CODE_LENGTHS.get(owner);
  return length === undefined || count === length || (count === ZIP_PLUS_4_DIGITS && US_POST.has(owner));
}

/** Maximum number of digits of a country's codes; infinite where codes have letters or several lengths. */
export function maxNationalDigits(owner: string): number {
  return US_POST.has(owner) ? ZIP_PLUS_4_DIGITS : (CODE_LENGTHS.get(owner) ?? Number.POSITIVE_INFINITY);
}

/** The distinguishing signs of countries whose sign differs from their code. */
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
  SG: 'S',
  SI: 'SLO',
  SM: 'RSM',
  VA: 'V',
};
/** The code of a country, and its sign if that differs. */
export const signsOf = memoize((owner) => [owner, ...(SIGNS[owner] === undefined ? [] : [SIGNS[owner]])]);
/** A compact code without its country's code or sign before it, if the rest has a digit: at most two readings. */
export function withoutNationalSign(owner: string, code: string): readonly string[] {
  if (/^\d/.test(code)) return NO_CODES;
  return signsOf(owner)
    .filter((sign) => code.startsWith(sign))
    .map((sign) => code.slice(sign.length))
    .filter((rest) => /\d/.test(rest));
}

/** The territories served by a country's post: people look their codes up in that country. */
export const TERRITORIES: Readonly<Record<string, readonly string[]>> = {
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

const AS_TYPED: CountryRule = { format: /^/, find: (_code, typed) => [typed] };

/** The rules that are strict enough for a search of every country at once. */
export const STRICT_RULES: readonly Rule[] = [
  { isPartial: false, of: () => AS_TYPED },
  { isPartial: true, of: (owner) => firstGroup(FULL_CODES[owner]) },
  { isPartial: true, of: (owner) => (US_POST.has(owner) ? firstGroup(ZIP_PLUS_4) : undefined) },
  { isPartial: true, of: (owner) => (owner === 'AR' ? firstGroup(ARGENTINE) : undefined) },
  {
    isPartial: false,
    of: (owner) => ofFormat(CEDEX_STARTS[owner], (code) => CEDEX_OFFICES.map((office) => `${code}CEDEX${office}`)),
  },
];
/** All rules, the strict rules first. */
export const ALL_RULES: readonly Rule[] = [
  ...STRICT_RULES,
  {
    isPartial: true,
    of: (owner) => {
      const [half, rest] = GENERAL_CODES[owner] ?? [];
      return ofFormat(half, (code) => [code + rest]);
    },
  },
  {
    isPartial: true,
    of: (owner) => ofFormat(owner === 'PT' ? HALF_OF_PT : undefined, (code) => THREE_DIGITS.map((rest) => code + rest)),
  },
  { isPartial: false, of: (owner) => ofFormat(DIGITS_ONLY, (code) => signsOf(owner).map((sign) => sign + code)) },
  {
    isPartial: false,
    of: (owner) => {
      const length = CODE_LENGTHS.get(owner);
      if (length === undefined) return undefined;
      return ofFormat(DIGITS_ONLY, (code) => [padToLength(length, code) ?? []].flat());
    },
  },
];

/**
 * The rules as applied to a country. Cached, so that trying a code in every country is cheap: few rules apply to each.
 */
export const rulesOf = memoize((owner) => ALL_RULES.map((rule) => rule.of(owner)));

const formatsOf = memoize((owner) =>
  rulesOf(owner)
    .slice(1, STRICT_RULES.length)
    .flatMap((rule) => rule?.format ?? []),
);

/** Whether a strict rule beside the first one, which is the code as typed, is for a compact code in a country. */
export function hasStrictNationalRule(owner: string, compact: string): boolean {
  return formatsOf(owner).some((format) => format.test(compact));
}

/** A candidate: the first group of `format`. */
function firstGroup(format: RegExp | undefined): CountryRule | undefined {
  return ofFormat(format, (code) => [format?.exec(code)?.[1] as string]);
}

/** The candidates for codes that match `format`; undefined without a format. */
function ofFormat(format: RegExp | undefined, find: FindCandidates): CountryRule | undefined {
  return format && { format, find };
}

/** Caches the values by key. The keys are the codes of countries, so the cache stays small. */
function memoize<Value>(make: (key: string) => Value): (key: string) => Value {
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
