/**
 * The places of the postal codes of an address line, rated by the rest of the line (place-evidence.ts). A code is
 * resolved as by the endpoint of postal codes, in one country or in every country. If several countries have the code,
 * the most important place of each country comes first, then the second of each.
 */

import { oncePer } from '../../base/once-per.js';
import { structuresOf } from '../lookup/countries.js';
import { listLookAlikeCodes } from '../lookup/look-alike-postcodes.js';
import { listPossibleCountries, resolvePostcodeIn } from '../lookup/postcode-lookup.js';
import { bytesOf } from '../snapshot/byte-string.js';
import { rankAt } from '../snapshot/name-index.js';
import { isPlace, levelOf, listAncestors } from '../snapshot/place-tree.js';
import { codePlaces, codeText, findCodeAfter } from '../snapshot/postcode-index.js';
import { compactPostcode, hasLetter } from '../snapshot/postcode-spelling.js';
import { placeNameJson } from '../snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { WORK } from '../snapshot/work-budget.js';
import { type CodeText, formOf, hasSeparator, mayHaveCode } from './address-line.js';
import { compareNearness, nearnessOf } from './found-ranks.js';
import { isOneEditAway, type NameLookup, type Suggestion } from './name-query.js';
import { type Evidence, foldedName, LineEvidence } from './place-evidence.js';

/* The importance of a place with a postal code, as a rank: Paris 01 is as important as Paris. */

/**
 * The lowest rank of a place and the cities around it; infinite if the index has neither rank. The lookups of a query
 * look each place up once.
 */
export const rankAroundOf = oncePer((names: NameLookup): ((suggestion: Suggestion) => number) => {
  const rankOf = cacheRanks(names);
  const cityEnd = names.index.cityEnds[1] as number;
  return ({ country, place }) => {
    const structures = structuresOf(country);
    const around = listAncestors(structures.tree, place).map((unit) => rankOf(country, structures, unit));
    return Math.min(rankOf(country, structures, place), ...around.filter((rank) => rank < cityEnd));
  };
});

type RankOf = (country: Country, structures: CountryStructures, place: number) => number;

/**
 * A cached lookup of a place's rank, or of the sibling with the same name that represents it; infinite without either.
 */
function cacheRanks(names: NameLookup): RankOf {
  const { index, work } = names;
  const known = new Map<string, number>();
  const find = (country: Country, structures: CountryStructures, place: number): number => {
    const { tree } = structures;
    const number = work.spend(WORK.text) ? names.findName(bytesOf(foldedName(structures, place))) : undefined;
    if (number === undefined) return Number.POSITIVE_INFINITY;
    const end = index.rankStarts[number + 1] as number;
    for (let at = index.rankStarts[number] as number; at < end && work.spend(WORK.listed); at++) {
      const rank = rankAt(index, at);
      if (index.countries.length > 0 && index.countries[rank] !== country.number) continue;
      const ranked = index.places[rank] as number;
      if (ranked === place || tree.parents[ranked] === tree.parents[place]) return rank;
    }
    return Number.POSITIVE_INFINITY;
  };
  return (country, structures, place) => {
    const key = `${country.number} ${place}`;
    const rank = known.get(key) ?? find(country, structures, place);
    known.set(key, rank);
    return rank;
  };
}

/** Maximum number of places of one code in a country: the most suggestions of a response. Named places don't count. */
const MAX_PLACES = 25;

/** Digits on both sides of a separator: a form that countries differ in. */
const SEPARATED = /9[- ]9/;

/** Minimum length of a name in which a mistake is corrected, in letters. */
const MIN_MISTYPED_LETTERS = 4;

interface Rated extends Suggestion {
  readonly evidence: Evidence;
  /** Whether a separator was typed where the country's codes have none. */
  readonly isOddForm: boolean;
}

/** The places of the codes of a line, by how much of the line they fit. */
export interface CodeMatches {
  /** The text whose places fit best; the likeliest text if there are no places. */
  readonly text: CodeText;
  /** Whether words beside the code mean a town, not only a country. */
  readonly hasTown: boolean;
  /** As `whole`, with a separator where the country's codes have none. */
  readonly oddForm: readonly Suggestion[];
  /** The rest of the line is empty, or all of it fits. */
  readonly whole: readonly Suggestion[];
  /** Some of the rest means the place, one nearby or its units. */
  readonly town: readonly Suggestion[];
  /** None of the rest fits, or no more than the country. */
  readonly code: readonly Suggestion[];
}

export class CodeSearch {
  readonly #rankAround: (suggestion: Suggestion) => number;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly countries: readonly Country[],
    private readonly names: NameLookup,
    /** Whether the query is about one country, so that lenient readings of a code are safe. */
    private readonly isOneCountry: boolean,
  ) {
    this.#rankAround = rankAroundOf(names);
  }

  /** Spends at most half of the budget, so that half is left for names. */
  find(codes: readonly [CodeText, ...CodeText[]]): CodeMatches {
    const found: Rated[] = [];
    let [best] = codes;
    let fewest = Number.POSITIVE_INFINITY;
    for (const text of codes) {
      const places = this.#findPlaces(text);
      found.push(...places);
      const missing = Math.min(...places.map(({ evidence }) => evidence.missing + (evidence.hasTown ? 0 : 1)));
      if (missing < fewest) [best, fewest] = [text, missing];
      if (places.some(({ evidence }) => evidence.missing === 0)) break;
    }
    // Where the line has a full code of a country, the other places of its first part are not meant.
    const withFullCode = new Set(found.flatMap(({ country, fullCode }) => (fullCode === undefined ? [] : [country])));
    const meant = found.filter(({ country, fullCode }) => fullCode !== undefined || !withFullCode.has(country));
    const of = (fits: (rated: Rated) => boolean): Suggestion[] => this.#order(meant.filter(fits));
    return {
      text: best,
      hasTown: meant.some(({ evidence }) => evidence.hasTown),
      whole: of(({ evidence: { missing }, isOddForm }) => missing === 0 && !isOddForm),
      oddForm: of(({ evidence: { missing }, isOddForm }) => missing === 0 && isOddForm),
      town: of(({ evidence: { missing, hasTown } }) => missing > 0 && hasTown),
      code: of(({ evidence: { missing, hasTown } }) => missing > 0 && !hasTown),
    };
  }

  /** Those of some places of a code whose name, or the name of a unit around them, is the typed one but for a mistake. */
  findMistyped(places: readonly Suggestion[], rest: readonly string[]): Suggestion[] {
    const typed = rest.join(' ');
    if (typed.length < MIN_MISTYPED_LETTERS) return [];
    return places.slice(0, MAX_PLACES).filter(({ country, place }) => {
      const structures = country.structures as CountryStructures;
      return [place, ...listAncestors(structures.tree, place)].some(
        (one) => this.names.work.spend(WORK.text) && isOneEditAway(foldedName(structures, one), typed),
      );
    });
  }

  /** Whether all words beside a code mean a place. */
  isMeant({ country, place }: Suggestion, rest: readonly string[]): boolean {
    const structures = country.structures as CountryStructures;
    return new LineEvidence(this.names, rest).rate(country, structures, place).missing === 0;
  }

  /** The places of a code in a country, without a rest. */
  findAlone(country: Country, code: string): Suggestion[] {
    const places = resolvePostcodeIn(country, code, false, this.names.work)?.match.places ?? new Uint32Array(0);
    return [...places.subarray(0, MAX_PLACES)]
      .filter((place) => isPlace((country.structures as CountryStructures).tree, place))
      .map((place) => ({ country, place }));
  }

  #findPlaces({ code, form, rest }: CodeText): Rated[] {
    const { work } = this.names;
    const evidence = new LineEvidence(this.names, rest);
    const found: Rated[] = [];
    const possible = this.isOneCountry ? this.countries : listPossibleCountries(this.snapshot, this.countries, code);
    for (const country of this.countries) {
      const { structures } = country;
      if (structures === undefined) continue;
      if (!this.isOneCountry && !mayHaveCode(country, structures, code)) continue;
      if (!possible.includes(country)) {
        // As much as a lookup there, so that other countries of a release change no query's budget and answer.
        work.spend(WORK.probe);
        continue;
      }
      const resolved = resolvePostcodeIn(country, code, !this.isOneCountry, work);
      if (resolved === undefined) continue;
      const { match, fullCode } = resolved;
      const isOddForm =
        !hasLetter(code) && SEPARATED.test(form) && rest.length === 0 && form !== formOf(match.postcode);
      // Separators in other positions are those of another country: 100-0001 is in Japan, not 1000-001 in Portugal.
      if (isOddForm && !this.isOneCountry && hasSeparator(match.postcode)) continue;
      const { places } = match;
      let unnamed = 0;
      for (const place of places) {
        if (work.isHalfSpent || !work.spend(WORK.text)) return found;
        if (!isPlace(structures.tree, place)) continue;
        if (unnamed === MAX_PLACES && !evidence.isNamed(structures, place)) continue;
        const rating = evidence.rate(country, structures, place);
        if (!rating.isNamed) unnamed++;
        found.push({ country, place, fullCode, evidence: rating, isOddForm });
      }
    }
    return found;
  }

  /**
   * The first place of each country, then the second of each, and so on. More evidence comes first, then the country that
   * is named, then places with the typed name, then by importance.
   */
  #order(found: readonly Rated[]): Suggestion[] {
    const ranked = found.map((rated) => {
      const rank = this.#rankAround(rated);
      return { ...rated, rank, nearness: nearnessOf(this.names, rank, rated) };
    });
    type Ranked = (typeof ranked)[number];
    const compare = (a: Ranked, b: Ranked): number =>
      a.evidence.missing - b.evidence.missing ||
      b.evidence.inCountry - a.evidence.inCountry ||
      (a.evidence.townRank === b.evidence.townRank ? 0 : a.evidence.townRank - b.evidence.townRank) ||
      Number(b.evidence.isNamed) - Number(a.evidence.isNamed) ||
      compareNearness(a.nearness, b.nearness) ||
      (a.rank === b.rank ? 0 : a.rank - b.rank);
    const counts = new Map<Country, number>();
    return ranked
      .sort(compare)
      .map((suggestion) => {
        const round = counts.get(suggestion.country) ?? 0;
        counts.set(suggestion.country, round + 1);
        return { suggestion, round };
      })
      .sort((a, b) => a.round - b.round)
      .map(({ suggestion: { country, place, fullCode } }) => ({ country, place, fullCode }));
  }
}

/* The codes of a line in which letters and digits that look alike were mixed up (look-alike-postcodes.ts). */

/** Maximum number of codes that are tried: each is looked up in every country. */
const MAX_CODES = 8;

/** The codes in the order to try them, of the entire line first; empty if no text mixes letters and digits. */
export function listLookAlikes(codes: readonly CodeText[]): CodeText[] {
  const texts = [codes.find(({ rest }) => rest.length === 0), codes[0]].filter((text) => text !== undefined);
  return [...new Set(texts)].flatMap(listFitting).slice(0, MAX_CODES);
}

/** The codes for one text, the likeliest first. */
function listFitting(text: CodeText): CodeText[] {
  return listLookAlikeCodes(compactPostcode(text.code)).map((code) => ({
    ...text,
    code,
    form: withSeparatorsOf(text.form, code),
  }));
}

/** The form of a compact code, with separators where `form` has them. */
function withSeparatorsOf(form: string, code: string): string {
  let at = 0;
  return form.replace(/[9A]/g, () => (/\d/.test(code[at++] ?? '') ? '9' : 'A'));
}

/*
 * Codes that the data lack in countries that assign codes in blocks. A code between two known codes of one town belongs
 * to that town: their place of one name in one unit, or their smallest common unit. Where the data have only the first
 * code of each block, the code belongs to the town of the known code before it.
 */

/**
 * The countries that give each street or office a code from the block of its town, so that no release has all codes, and
 * the number of characters that a block's first code shares with its other codes; 0 where the data have many codes of a
 * block. Source: Universal Postal Union, Postal addressing systems, country sheets.
 */
const BLOCKS: ReadonlyMap<string, number> = new Map([
  ['BR', 1],
  ['CN', 3],
  ...['JP', 'KR', 'LT', 'PL', 'PT', 'RU', 'SG', 'TW'].map((country) => [country, 0] as const),
]);
/** Number of characters at the end in which codes of one block differ, where no country is given. */
const UNSURE_DIGITS = 3;
/** Maximum number of places of a code that are compared. */
const MAX_BLOCK_TOWNS = 8;

/** The town of a code in each country whose codes have its form. */
export function findBlockTowns(
  countries: readonly Country[],
  { code, form }: CodeText,
  { work }: NameLookup,
): Suggestion[] {
  const compact = compactPostcode(code);
  if (!/^\d+$/.test(compact)) return [];
  return countries.flatMap((country) => {
    const { structures } = country;
    const shared = BLOCKS.get(country.entry.code);
    if (structures === undefined || (shared === undefined && countries.length > 1)) return [];
    if (!work.spend(WORK.step * (33 - Math.clz32(structures.postcodes.codeCount)))) return [];
    const next = findCodeAfter(structures.postcodes, compact);
    const [hasBefore, hasAfter] = [next - 1, next].map((number) => hasForm(structures, number, compact, form));
    if (!hasBefore || !work.spend(WORK.text * 2)) return [];
    const isOfBlock = shared !== undefined && shared > 0;
    const hasOwnForm = shared !== undefined && form !== formOf(compact);
    const isClose =
      countries.length === 1 ||
      (isLike(structures, next - 1, compact) && (hasOwnForm || isLike(structures, next, compact)));
    const between = hasAfter && isClose && !isOfBlock ? townOf(structures, next - 1, next) : undefined;
    const isNear = isOfBlock && codeText(structures.postcodes, next - 1).startsWith(compact.slice(0, shared));
    const town = between ?? (isNear ? codePlaces(structures.postcodes, next - 1)[0] : undefined);
    return town === undefined || !isPlace(structures.tree, town) ? [] : [{ country, place: town }];
  });
}

/** The town of the first code with a start, where the data have no code that starts so: "013" for 01000-000. */
export function findBlockTownsFrom(country: Country, start: Omit<CodeText, 'form'>, names: NameLookup): Suggestion[] {
  const { postcodes } = structuresOf(country);
  const { length } = compactPostcode(codeText(postcodes, 0));
  const code = compactPostcode(start.code).padEnd(length, '0');
  return findBlockTowns([country], { ...start, code, form: formOf(code) }, names);
}

/** Whether a code of the data has the form of the typed one, or its length if no separator was typed. */
function hasForm({ postcodes }: CountryStructures, number: number, compact: string, form: string): boolean {
  if (number < 0 || number >= postcodes.codeCount) return false;
  const spelling = codeText(postcodes, number);
  return form === formOf(compact) ? compactPostcode(spelling).length === compact.length : formOf(spelling) === form;
}

/** Whether a code is the same but for its last characters. */
function isLike({ postcodes }: CountryStructures, number: number, compact: string): boolean {
  const start = compact.slice(0, -UNSURE_DIGITS);
  return compactPostcode(codeText(postcodes, number)).startsWith(start);
}

function townOf(structures: CountryStructures, before: number, after: number): number | undefined {
  const { tree, renderedPlaces } = structures;
  const [ofBefore, ofAfter] = [before, after].map((number) =>
    [...codePlaces(structures.postcodes, number).subarray(0, MAX_BLOCK_TOWNS)].filter((place) => isPlace(tree, place)),
  ) as [number[], number[]];
  for (const place of ofBefore) {
    const name = placeNameJson(renderedPlaces, place);
    const isSame = (other: number): boolean =>
      tree.parents[other] === tree.parents[place] && placeNameJson(renderedPlaces, other) === name;
    if (ofAfter.some(isSame)) return place;
  }
  const unitsAfter = new Set(ofAfter.flatMap((place) => listAncestors(tree, place)));
  const shared = ofBefore
    .flatMap((place) => listAncestors(tree, place))
    .filter((unit) => unitsAfter.has(unit) && levelOf(tree, unit) > 1);
  // Places are numbered level by level: the highest number is the smallest unit.
  return shared.length === 0 ? undefined : Math.max(...shared);
}
