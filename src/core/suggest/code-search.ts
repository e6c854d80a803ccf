/**
 * The places of the postal codes of an address line, rated by the rest of the line (place-evidence.ts). A code is
 * resolved as by the endpoint of postal codes, in one country or in every country. If several countries have the code,
 * the most important place of each country comes first, then the second of each.
 */

import { listLookAlikeCodes } from '../lookup/look-alike-postcodes.js';
import { hasLostZeros, isMeantByStart, typedFirstPart } from '../lookup/national-postcodes.js';
import { countryOfForm } from '../lookup/postcode-forms.js';
import { listPostcodeLookupCountries, resolvePostcodeIn } from '../lookup/postcode-lookup.js';
import { readFoldedNameField } from '../snapshot/place-fields.js';
import { isPlace, listAncestors } from '../snapshot/place-tree.js';
import { compactPostcode, hasLetter } from '../snapshot/postcode-spelling.js';
import type { Country, CountryStructures, Snapshot } from '../snapshot/snapshot.js';
import { WORK } from '../snapshot/work-budget.js';
import type { CodeText } from './address-line.js';
import { formOf, hasSeparator, mayHaveCode } from './code-form.js';
import { isOneEditAway } from './edit-distance.js';
import type { NameQuery } from './name-query.js';
import { compareNearness, nearnessOf } from './nearness.js';
import { type Evidence, LineEvidence } from './place-evidence.js';
import { rankAroundOf } from './rank-around.js';
import type { Suggestion } from './suggestion.js';

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
  /** Whether the code has zeros that were not typed before it. */
  readonly hasMoreZeros: boolean;
}

/** The places of the codes of a line, by how much of the line they fit: a list is put in order when it is read. */
export interface CodeMatches {
  /** The text whose places fit best; the likeliest text if there are no places. */
  readonly text: CodeText;
  /** Whether words beside the code mean a town, not only a country. */
  readonly hasTown: boolean;
  /** As `whole`, with a separator where the country's codes have none. */
  readonly oddForm: readonly Suggestion[];
  /** The rest of the line is empty, or all of it fits. */
  readonly whole: readonly Suggestion[];
  /** The rest is empty, and the code has leading zeros that were not typed: 01067 for "1067". */
  readonly withZeros: readonly Suggestion[];
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
    private readonly names: NameQuery,
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
      get whole() {
        return of(({ evidence: { missing }, isOddForm, hasMoreZeros }) => missing === 0 && !isOddForm && !hasMoreZeros);
      },
      get withZeros() {
        return of(({ hasMoreZeros }) => hasMoreZeros);
      },
      get oddForm() {
        return of(({ evidence: { missing }, isOddForm }) => missing === 0 && isOddForm);
      },
      get town() {
        return of(({ evidence: { missing, hasTown } }) => missing > 0 && hasTown);
      },
      get code() {
        return of(({ evidence: { missing, hasTown } }) => missing > 0 && !hasTown);
      },
    };
  }

  /** The places of a code whose name, or the name of a unit around them, is the typed one but for one mistake. */
  findMistyped(places: readonly Suggestion[], rest: readonly string[]): Suggestion[] {
    const typed = rest.join(' ');
    if (typed.length < MIN_MISTYPED_LETTERS) return [];
    return places.slice(0, MAX_PLACES).filter(({ country, place }) => {
      const structures = country.structures as CountryStructures;
      return [place, ...listAncestors(structures.tree, place)].some(
        (one) => this.names.work.spend(WORK.text) && isOneEditAway(readFoldedNameField(structures, one), typed),
      );
    });
  }

  /** Whether all words beside a code mean a place. */
  isMeant({ country, place }: Suggestion, rest: readonly string[]): boolean {
    const structures = country.structures as CountryStructures;
    return new LineEvidence(this.names, rest).rate(country, structures, place).missing === 0;
  }

  /**
   * The countries that may have a code. One with a hyphen is of the only country that writes codes so: 00-001 of Poland,
   * 100-0001 of Japan, also without data.
   */
  countriesOf({ typed }: CodeText): readonly Country[] {
    if (this.isOneCountry || !typed.includes('-')) return this.countries;
    const only = countryOfForm(this.snapshot, typed);
    return only === undefined || !this.names.hasCountry(only)
      ? this.countries
      : this.countries.filter((one) => one === only);
  }

  /** The places of a code in a country, without a rest. */
  findAlone(country: Country, code: string): Suggestion[] {
    const places = resolvePostcodeIn(country, code, false, this.names.work)?.match.places ?? new Uint32Array(0);
    return [...places.subarray(0, MAX_PLACES)]
      .filter((place) => isPlace((country.structures as CountryStructures).tree, place))
      .map((place) => ({ country, place }));
  }

  #findPlaces(text: CodeText): Rated[] {
    const { code, form, rest } = text;
    const { work } = this.names;
    const evidence = new LineEvidence(this.names, rest);
    const found: Rated[] = [];
    const countries = this.countriesOf(text);
    const isOneCountry = this.isOneCountry || countries !== this.countries;
    const possible = isOneCountry ? countries : listPostcodeLookupCountries(this.snapshot, countries, code);
    for (const country of countries) {
      const { structures } = country;
      if (structures === undefined) continue;
      if (!isOneCountry && !mayHaveCode(country, structures, code)) continue;
      if (!possible.includes(country)) {
        // As much as a lookup there, so that other countries of a release change no query's budget and answer.
        work.spend(WORK.probe);
        continue;
      }
      const asTyped = resolvePostcodeIn(country, code, !isOneCountry, work);
      if (asTyped === undefined) continue;
      // "EH1 1" is found as EH11, but starts codes in EH1.
      const isOther = !isMeantByStart(country.entry.code, code, asTyped.match.postcode);
      const firstPart = isOther ? typedFirstPart(country.entry.code, code) : undefined;
      const inFirstPart =
        firstPart === undefined ? undefined : resolvePostcodeIn(country, firstPart, !isOneCountry, work);
      const { match, fullCode } = inFirstPart ?? asTyped;
      const hasMoreZeros = rest.length === 0 && hasLostZeros(code, match.postcode);
      const isOddForm =
        !hasLetter(code) && SEPARATED.test(form) && rest.length === 0 && form !== formOf(match.postcode);
      // Separators in other positions are those of another country: 100-0001 is in Japan, not 1000-001 in Portugal.
      if (isOddForm && !isOneCountry && hasSeparator(match.postcode)) continue;
      const { places } = match;
      let unnamed = 0;
      for (const place of places) {
        if (work.isHalfSpent || !work.spend(WORK.text)) return found;
        if (!isPlace(structures.tree, place)) continue;
        if (unnamed === MAX_PLACES && !evidence.isNamed(structures, place)) continue;
        const rating = evidence.rate(country, structures, place);
        if (!rating.isNamed) unnamed++;
        found.push({ country, place, fullCode, evidence: rating, isOddForm, hasMoreZeros });
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
export function listCodesToSearch(codes: readonly CodeText[]): CodeText[] {
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
