/**
 * Finds the place that an address of one or several lines leads to: by a postal code in its last line, or by its town
 * (address-town.ts). Nobody picks from a list here, so a code counts only if the rest of the line fits it or says nothing
 * else: a number may also be that of a house, and a code and a town that lie apart are a mistake (address-conflict.ts).
 */

import { findAbsentCountry } from '../lookup/absent-countries.js';
import { findCountryByText, findNamedCountry, structuresOf } from '../lookup/countries.js';
import type { FoundPlace } from '../lookup/found-place.js';
import { countryOfForm } from '../lookup/postcode-forms.js';
import { inferMissing, listFoundPostcodes, lookUpPostcode, type PostcodeMatchKind } from '../lookup/postcode-lookup.js';
import { compactPostcode, normalizePostcode } from '../snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { MAX_WORK, WorkBudget } from '../snapshot/work-budget.js';
import { type Candidate, findCode } from './address-code.js';
import { type AddressConflict, checkTown } from './address-conflict.js';
import { type CodeText, hasCode, type LineWithCode, parseAddressLine } from './address-line.js';
import { findAbsentTown, findTown } from './address-town.js';
import { isHouseNumber } from './house-number.js';
import { NameQuery } from './name-query.js';
import { LineEvidence } from './place-evidence.js';
import { isSearchable, MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH } from './search-text.js';

/** A line that may be a country: a code of two letters is mostly that of a state. */
const COUNTRY_LINE = /^(?:uk|us|\D{3,})$/i;
/** Maximum number of lines above the last that are read: behind a town there are telephone numbers and the like. */
export const MAX_LINES_ABOVE = 3;
/** Countries that write the code last, in digits: at the start of a line there the number is that of a house. */
const CODE_LAST = new Set(['US', 'PR', 'AU', 'NZ', 'IN', 'ZA', 'PH']);

/**
 * The budget of an address in units, for all its lines and searches, each of which takes no more than a query: some is left
 * for the town of a line with many numbers.
 */
const ADDRESS_WORK = 1.75 * MAX_WORK;

/** Of any script. */
const DIGIT = /\p{N}/u;

/** How an address was found: as a code is (POSTCODE_MATCHES); `partial` also for a town without a code. */
export const ADDRESS_MATCHES = [
  'exact',
  'normalised',
  'partial',
  'inferred',
  'none',
] as const satisfies readonly PostcodeMatchKind[];

type AddressMatchKind = (typeof ADDRESS_MATCHES)[number];

export interface AddressMatch {
  readonly match: AddressMatchKind;
  /** Undefined where `match` is `none`. */
  readonly found?: FoundPlace | undefined;
  /** Why nothing is found, if the address names a town or a country. */
  readonly conflict?: AddressConflict | undefined;
}

const NO_MATCH: AddressMatch = { match: 'none' };

/** `known` is the country of the address, if that is known from elsewhere. */
export function matchAddress(snapshot: Snapshot, address: string, known: Country | undefined): AddressMatch {
  const lines = address.split(/[\r\n]+/).flatMap((line) => line.trim() || []);
  const last = lines.at(-1) ?? '';
  const named = lines.length > 1 && COUNTRY_LINE.test(last) ? findCountryByText(snapshot, last) : undefined;
  if (named !== undefined && known !== undefined && named !== known) return NO_MATCH;
  if (named !== undefined) lines.pop();
  const country = named ?? known;
  if (country !== undefined && country.structures === undefined) return withoutData(country);
  const [line = '', ...above] = lines.reverse();
  const work = new WorkBudget(MAX_WORK, new WorkBudget(ADDRESS_WORK));
  const found = new LineMatcher(snapshot, line, country, work).find(true);
  if (found.match !== 'none') return found;
  for (const other of above.slice(0, MAX_LINES_ABOVE)) {
    const better = new LineMatcher(snapshot, other, country, work).find(false);
    if (better.match !== 'none') return better;
  }
  if (found.conflict !== undefined || country !== undefined) return found;
  const absent = findAbsentCountry(snapshot, line, true)?.country ?? findAbsentTown(snapshot, line);
  return absent === undefined ? NO_MATCH : withoutData(absent);
}

function withoutData(country: Country): AddressMatch {
  return { match: 'none', conflict: { reason: 'country_without_data', country } };
}

/** Matches one line of an address. */
class LineMatcher {
  readonly #names: NameQuery;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly line: string,
    private readonly country: Country | undefined,
    private readonly work: WorkBudget,
  ) {
    this.#names = new NameQuery(snapshot, this.#scope(), work.another());
  }

  /** `isWhole`: the line may lead to a place by a code alone, or by a town alone. */
  find(isWhole: boolean): AddressMatch {
    const { line } = this;
    if (line.length < MIN_SEARCH_LENGTH || line.length > MAX_SEARCH_LENGTH) return NO_MATCH;
    if (!isSearchable(line)) return NO_MATCH;
    const parsed = DIGIT.test(line) ? parseAddressLine(line) : undefined;
    const codes = parsed?.codes ?? [];
    const candidate = parsed !== undefined && hasCode(parsed) ? this.#findCode(parsed, isWhole) : undefined;
    const isSure = candidate !== undefined && candidate.isByCountry !== true;
    const town = isWhole && !isSure ? findTown(this.snapshot, this.#names, line) : undefined;
    if (candidate !== undefined && (isSure || town === undefined)) {
      const isPartial = codes.some(({ code }) => this.#hasPartOnly(code, candidate));
      return { match: isPartial ? 'partial' : matchInLine(line, candidate.code), found: candidate.found };
    }
    if (!isWhole) return NO_MATCH;
    if (town === undefined) return this.#inferAlone(codes);
    const checked = checkTown(this.snapshot, this.#names, line, town, codes);
    if (checked.match === 'none') return checked;
    return { ...checked, found: { structures: structuresOf(town.country), place: town.place, isTown: true } };
  }

  /** The town in whose block a code is that is the whole line, and that the data lack. */
  #inferAlone(codes: readonly CodeText[]): AddressMatch {
    const typed = codes.find(({ rest }) => rest.length === 0)?.typed;
    const country = this.country ?? (typed === undefined ? undefined : countryOfForm(this.snapshot, typed));
    if (typed === undefined || country === undefined) return NO_MATCH;
    if (country.structures === undefined) return withoutData(country);
    if (lookUpPostcode(this.snapshot, country, typed) !== undefined) return NO_MATCH;
    const inferred = inferMissing(this.snapshot, country, typed);
    if (inferred === undefined) return NO_MATCH;
    return { match: 'inferred', found: { structures: structuresOf(country), place: inferred.place, isTown: true } };
  }

  #scope() {
    const countries = this.country === undefined ? undefined : [this.country];
    return { countries, types: undefined, near: undefined, areRecipientsLast: true };
  }

  /** A place with a code of the line. Its search has a budget of its own, so that the whole of one is left for a town. */
  #findCode(parsed: LineWithCode, isWhole: boolean): Candidate | undefined {
    const { snapshot, line } = this;
    if (parsed.codes.every((text) => this.#isHouseNumber(text))) return undefined;
    return findCode(
      snapshot,
      new NameQuery(snapshot, this.#scope(), this.work.another()),
      line,
      parsed,
      (candidate) => {
        const text = parsed.codes.find(({ code }) => isSameCode(code, line, candidate));
        return text !== undefined && this.#isMeant(text, candidate, isWhole);
      },
    );
  }

  /** Whether the data have of a text only a part, the code of the candidate: 1012 of "1012 JS". */
  #hasPartOnly(text: string, { country, code }: Candidate): boolean {
    const found = lookUpPostcode(this.snapshot, country, text);
    return found?.isPartial === true && found.match.postcode === code;
  }

  /** Whether a text of the line is a code, of which the place is. */
  #isMeant(text: CodeText, { country, found }: Candidate, isWhole: boolean): boolean {
    if (this.#isHouseNumber(text)) return false;
    const { rest } = text;
    const evidence = new LineEvidence(this.#names, rest);
    const { missing, hasTown } = evidence.rate(country, found.structures, found.place);
    const named = findNamedCountry(this.snapshot, rest, true);
    if (missing > 0 && named !== undefined && named.country !== country) {
      // "Atlanta, Georgia" is in the state of this name, "Paris, Germany" nowhere.
      const ofPlace = new LineEvidence(this.#names, named.words).rate(country, found.structures, found.place);
      if (ofPlace.missing > 0) return false;
    }
    if (hasTown) return true;
    if (!isWhole) return false;
    const isCountryKnown = this.country !== undefined || named?.country === country;
    if (missing > 0) return isCountryKnown && (missing < rest.length || this.#startsWithCode(text));
    // Without a town, and without a country, a code of several countries means none of them.
    return rest.length > 0 || isCountryKnown || listFoundPostcodes(this.snapshot, text.typed).length === 1;
  }

  #startsWithCode({ code }: CodeText): boolean {
    const start = compactPostcode(normalizePostcode(this.line));
    return start.startsWith(compactPostcode(code)) && !CODE_LAST.has(this.country?.entry.code ?? '');
  }

  #isHouseNumber({ code }: CodeText): boolean {
    return /^\d+$/.test(code) && isHouseNumber(this.line, code);
  }
}

/** Whether a text of a line has the code of a candidate, in any spelling, or the line has all of its words: a CEDEX code. */
function isSameCode(text: string, line: string, { code }: { readonly code: string }): boolean {
  if (compactPostcode(normalizePostcode(text)).includes(compactPostcode(code))) return true;
  const words = normalizePostcode(line).split(/[ ,;]+/);
  return code.startsWith(`${text} `) && code.split(' ').every((word) => words.includes(word));
}

/** `exact` if the line has the code of the place, `normalised` if in another spelling, `partial` if not in one piece. */
function matchInLine(line: string, code: string): AddressMatchKind {
  if (line.includes(code)) return 'exact';
  return compactPostcode(normalizePostcode(line)).includes(compactPostcode(code)) ? 'normalised' : 'partial';
}
