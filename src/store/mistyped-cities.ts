/**
 * Corrects one mistake among the first three letters of the names of big cities (cityNames in
 * src/format/name-index.ts): a character missing, added or replaced, or two neighbours swapped. The text after these
 * letters is taken as correct, and a binary search finds the names with that text. Digits are never corrected: another
 * number is another place.
 */
import { CITY_SAMPLE_STEP, LEADING_LETTERS, type NameIndex } from '../format/name-index.js';
import { isDigit } from './edit-distance.js';
import { compareName } from './name-index.js';
import { hasPrefixOf, lowerBoundByPrefix } from './sampled-prefixes.js';
import { WORK, type WorkBudget } from './work-budget.js';

/** Minimum length of a text in bytes. One mistake turns a shorter text into an unrelated word. */
const MIN_LENGTH = LEADING_LETTERS + 2;
/** Maximum length of a text in bytes: longer than the name of any city. */
const MAX_LENGTH = 64;

/** A kind of mistake: the text after a name's first three letters, and a test of these three letters. */
interface MistakeKind {
  readonly tail: Uint8Array;
  fits(one: number, two: number, three: number): boolean;
}

/** The numbers of the names that differ from a folded text by at most one mistake. */
export function findMistypedCityNames(index: NameIndex, typed: Uint8Array, work: WorkBudget): number[] {
  const found: number[] = [];
  const hasRightLength = typed.length >= MIN_LENGTH && typed.length <= MAX_LENGTH;
  if (!hasRightLength || typed.subarray(0, MIN_LENGTH).some(isDigit)) return found;
  const { cityNames, nameOffsets, nameText } = index;
  const count = cityNames.length;
  const sampled = { prefixes: index.cityPrefixes, step: CITY_SAMPLE_STEP, count };
  for (const { tail, fits } of listMistakeKinds(typed)) {
    if (!work.spendSearch({ start: 0, end: count })) break;
    const compareTail = (at: number): number => compareName(index, cityNames[at] as number, tail, LEADING_LETTERS);
    const start = lowerBoundByPrefix(sampled, tail, (at) => compareTail(at) < 0);
    const isTail = (at: number): boolean => hasPrefixOf(sampled, at, tail) && compareTail(at) === 0;
    // Usually no name matches. A binary search for the end would double the cost.
    for (let at = start; at < count && isTail(at) && work.spend(WORK.word); at++) {
      const name = cityNames[at] as number;
      const offset = nameOffsets[name] as number;
      const isMatch = fits(nameText[offset] as number, nameText[offset + 1] as number, nameText[offset + 2] as number);
      if (isMatch) found.push(name);
    }
  }
  return found;
}

function listMistakeKinds(typed: Uint8Array): MistakeKind[] {
  const [a, b, c, d] = typed as unknown as readonly [number, number, number, number];
  return [
    // One of the first three letters is wrong, or two of them are swapped.
    // One of the first three letters is wrong, or two of them are swapped.
    {
      tail: typed.subarray(3),
      fits: (x, y, z) =>
        Number(x !== a) + Number(y !== b) + Number(z !== c) <= 1 ||
        (x === b && y === a && z === c) ||
        (x === a && y === c && z === b),
    },
    // The third and the fourth letter are swapped.
    { tail: Uint8Array.of(c, ...typed.subarray(4)), fits: (x, y, z) => x === a && y === b && z === d },
    // A letter is missing.
    {
      tail: typed.subarray(2),
      fits: (x, y, z) => (x === a && y === b) || (x === a && z === b) || (y === a && z === b),
    },
    // There is a letter too many.
    {
      tail: typed.subarray(4),
      fits: (x, y, z) =>
        (x === b && y === c && z === d) || (x === a && ((y === c && z === d) || (y === b && (z === d || z === c)))),
    },
  ];
}
