/**
 * The country that a line names before or after the rest: "75008 Paris, France", "Deutschland 10115 Berlin". Its names
 * are those of the contexts of its places: English, its own languages and its codes of three letters. Codes of two
 * letters are states as well ("CA", "DE", "IN"), so they don't count.
 */
import { bufferOf } from '../../format/array-bundle.js';
import { foldText } from '../../format/fold-text.js';
import { CODE_MARK } from '../../format/place-contexts.js';
import { oncePer } from '../../store/once-per.js';
import type { Country, Snapshot } from '../../store/snapshot.js';

/** Minimum length of a name or code, in letters. */
const MIN_LETTERS = 3;
/** Maximum number of words of a name: "bosnia and herzegovina". */
const MAX_WORDS = 4;

export interface NamedCountry {
  readonly country: Country;
  readonly words: readonly string[];
  /** The words of the line without those of the country: not empty. */
  readonly rest: readonly string[];
}

/** The country named at the end of some folded words, or else, if `isFirst`, at the start; undefined if there is none. */
export function findNamedCountry(
  snapshot: Snapshot,
  words: readonly string[],
  isFirst: boolean,
): NamedCountry | undefined {
  const byName = namesOf(snapshot);
  for (let count = Math.min(MAX_WORDS, words.length - 1); count > 0; count--) {
    const [head, tail] = [words.slice(0, count), words.slice(-count)];
    const atEnd = byName.get(tail.join(' '));
    if (atEnd !== undefined) return { country: atEnd, words: tail, rest: words.slice(0, -count) };
    const atStart = isFirst ? byName.get(head.join(' ')) : undefined;
    if (atStart !== undefined) return { country: atStart, words: head, rest: words.slice(count) };
  }
  return undefined;
}

/** The countries by each of their folded names. */
export const namesOf = oncePer(
  ({ countries }: Snapshot): ReadonlyMap<string, Country> =>
    new Map(countries.flatMap((country) => listNames(country).map((name) => [name, country] as const))),
);

function listNames(country: Country): string[] {
  return listContextLines(country)
    .map((line) => (line.charCodeAt(0) === CODE_MARK ? line.slice(1) : line))
    .filter((name) => name.length >= MIN_LETTERS);
}

/**
 * The folded names of a country, and its codes behind CODE_MARK, from the context of its places; the English name of a
 * country without data.
 */
export function listContextLines({ structures, entry }: Country): string[] {
  if (structures === undefined) return [foldText(entry.name)];
  const { text, textStarts } = structures.contexts;
  return bufferOf(text).toString('latin1', textStarts[0], textStarts[1]).split('\n');
}
