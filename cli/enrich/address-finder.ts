/**
 * Finds the place that an address in a cell leads to: by a postal code in its last line, or by its town
 * (town-in-line.ts). A table has no reader who picks from a list, so a code counts only if the rest of the line fits it or
 * says nothing else: a number may also be that of a house, and a code and a town that lie apart are a mistake.
 */
import { MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH } from '../../src/api/rules.js';
import { compactPostcode, normalizePostcode } from '../../src/format/postcode.js';
import { findQueryFaults } from '../../src/service/autocomplete.js';
import { structuresOf } from '../../src/service/find-country.js';
import { listFoundPostcodes } from '../../src/service/find-postcodes.js';
import { lookUpPostcode } from '../../src/service/postcode-candidates.js';
import { findAbsentCountry } from '../../src/service/suggest/absent-country.js';
import { type CodeText, parseAddressLine } from '../../src/service/suggest/address-line.js';
import { LineEvidence } from '../../src/service/suggest/line-evidence.js';
import { NameLookup } from '../../src/service/suggest/name-lookup.js';
import { findNamedCountry } from '../../src/service/suggest/named-country.js';
import { listSuggestedItems, type SuggestedItem } from '../../src/service/suggest/suggested-items.js';
import { readEntry } from '../../src/store/place-fields.js';
import type { Country, Snapshot } from '../../src/store/snapshot.js';
import { WorkBudget } from '../../src/store/work-budget.js';
import { createCountryOfCell } from './country-cells.js';
import type { FoundPlace } from './fields.js';
import { type Find, type Finding, type Match, NOTHING_FOUND } from './finders.js';
import { findTown, isHouseNumber } from './town-in-line.js';

/** A digit of any script. */
const HAS_DIGIT = /\p{N}/u;
/** A line that may be a country: a code of two letters is mostly that of a state. */
const COUNTRY_LINE = /^(?:uk|us|\D{3,})$/i;
/** Maximum number of lines above the last that are read: behind a town there are telephone numbers and the like. */
const MAX_LINES_ABOVE = 3;
/** Minimum length of a code that contradicts a town: shorter ones are mostly numbers of houses. */
const MIN_CODE_LENGTH = 4;
/** Countries that write the code last, in digits: at the start of a line there the number is that of a house. */
const CODE_LAST = new Set(['US', 'PR', 'AU', 'NZ', 'IN', 'ZA', 'PH']);

export function createTextFinder(snapshot: Snapshot): Find {
  const countryOfLine = createCountryOfCell(snapshot);
  return ([cell = ''], rowCountry) => {
    const lines = cell.split(/[\r\n]+/).flatMap((line) => line.trim() || []);
    const last = lines.at(-1) ?? '';
    const named = lines.length > 1 && COUNTRY_LINE.test(last) ? countryOfLine(last) : undefined;
    if (named !== undefined && rowCountry !== undefined && named !== rowCountry) return NOTHING_FOUND;
    if (named !== undefined) lines.pop();
    const country = named ?? rowCountry;
    if (country !== undefined && country.structures === undefined) return { match: 'none', absent: country };
    const [line = '', ...above] = lines.reverse();
    const found = new AddressLineFinder(snapshot, line, country).find(true);
    if (found.match !== 'none') return found;
    for (const other of above.slice(0, MAX_LINES_ABOVE)) {
      const better = new AddressLineFinder(snapshot, other, country).find(false);
      if (better.match !== 'none') return better;
    }
    return { match: 'none', absent: country === undefined ? findAbsentCountry(snapshot, line, true) : undefined };
  };
}

/** A place with a code that a line may mean. */
interface Candidate {
  readonly country: Country;
  readonly code: string;
  readonly found: FoundPlace;
}

class AddressLineFinder {
  readonly #names: NameLookup;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly line: string,
    private readonly country: Country | undefined,
  ) {
    this.#names = new NameLookup(snapshot, this.#scope(), new WorkBudget());
  }

  /** `isWhole`: the line may lead to a place by a code alone, or by a town alone. */
  find(isWhole: boolean): Finding {
    const { line } = this;
    if (line.length < MIN_SEARCH_LENGTH || line.length > MAX_SEARCH_LENGTH) return NOTHING_FOUND;
    if (findQueryFaults({ query: line }).length > 0) return NOTHING_FOUND;
    const codes = HAS_DIGIT.test(line) ? parseAddressLine(line).codes : [];
    const candidate = codes.length === 0 ? undefined : this.#firstCandidate();
    if (candidate !== undefined) {
      const text = codes.find(({ code }) => isSameCode(code, line, candidate));
      if (text !== undefined && this.#isMeant(text, candidate, isWhole)) {
        return { match: matchInLine(line, candidate.code), found: candidate.found };
      }
    }
    const town = isWhole ? findTown(this.snapshot, this.#names, line) : undefined;
    if (town === undefined || codes.some((text) => this.#contradicts(text, town.country))) return NOTHING_FOUND;
    return { match: 'partial', found: { structures: structuresOf(town.country), place: town.place } };
  }

  #scope() {
    const countries = this.country === undefined ? undefined : [this.country];
    return { countries, types: undefined, near: undefined, areRecipientsLast: true };
  }

  #firstCandidate(): Candidate | undefined {
    const [item] = listSuggestedItems(this.snapshot, {
      query: this.line,
      kinds: ['place', 'postcode'],
      scope: this.#scope(),
      limit: 1,
    });
    return item === undefined ? undefined : candidateOf(item);
  }

  /** Whether a text of the line is a code, of which the place is. */
  #isMeant(text: CodeText, { country, code, found }: Candidate, isWhole: boolean): boolean {
    if (this.#isHouseNumber(text)) return false;
    const { rest } = text;
    const evidence = new LineEvidence(this.#names, rest);
    const { missing, hasTown } = evidence.rate(country, found.structures, found.place);
    if (hasTown) return true;
    if (!isWhole) return false;
    const isCountryKnown =
      this.country !== undefined || findNamedCountry(this.snapshot, rest, true)?.country === country;
    if (missing > 0) return isCountryKnown && (missing < rest.length || this.#startsWithCode(text));
    // Without a town, and without a country, a code of several countries means none of them.
    return rest.length > 0 || isCountryKnown || listFoundPostcodes(this.snapshot, code).length === 1;
  }

  #startsWithCode({ code }: CodeText): boolean {
    const start = compactPostcode(normalizePostcode(this.line));
    return start.startsWith(compactPostcode(code)) && !CODE_LAST.has(this.country?.entry.code ?? '');
  }

  /**
   * Whether a text is a code of the country in which the town is, but not near it, since such a place had been found; or,
   * with letters, a code of other countries alone.
   */
  #contradicts(text: CodeText, country: Country): boolean {
    const compact = compactPostcode(text.code);
    if (compact.length < MIN_CODE_LENGTH || this.#isHouseNumber(text)) return false;
    const found = lookUpPostcode(this.snapshot, country, text.code);
    if (found !== undefined) return !found.isPartial;
    return !/^\d+$/.test(compact) && listFoundPostcodes(this.snapshot, text.code).length > 0;
  }

  #isHouseNumber({ code }: CodeText): boolean {
    return /^\d+$/.test(code) && isHouseNumber(this.line, code);
  }
}

function candidateOf(item: SuggestedItem): Candidate | undefined {
  const { country } = item;
  if (item.kind === 'country') return undefined;
  const structures = structuresOf(country);
  if (item.kind === 'postcode') {
    const { postcode, mainPlace, placeCount } = item;
    return { country, code: postcode, found: { structures, place: mainPlace, placeCount } };
  }
  const code = readEntry(structures, item.place).postalCode;
  return code === null ? undefined : { country, code, found: { structures, place: item.place } };
}

/** Whether a text of a line has the code of a candidate, in any spelling, or the line has all of its words: a CEDEX code. */
function isSameCode(text: string, line: string, { code }: { readonly code: string }): boolean {
  if (compactPostcode(normalizePostcode(text)).includes(compactPostcode(code))) return true;
  const words = normalizePostcode(line).split(/[ ,;]+/);
  return code.startsWith(`${text} `) && code.split(' ').every((word) => words.includes(word));
}

/** `exact` if the line has the code of the place, `normalised` if in another spelling, `partial` if not in one piece. */
function matchInLine(line: string, code: string): Match {
  if (line.includes(code)) return 'exact';
  return compactPostcode(normalizePostcode(line)).includes(compactPostcode(code)) ? 'normalised' : 'partial';
}
