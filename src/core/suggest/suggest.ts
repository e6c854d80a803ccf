/**
 * Suggests places for an address line, whole or as it is typed: a name, a postal code or its start, or both with units
 * and the country, in any order. What fits is used, the rest is dropped. The reasons, in the order of the list:
 *
 *   exact       the whole line is a name (name-search.ts)                            "paris 08", "50 mile house"
 *   whole       places of the code; everything else means the place                  "10115 berlin", "cupertino ca 95014"
 *   oddForm     the same, with separators that the country's codes don't have        "100-0001" for 1000001
 *   withDigits  a district or a post office by its number                            "wien 3", "praha 1"
 *   town        places of the code; some of the rest means the place                 "10115 berlin blah"
 *   block       the town of the known codes around the code                          "01310-100", "sp 01310-100"
 *   entire      places of codes that start so, if the line is the start of a code    "902", "az 10", "sw1a 1a"
 *   withZeros   places of the code with the leading zeros that a table lost          "1067" in DE
 *   lookAlikes  as whole, with digits for letters or the reverse                     "9021o", "k1a ob1"
 *   mistyped    places of the code; the rest is their name but for one mistake       "10115 berlinn"
 *   prefix      places of codes that start so in the town that the rest means        "berlin 124"
 *   named       the rest alone: the code is unknown, belongs
 *               elsewhere or is still typed                                          "10151 berlin", "berlin 1"
 *   code        places of the code; the rest means nothing                           "10115 qqqq"
 *   starts      the whole line as part of a name                                     "paris 0"
 *
 * If the line is the start of full codes, with the space behind their first part ("sw1a 1a"), their places replace all
 * but `exact`. Each reason from block to mistyped applies only if no place of the code means the rest. The first of
 * `named` is among the first MAX_BEFORE_TOWN + 1, so that a town stays while its code is typed. A line without a digit has
 * no code: only its town is searched (town-search.ts).
 *
 * A query ends when its work budget (work-budget.ts) is spent, over all reasons together; codes spend at most half. Its
 * result is then what it has found so far.
 */

import { structuresOf } from '../lookup/countries.js';
import { nationalCodeInData } from '../lookup/national-postcodes.js';
import { foldText } from '../snapshot/fold-text.js';
import { TOP_COUNT } from '../snapshot/name-index.js';
import { readListFields } from '../snapshot/place-fields.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { WorkBudget } from '../snapshot/work-budget.js';
import { type CodeText, hasCode, type LineWithCode, listUnitLines, parseAddressLine } from './address-line.js';
import { findBlockTowns, findBlockTownsFrom } from './block-towns.js';
import { formOf } from './code-form.js';
import {
  findFullCodePrefixes,
  findPlacesOfCodePrefix,
  findPrefixAlone,
  findPrefixInTowns,
  hasCodesFrom,
  NO_PREFIXES,
} from './code-prefixes.js';
import { type CodeMatches, CodeSearch, listCodesToSearch } from './code-search.js';
import { districtCode, MAX_DISTRICT_DIGITS } from './district-codes.js';
import { isOneEditAway } from './edit-distance.js';
import { type MergeRequest, mergeSuggestions, sortByCities, sortByNumber } from './merged-suggestions.js';
import { NameQuery } from './name-query.js';
import { searchNames } from './name-search.js';
import type { SearchScope, Suggestion } from './suggestion.js';
import { searchTown, type TownsFound } from './town-search.js';

/** The form of a number of four digits or more in which a letter is likelier a digit mistyped than a country's sign. */
const MOSTLY_DIGITS = /^(?=.*A)A{0,2}(?:9[-A ]?){4,}$/;
/** Number of characters at the end of a code that differ between the codes of a town. */
const UNSURE_CHARACTERS = 2;
/** Maximum number of towns of a name whose codes are compared with a typed one, the most important first. */
const MAX_COMPARED_TOWNS = 8;
/** A text that may be the start of a code of letters, or the sign of a country before a code. */
const CODE_LETTERS = /^ *[a-z]{1,3}[- ]*$/i;
/** Maximum length of a word that may be the code of a region or a country, in letters: "SP 01310-100". */
const MAX_SHORT_LETTERS = 2;

export interface Suggestions {
  /** Best first. */
  readonly places: readonly Suggestion[];
  /** Places of the codes that the line has, in whole or in part, by how well the line fits them. */
  readonly ofCodes: readonly (readonly Suggestion[])[];
  /** Whether the line is a code, in whole or in part, and nothing else, or all of it fits the places of a code. */
  readonly isCode: boolean;
}

/**
 * The best places for a line, at most `limit`, with the codes that the line has, and the lookups that found them. `work` is
 * the query's budget.
 */
export function findSuggestions(
  snapshot: Snapshot,
  line: string,
  scope: SearchScope,
  limit: number,
  work = new WorkBudget(),
): FoundInLine {
  const found = searchLine(snapshot, line, scope, limit, work, 'with mistakes');
  return found.places.length > 0 ? found : (findInUnits(snapshot, line, scope, limit, found.names) ?? found);
}

/** The places of a line of Chinese units that is written together; undefined if it is none, or nothing is found. */
function findInUnits(
  snapshot: Snapshot,
  line: string,
  scope: SearchScope,
  limit: number,
  names: NameQuery,
): FoundInLine | undefined {
  const china = snapshot.countryByCode.get('CN');
  if (china?.structures === undefined || !names.hasCountry(china)) return undefined;
  for (const units of listUnitLines(line)) {
    // Japan and Taiwan, which no data cover, have the same words for units.
    if (names.isAbsentCity(foldText(units.split(' ')[0] as string))) return undefined;
    const found = searchLine(snapshot, units, { ...scope, countries: [china] }, limit, names.work, 'as typed');
    if (found.places.length > 0) return found;
  }
  return undefined;
}

type FoundInLine = Suggestions & { readonly names: NameQuery };

function searchLine(
  snapshot: Snapshot,
  line: string,
  scope: SearchScope,
  limit: number,
  work: WorkBudget,
  depth: 'as typed' | 'with mistakes',
): FoundInLine {
  const parsed = parseAddressLine(line);
  if (hasCode(parsed)) {
    // A line is read whatever the types of its places: a code of a locality is found by its region.
    const names = new NameQuery(snapshot, { ...scope, types: undefined }, work);
    return { ...new LineSearch(snapshot, names, { limit, scope, work }).run(parsed), names };
  }
  const names = new NameQuery(snapshot, scope, work);
  const search = { depth, isCountryFirst: false } as const;
  const { places } = searchTown(snapshot, names, parsed.foldings, limit, search);
  const [country, ...others] = scope.countries ?? [];
  const mayBeCode = places.length === 0 && country !== undefined && others.length === 0 && CODE_LETTERS.test(line);
  if (!mayBeCode) return { places, ofCodes: [], isCode: false, names };
  const code = line.trim().toUpperCase();
  const starts = findOtherStart(country, { code, typed: code, rest: [], foldings: [], isLast: true }, names, limit);
  return {
    places: mergeSuggestions([starts], { limit, scope, work }),
    ofCodes: [starts],
    isCode: starts.length > 0,
    names,
  };
}

/** The places of a start of a code that is written otherwise in the country's data, or whose block the data have. */
function findOtherStart(
  country: Country,
  start: Omit<CodeText, 'form'>,
  names: NameQuery,
  limit: number,
): readonly Suggestion[] {
  const code = nationalCodeInData(country.entry.code, compactPostcode(start.code));
  const places = findPrefixAlone([country], { ...start, code, form: formOf(code) }, names, limit);
  return places.length > 0 ? places : findBlockTownsFrom(country, { ...start, code }, names);
}

interface Towns {
  readonly named: readonly Suggestion[];
  /** Number of towns at the start whose name is the rest of the line. */
  readonly exactCount: number;
  /** Whether the line names a city or a country without data. */
  readonly isElsewhere: boolean;
}

interface Found extends CodeMatches {
  /** Places whose name is the whole line. */
  readonly exact: readonly Suggestion[];
  /** Places of whose name the whole line is the start. */
  readonly starts: readonly Suggestion[];
}

class LineSearch {
  readonly #snapshot: Snapshot;
  readonly #countries: readonly Country[];
  readonly #codes: CodeSearch;
  readonly #limit: number;

  constructor(
    snapshot: Snapshot,
    private readonly names: NameQuery,
    private readonly request: MergeRequest,
  ) {
    this.#snapshot = snapshot;
    // Places of other types are left out at the end.
    this.#limit = request.scope.types === undefined ? request.limit : TOP_COUNT;
    this.#countries = sortByCities(snapshot).filter((country) => names.hasCountry(country));
    this.#codes = new CodeSearch(snapshot, this.#countries, names, names.isOneCountry);
  }

  run(line: LineWithCode): Suggestions {
    // This costs little, and codes may spend much of the budget.
    const { places, exactCount } = searchNames(this.names, line.foldings, this.#limit, 'starts');
    const matches = this.#codes.find(line.codes);
    const found = { ...matches, exact: places.slice(0, exactCount), starts: places.slice(exactCount) };
    const ofStart = this.#findStart(line, found);
    const merged = matches.text.rest.length === 0 ? this.#mergeAlone(line, found) : this.#mergeWithTown(line, found);
    return ofStart === undefined ? merged : { ...ofStart, ofCodes: [...ofStart.ofCodes, ...merged.ofCodes] };
  }

  /** The places and the full codes, if the line is the start of full codes, with a space, and no full code. */
  #findStart({ codes }: LineWithCode, { exact, whole }: Found): Suggestions | undefined {
    const entire = codes.find(({ rest }) => rest.length === 0);
    if (entire === undefined || whole.some(({ fullCode }) => fullCode !== undefined)) return undefined;
    const places = findPlacesOfCodePrefix(this.#countries, entire, this.names);
    if (places.length === 0) return undefined;
    const { beyond } = findFullCodePrefixes(this.#countries, entire, this.names, this.#limit);
    return { places: this.#merge([exact, places]), ofCodes: [beyond], isCode: true };
  }

  /** A line that is a code, whole or in part. */
  #mergeAlone({ codes, foldings }: LineWithCode, { exact, whole, withZeros, oddForm, starts }: Found): Suggestions {
    const [first] = codes;
    const countries = this.#codes.countriesOf(first);
    const block = whole.length > 0 ? [] : findBlockTowns(countries, first, this.names);
    const early = whole.length === 0 && MOSTLY_DIGITS.test(first.form) ? this.#findLookAlikes(codes) : [];
    const isFull = exact.length + whole.length >= this.#limit;
    const prefix = isFull ? [] : findPrefixAlone(countries, first, this.names, this.#limit);
    const places = this.#merge([exact, whole, block, oddForm, early, prefix, withZeros, starts]);
    const { beyond, within } = findFullCodePrefixes(countries, first, this.names, this.#limit);
    // Places of the whole code may leave no slot for places of longer first parts, but all of these are one code.
    const longer = isFull && within.length > 0 ? findPrefixAlone(countries, first, this.names, this.#limit) : prefix;
    const ofCodes = [whole, oddForm, beyond, early, longer, within, withZeros];
    if (places.length > 0) return { places, ofCodes, isCode: true };
    const lookAlikes = this.#findLookAlikes(codes);
    if (lookAlikes.length > 0) return { places: this.#merge([lookAlikes]), ofCodes: [lookAlikes], isCode: true };
    const [country] = this.#countries;
    const other =
      this.names.isOneCountry && country !== undefined ? findOtherStart(country, first, this.names, this.#limit) : [];
    if (other.length > 0) return { places: this.#merge([other]), ofCodes: [], isCode: true };
    const named = searchNames(this.names, foldings, this.#limit, 'as typed').places;
    return { places: this.#merge([named]), ofCodes: [], isCode: false };
  }

  #merge(lists: readonly (readonly Suggestion[])[], town?: Suggestion): readonly Suggestion[] {
    return mergeSuggestions(lists, this.request, town);
  }

  #mergeWithTown(line: LineWithCode, found: Found): Suggestions {
    const { text, hasTown, exact, whole, withZeros, oddForm, town, code, starts } = found;
    const withDigits = whole.length > 0 ? [] : this.#findWithDigits(line);
    const isMatched = whole.length + town.length > 0;
    const entire = isMatched ? [] : this.#findEntirePrefix(line.codes);
    const isShort = text.rest.every((word) => word.length <= MAX_SHORT_LETTERS);
    const block =
      isMatched || !isShort || code.length > 0 ? [] : findBlockTowns(this.#codes.countriesOf(text), text, this.names);
    const lookAlikes = isMatched || withDigits.length > 0 ? [] : this.#findLookAlikes(line.codes);
    const mistyped = isMatched ? [] : this.#codes.findMistyped(code, text.rest);
    const mayBeMistaken = [lookAlikes, entire, block, mistyped].every(({ length }) => length === 0);
    const { named, exactCount, isElsewhere } = this.#findTown(text, mayBeMistaken, isMatched, withDigits.length > 0);
    if (isElsewhere && !isMatched) return { places: [], ofCodes: [], isCode: false };
    const towns = named.slice(0, Math.max(1, exactCount));
    const isPrefix = text.isLast && withDigits.length === 0;
    const { places, offices } = isPrefix ? findPrefixInTowns(towns, text, this.names, this.#limit) : NO_PREFIXES;
    // The rest is a country, a region or too short to be a town.
    const isNamed =
      exactCount > 0 || (whole.length === 0 && named[0] !== undefined && this.#codes.isMeant(named[0], text.rest));
    const isCode = isMatched ? !hasTown || !isNamed : isShort && code.length > 0 && exactCount === 0;
    const before = [exact, whole, oddForm, withDigits, town, block, entire, withZeros, lookAlikes, mistyped, places];
    const merged = isCode
      ? this.#merge([...before, code, starts])
      : this.#merge([...before, named, offices, code, starts], named[0]);
    const atEnd = line.codes.filter(({ isLast }) => isLast);
    const full = atEnd.flatMap((code) => findFullCodePrefixes(this.#countries, code, this.names, this.#limit).beyond);
    return {
      places:
        merged.length > 0 ? merged : this.#merge([findBlockTowns(this.#codes.countriesOf(text), text, this.names)]),
      ofCodes: [whole, oddForm, full, town, entire, withZeros, lookAlikes, mistyped, places, offices, code],
      isCode: whole.length > 0 || oddForm.length > 0,
    };
  }

  /** The town of a line; of towns of one name first those with similar codes, if the code fits none. */
  #findTown({ code, foldings }: CodeText, mayBeMistaken: boolean, isMatched: boolean, isDistrict: boolean): Towns {
    const search = (depth: 'in part' | 'with mistakes'): TownsFound =>
      searchTown(this.#snapshot, this.names, foldings, TOP_COUNT, { depth, isCountryFirst: true });
    const inPart = search('in part');
    const isDone = inPart.places.length > 0 || inPart.isElsewhere || !mayBeMistaken;
    const { places, exactCount, isElsewhere } = isDone ? inPart : search('with mistakes');
    const exact = places.slice(0, exactCount);
    return {
      named: [...(isMatched || isDistrict ? exact : this.#sortByCode(exact, code)), ...places.slice(exactCount)],
      exactCount,
      isElsewhere,
    };
  }

  /** The places that the whole line means, its digits included: a district, or a name with a number. */
  #findWithDigits({ codes, foldings }: LineWithCode): readonly Suggestion[] {
    if (codes[0].code.length > MAX_DISTRICT_DIGITS) return [];
    const district = districtCode(foldings.at(-1) as string);
    const country = this.#countries.find(({ entry }) => entry.code === district?.country);
    if (district !== undefined && country !== undefined) return this.#codes.findAlone(country, district.code);
    return sortByNumber(searchNames(this.names, foldings, this.#limit, 'within').places, foldings);
  }

  /** The start of a code that is the entire line, of several words: "AZ 10", "SW1A 1". */
  #findEntirePrefix(codes: LineWithCode['codes']): readonly Suggestion[] {
    const entire = codes.find(({ rest }) => rest.length === 0);
    return entire === undefined
      ? []
      : findPrefixAlone(this.#codes.countriesOf(entire), entire, this.names, this.#limit);
  }

  /**
   * Of towns of one name, unless the most important has codes that start so: first those whose code is the typed one, in
   * part or but for a mistake, then those with similar codes.
   */
  #sortByCode(towns: readonly Suggestion[], typed: string): readonly Suggestion[] {
    const compact = compactPostcode(typed);
    const [first] = towns;
    if (first === undefined || hasCodesFrom(first, compact, this.names)) return towns;
    const isMeant = ({ country, place }: Suggestion): boolean => {
      const { postalCode } = readListFields(structuresOf(country), place);
      const own = compactPostcode(postalCode ?? '');
      const isMistyped = own.length === compact.length && isOneEditAway(own, compact);
      return own !== '' && (own.startsWith(compact) || isMistyped);
    };
    const meant = towns.filter(isMeant);
    const others = towns.filter((town) => !meant.includes(town));
    const similar = others
      .slice(0, MAX_COMPARED_TOWNS)
      .filter((town) => hasCodesFrom(town, compact.slice(0, -UNSURE_CHARACTERS), this.names, compact.length));
    return [...new Set([...meant, ...similar, ...others])];
  }

  #findLookAlikes(codes: LineWithCode['codes']): readonly Suggestion[] {
    const [second, ...others] = listCodesToSearch(codes);
    return second === undefined ? [] : this.#codes.find([second, ...others]).whole;
  }
}
