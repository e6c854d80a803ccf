/**
 * Finds the place that an address in a cell leads to: by a postal code in its last line, or by its town
 * (see below). A table has no reader who picks from a list, so a code counts only if the rest of the line fits it or
 * says nothing else: a number may also be that of a house, and a code and a town that lie apart are a mistake.
 */

import { MAX_SEARCH_LENGTH, MIN_SEARCH_LENGTH } from '../../src/api/description/parameter-rules.js';
import { bytesOf } from '../../src/core/snapshot/byte-string.js';
import { foldQuery, foldText } from '../../src/core/snapshot/fold-text.js';
import { hasFullCodes } from '../../src/core/snapshot/full-codes.js';
import { ranksOfName } from '../../src/core/snapshot/name-index.js';
import { populationOf } from '../../src/core/snapshot/place-facts.js';
import { readEntry, readPlace } from '../../src/core/snapshot/place-fields.js';
import { listAncestors } from '../../src/core/snapshot/place-tree.js';
import { compactPostcode, normalizePostcode } from '../../src/core/snapshot/postcode.js';
import type { Country, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { type CodeText, parseAddressLine } from '../../src/core/suggest/address-line.js';
import { findQueryFaults, listSuggestedItems, type SuggestedItem } from '../../src/core/suggest/autocomplete.js';
import { findAbsentCountry } from '../../src/core/suggest/country-suggestions.js';
import { LineEvidence } from '../../src/core/suggest/line-evidence.js';
import { NameLookup, type Suggestion } from '../../src/core/suggest/name-lookup.js';
import { searchNames } from '../../src/core/suggest/names.js';
import { findCountryByName, findNamedCountry, structuresOf } from '../../src/core/use-cases/countries.js';
import { lookUpPostcode } from '../../src/core/use-cases/postcode-candidates.js';
import { listFoundPostcodes } from '../../src/core/use-cases/postcodes.js';
import { createCountryOfCell, type Find, type Finding, type FoundPlace, type Match, NOTHING_FOUND } from './finders.js';

/* Words that tell a street, a house number or a post box from a town, folded. */

const listed = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Kinds of streets behind their names: "Main St", "Váci utca". */
export const LAST_WORDS = listed(`
  street st road rd avenue ave av lane ln drive dr boulevard blvd way court ct place pl plaza square sq terrace parkway
  pkwy highway hwy circle cir trail row close crescent cres gardens grove mews walk yard alley broadway
  strasse str allee gasse weg platz ufer straat laan plein kade vej gade gate vei gata gatan vagen katu tie
  utca ut korut sokak sk caddesi cad mahallesi mah ulitsa prospekt dori marg
`);

/** Kinds of streets before their names, and what stands before a number: "rue de la Paix", "Suite 5", "Tel. 030". */
export const FIRST_WORDS = listed(`
  rue avenue av ave bd blvd boulevard allee allees place chemin impasse quai route rte cours passage square
  via viale piazza corso largo vicolo strada calle avenida avda plaza paseo carrer passeig carretera camino ronda
  rua travessa praca alameda estrada ul ulica aleja plac trg jl jalan str sos bulevardul calea ulitsa prospekt odos
  leoforos bulvar
  suite ste apt apartment unit flat floor level room rm box pobox postfach postbus postboks bp apartado casilla no nr num
  number hausnummer tel telefon phone fon fax mobile mobil order invoice ref id lot km
`);

/** Ends of compounds that are streets: "Hauptstraße", "Kungsgatan". */
export const STREET_ENDINGS =
  /\p{L}{2}(?:strasse|str|gasse|allee|platz|weg|straat|laan|plein|gatan|gata|vagen|gade|vej|veien|vegen|katu|utca)$/u;

/** Words after which the name of a street goes on: "rue de | Paris". */
export const CONNECTING_WORDS = listed(`
  de du des d la le les l del della delle dei degli di da do dos das e y i et und and of the van der den het zum zur am
  im an in der dem au aux en el los las san santa santo saint sankt st ste sao
`);

/** What programs write into a cell without a value; one of them is a town in Italy. */
export const EMPTY_WORDS = listed('none null nan nil unknown unbekannt');

/*
 * Finds the town of an address line without a postal code, for a table: a wrong town is worse than none, so nothing is
 * guessed. The town is at the end of the line, with its units and its country behind it. Before it is nothing, a comma, a
 * code, or a street:
 *
 *   "Church Road, Bath"             Bath                    "London Road"        none: a street
 *   "12 Main St Springfield IL"     Springfield             "Jack London"        none: no street before the town
 *   "15 rue de la Paix Paris"       Paris, a big city       "rue de Paris"       none: the street's name goes on
 *
 * Every word of that end must mean the place (line-evidence.ts). A name alone must be that of a city of the gazetteer or
 * of a unit: nearly every word is the name of some hamlet.
 */

const SEPARATORS = /[,;|()、，\r\n]+|\s[-–—]\s/;
/** Of any script. */
const DIGIT = /\p{N}/u;
/** Maximum number of parts between commas at the end of a line that may have the town: town, district, state, country. */
const MAX_PARTS = 4;
/** Maximum number of words of a part that may have the town. */
const MAX_WORDS = 6;
/** Maximum number of places of one name that are rated. */
const MAX_PLACES = 8;
/** Minimum length of a name in folded letters: two letters are mostly the code of a region. */
const MIN_LETTERS = 3;
/** Maximum number of places with the name of a unit that are looked at. */
const MAX_NAMESAKES = 512;
/** Minimum number of people of a big city. */
const BIG_CITY_PEOPLE = 100_000;

/** The end of a line that may be a town with its units. */
interface LineEnd {
  readonly text: string;
  /** Whether only a big city is sure enough: "Wien 3", and what follows the name of a street without a number. */
  readonly needsBigCity: boolean;
}

/** The town of a line in the countries of `names`. */
export function findTown(snapshot: Snapshot, names: NameLookup, line: string): Suggestion | undefined {
  for (const end of listEnds(line)) {
    const foldings = foldQuery(end.text);
    const words = foldText(end.text).split(' ');
    const longest = Math.max(...words.map(({ length }) => length));
    if (longest < MIN_LETTERS || EMPTY_WORDS.has(words.join(' '))) continue;
    const { places, exactCount } = searchNames(names, foldings, MAX_PLACES, 'within');
    const evidence = new LineEvidence(names, words);
    const town = places.find((found, at) => {
      const isBare = at < exactCount;
      if (isBare && (isStreet(words) || (words.length === 1 && LAST_WORDS.has(words[0] as string)))) return false;
      if (!isTown(names, found, isBare) || isAnotherCountry(snapshot, foldings, found)) return false;
      const people = populationOf(structuresOf(found.country), found.place) ?? 0;
      if (end.needsBigCity && people < BIG_CITY_PEOPLE) return false;
      const { missing, isNamed, townRank } = evidence.rate(found.country, structuresOf(found.country), found.place);
      return missing === 0 && (isNamed || townRank < Number.POSITIVE_INFINITY);
    });
    if (town !== undefined) return town;
  }
  return undefined;
}

/** Whether a number of a line is that of a house, a box or the like instead of a postal code. */
export function isHouseNumber(line: string, number: string): boolean {
  return line.split(SEPARATORS).some((part) => {
    const words = part.split(/\s+/).map(foldText);
    const at = words.indexOf(number);
    if (at === -1) return false;
    const [before, after] = [words.slice(0, at), words.slice(at + 1).filter((word) => word !== '')];
    // "12345 Main St", "1010 Stephansplatz"; in "63101 St Louis" the word is first.
    if (after.some((word, index) => (index > 0 && LAST_WORDS.has(word)) || (index === 0 && STREET_ENDINGS.test(word))))
      return true;
    if (after.length > 0 || before.some((word) => DIGIT.test(word))) return false;
    return before.some((word) => FIRST_WORDS.has(word)) || isStreet(before);
  });
}

/** The ends of a line, the longest first. */
function listEnds(line: string): LineEnd[] {
  const parts = line
    .split(SEPARATORS)
    .map((part) => part.split(/\s+/).filter((word) => foldText(word) !== ''))
    .filter((words) => words.length > 0)
    .slice(-MAX_PARTS);
  return parts.flatMap((words, at) => {
    const behind = parts.slice(at + 1).flatMap(withoutNumbers);
    const letters = words.findLastIndex((word) => !DIGIT.test(word)) + 1;
    // "Wien 3", but not "Berlin 10115"
    const isNumbered = /^\d{1,3}\p{L}?$/u.test(words[letters] ?? '');
    return Array.from({ length: letters }, (_, start) => start).flatMap((start) => {
      const own = words.slice(start, letters);
      const before = words.slice(0, start).map(foldText);
      if (own.length > MAX_WORDS || own.some((word) => DIGIT.test(word))) return [];
      const sureness = before.every((word) => DIGIT.test(word)) ? 'sure' : surenessBehind(before);
      if (sureness === undefined) return [];
      return { text: [...own, ...behind].join(' '), needsBigCity: isNumbered || sureness === 'big city' };
    });
  });
}

/** How sure a town is behind these folded words, which are a street; undefined if they are none. */
function surenessBehind(before: readonly string[]): 'sure' | 'big city' | undefined {
  const last = before.at(-1) as string;
  if (CONNECTING_WORDS.has(last) && !LAST_WORDS.has(last)) return undefined;
  const isFirstKind = FIRST_WORDS.has(before.find((word) => !DIGIT.test(word)) ?? '');
  if (DIGIT.test(last)) return before.some((word) => !DIGIT.test(word)) ? 'sure' : undefined;
  if (isStreet(before.filter((word) => !/^\p{N}+$/u.test(word)))) return 'sure';
  return isFirstKind && !FIRST_WORDS.has(last) && before.some((word) => DIGIT.test(word)) ? 'big city' : undefined;
}

/** Whether folded words end as a street does: "main st", "hauptstrasse"; or begin so: "rue de paris". */
function isStreet(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return STREET_ENDINGS.test(last) || (words.length > 1 && LAST_WORDS.has(last));
}

function withoutNumbers(words: readonly string[]): string[] {
  return words.filter((word) => !DIGIT.test(word));
}

/** Whether a place is more than a hamlet, which a name alone is not, or a state. */
function isTown(names: NameLookup, { country, place }: Suggestion, isBare: boolean): boolean {
  const structures = structuresOf(country);
  if (populationOf(structures, place) !== null) return true;
  const { type, name } = readPlace(structures, place);
  if (type === 'municipality') return true;
  return type === 'locality' ? !isBare : type !== 'recipient' && hasTownOfItsName(names, { country, place }, name);
}

/** Whether a unit has a place of its name in it: Canillo in Canillo, but no Illinois in Illinois. */
function hasTownOfItsName(names: NameLookup, { country, place }: Suggestion, name: string): boolean {
  const { index } = names;
  const known = names.findName(bytesOf(foldText(name)));
  if (known === undefined) return false;
  return [...ranksOfName(index, known).subarray(0, MAX_NAMESAKES)].some((rank) => {
    const isOfCountry = index.countries.length === 0 || index.countries[rank] === country.number;
    return isOfCountry && listAncestors(structuresOf(country).tree, index.places[rank] as number).includes(place);
  });
}

/** Whether the text is the name of a country, and the place is in another: "Main St, Germany" is not about a Germany. */
function isAnotherCountry({ worldNames }: Snapshot, foldings: readonly string[], { country }: Suggestion): boolean {
  return foldings.some((text) => (findCountryByName(worldNames, text) ?? country.number) !== country.number);
}

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
    return {
      match: 'none',
      absent: country === undefined ? findAbsentCountry(snapshot, line, true)?.country : undefined,
    };
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
    const codes = DIGIT.test(line) ? parseAddressLine(line).codes : [];
    const candidate = codes.length === 0 ? undefined : this.#firstCandidate();
    if (candidate !== undefined) {
      const text = codes.find(({ code }) => isSameCode(code, line, candidate));
      if (text !== undefined && this.#isMeant(text, candidate, isWhole)) {
        const isUnknown = codes.some(({ code }) => this.#isUnknownFullCode(code, candidate));
        return { match: isUnknown ? 'partial' : matchInLine(line, candidate.code), found: candidate.found };
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

  /** Whether a text is a full code that the data lack, in a country with full codes, and the candidate has its first part. */
  #isUnknownFullCode(text: string, { country, code }: Candidate): boolean {
    if (!hasFullCodes(country.entry)) return false;
    const found = lookUpPostcode(this.snapshot, country, text);
    return found?.isPartial === true && found.match.postcode === code;
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
    const { postcode, mainPlace, placeCount, fullCode } = item;
    return { country, code: postcode, found: { structures, place: mainPlace, placeCount, fullCode } };
  }
  const { place, fullCode } = item;
  const code = fullCode?.postcode ?? readEntry(structures, place).postalCode;
  return code === null ? undefined : { country, code, found: { structures, place, fullCode } };
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
