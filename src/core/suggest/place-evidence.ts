/**
 * The evidence that the words of a line beside a postal code mean a place of that code. A word counts for a place if it
 * is
 *
 *   - a word of the place's name, or at the end of the line the start of one     "10115 berl"
 *   - a word of another spelling of the name, such as one with abbreviations     "87800 st priest ligoure"
 *   - a code or the start of a word of its units or its country                  "95014 ca", "8001 switz"
 *   - part of a name of any place within NEAR_KM, also of another name           "1130 vienna", "80113 denpasar"
 */

import { bytesOf } from '../snapshot/byte-string.js';
import { ranksOfName } from '../snapshot/name-index.js';
import { ContextMatcher, MAX_SINGLE_WORDS } from '../snapshot/place-contexts.js';
import { readNameField, readPointField } from '../snapshot/place-fields.js';
import type { Country, CountryStructures } from '../snapshot/snapshot.js';
import { listSpellings } from '../snapshot/spellings.js';
import { distanceKm, type Position } from '../snapshot/sphere.js';
import { WORK } from '../snapshot/work-budget.js';
import type { NameQuery } from './name-query.js';
import { FIRST_WORDS, LAST_WORDS } from './street-words.js';

/**
 * Maximum distance of a named place from a place of the code, in km: most of a large city lies as near to its centre, and
 * codes of other towns lie farther away.
 */
export const NEAR_KM = 25;
/** Maximum number of words of a name of a place nearby. Longer names are rare. */
const MAX_NAME_WORDS = 4;
/** Maximum number of places of one name in a country that are measured, the most important first. */
const MAX_MEASURED = 12;
/** Maximum number of places of one name that are read to find those of a country. */
const MAX_READ = 512;
/** Minimum length of a word of a unit's name that means the unit beside words without meaning, in letters. */
const MIN_UNIT_LETTERS = 4;
const LEADING_ZERO = /^0(?=\d)/;

export interface Evidence {
  /** The number of words that mean nothing for the place. */
  readonly missing: number;
  /** The number of words that mean the country. */
  readonly inCountry: number;
  /** Whether the words contain the place's name. */
  readonly isNamed: boolean;
  /** Whether some words mean the place, one nearby or a unit, not only the country. */
  readonly hasTown: boolean;
  /** The lowest rank of a place with a typed name, the place itself or one nearby; infinite if there is none. */
  readonly townRank: number;
}

interface Point {
  readonly rank: number;
  readonly latitude: number;
  readonly longitude: number;
}

/** Consecutive words of the line. */
interface Span {
  readonly bits: number;
  readonly text: string;
}

const NO_WORDS: Evidence = {
  missing: 0,
  inCountry: 0,
  isNamed: false,
  hasTown: false,
  townRank: Number.POSITIVE_INFINITY,
};

export class LineEvidence {
  readonly #words: readonly string[];
  readonly #plainWords: readonly string[];
  /** The last word, as the start of a word. */
  readonly #lastStart: string;
  readonly #all: number;
  /** The words that are long enough to mean a unit by themselves. */
  readonly #long: number;
  readonly #context: ContextMatcher | undefined;
  readonly #spans: readonly Span[];
  /** By span, the ranks of the places with that name. */
  readonly #ranks = new Map<Span, Uint32Array>();
  /** By span and country, the points of its places. */
  readonly #points = new Map<string, readonly Point[]>();

  /** `words` are folded. */
  constructor(
    private readonly names: NameQuery,
    words: readonly string[],
  ) {
    this.#words = words.slice(0, MAX_SINGLE_WORDS);
    this.#plainWords = this.#words.map(withoutZero);
    this.#lastStart = ` ${this.#words.at(-1)}`;
    this.#all = (1 << this.#words.length) - 1;
    this.#long = this.#words.reduce((bits, word, at) => (word.length < MIN_UNIT_LETTERS ? bits : bits | (1 << at)), 0);
    this.#context = this.#words.length === 0 ? undefined : new ContextMatcher(this.#words);
    this.#spans = listSpans(this.#words);
  }

  rate(country: Country, structures: CountryStructures, place: number): Evidence {
    if (this.#context === undefined) return NO_WORDS;
    const { work } = this.names;
    const { bits: own, isNamed } = this.#matchName(structures, place);
    const { inContext, inCountry } = this.#context.matchWords(country.number, structures, place, work);
    let found = own | inContext;
    let hasTown = isNamed || (inContext & ~inCountry & this.#long) !== 0;
    let townRank = Number.POSITIVE_INFINITY;
    let from: Position | undefined;
    for (const span of this.#spans) {
      if (found === this.#all && townRank < Number.POSITIVE_INFINITY) break;
      if ((span.bits & ~found) === 0 && townRank < Number.POSITIVE_INFINITY) continue;
      const points = this.#pointsOf(span, country, structures);
      if (points.length === 0 || !work.spend(WORK.text + points.length * WORK.step)) continue;
      from ??= readPointField(structures, place);
      const centre = from;
      // The most important place named by the span near the place.
      const rank = points.find((point) => distanceKm(centre, point) <= NEAR_KM)?.rank;
      if (rank === undefined) continue;
      found |= span.bits;
      hasTown = true;
      townRank = Math.min(townRank, rank);
    }
    return { missing: countBits(this.#all & ~found), inCountry: countBits(inCountry), isNamed, hasTown, townRank };
  }

  /** Whether the words contain the place's name: the part of the evidence that costs least. */
  isNamed(structures: CountryStructures, place: number): boolean {
    return this.#words.length > 0 && this.#matchName(structures, place).isNamed;
  }

  /** The words that are words of the place's name, in any of its spellings: "st priest" for Saint-Priest. */
  #matchName(structures: CountryStructures, place: number): { bits: number; isNamed: boolean } {
    let found = 0;
    for (const spelling of listSpellings(readNameField(structures, place))) {
      const ofName = spelling.split(' ').map(withoutZero);
      let bits = 0;
      let whole = 0;
      for (let at = 0; at < this.#plainWords.length; at++) {
        if (!ofName.includes(this.#plainWords[at] as string)) continue;
        bits |= 1 << at;
        whole++;
      }
      if (` ${spelling}`.includes(this.#lastStart)) bits |= 1 << (this.#words.length - 1);
      if (whole > 0 && whole === ofName.length) return { bits, isNamed: true };
      found |= bits;
    }
    return { bits: found, isNamed: false };
  }

  /** The points of the country's places with the name of a span, the most important first. */
  #pointsOf(span: Span, country: Country, structures: CountryStructures): readonly Point[] {
    const { index, work } = this.names;
    const key = `${country.number} ${span.text}`;
    const known = this.#points.get(key);
    if (known !== undefined) return known;
    const points: Point[] = [];
    this.#points.set(key, points);
    for (const rank of this.#ranksOf(span).subarray(0, MAX_READ)) {
      if (points.length === MAX_MEASURED || !work.spend(WORK.listed)) break;
      if (index.countries.length > 0 && index.countries[rank] !== country.number) continue;
      const place = index.places[rank];
      if (place === undefined || place >= structures.tree.placeCount || !work.spend(WORK.text)) continue;
      points.push({ rank, ...readPointField(structures, place) });
    }
    return points;
  }

  #ranksOf(span: Span): Uint32Array {
    let ranks = this.#ranks.get(span);
    if (ranks === undefined) {
      const name = this.names.findName(bytesOf(span.text));
      ranks = name === undefined ? new Uint32Array(0) : ranksOfName(this.names.index, name);
      this.#ranks.set(span, ranks);
    }
    return ranks;
  }
}

/** A number of a district without its leading zero. */
function withoutZero(word: string): string {
  return word.replace(LEADING_ZERO, '');
}

/** Every run of words that may be a name, the longest first. A single letter is none, and no kind of street: "rue". */
function listSpans(words: readonly string[]): readonly Span[] {
  const spans: Span[] = [];
  for (let count = Math.min(MAX_NAME_WORDS, words.length); count > 0; count--) {
    for (let start = 0; start + count <= words.length; start++) {
      const text = words.slice(start, start + count).join(' ');
      const isKindOfStreet = count === 1 && (FIRST_WORDS.has(text) || LAST_WORDS.has(text));
      if (text.length > 1 && !isKindOfStreet) spans.push({ bits: ((1 << count) - 1) << start, text });
    }
  }
  return spans;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
