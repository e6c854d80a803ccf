/**
 * The names of big cities (cityNames in src/format/name-index.ts) that somebody may have meant who made one mistake in
 * the first letters: a letter or space left out, put in or replaced by another, or two neighbours in the wrong order.
 * What is behind these letters is right and says where to look, by binary search. Digits are never edited.
 */
import { CITY_HEAD_STEP, LETTERS_OF_HEAD, type NameIndex } from '../format/name-index.js';
import { compareName } from './name-index.js';
import { isHeadOf, lowerBoundByHeads } from './text-heads.js';
import { WORK, type WorkBudget } from './work-budget.js';

/** Shorter texts are another word after such a mistake, and nobody types longer ones. */
const SHORTEST = LETTERS_OF_HEAD + 1;
const LONGEST = 64;
const [ZERO, NINE] = [0x30, 0x39];

/** A way to take what was typed: what stands behind a name's first letters, and whether its first letters fit. */
interface Reading {
  readonly tail: Uint8Array;
  fits(one: number, two: number, three: number): boolean;
}

/** The numbers of the names that are one mistake away from a folded text, or are the text. */
export function findMistypedCityNames(index: NameIndex, typed: Uint8Array, work: WorkBudget): number[] {
  const found: number[] = [];
  if (typed.length < SHORTEST || typed.length > LONGEST || typed.subarray(0, SHORTEST).some(isDigit)) return found;
  const { cityNames, nameOffsets, nameText } = index;
  const count = cityNames.length;
  const heads = { heads: index.cityHeads, step: CITY_HEAD_STEP, count };
  for (const { tail, fits } of listReadings(typed)) {
    if (!work.spendSearch({ start: 0, end: count })) break;
    const compareTail = (at: number): number => compareName(index, cityNames[at] as number, tail, LETTERS_OF_HEAD);
    const start = lowerBoundByHeads(heads, tail, (at) => compareTail(at) < 0);
    const isTail = (at: number): boolean => isHeadOf(heads, at, tail) && compareTail(at) === 0;
    // There is mostly none: a search for the end would cost as much as that for the start.
    for (let at = start; at < count && isTail(at) && work.spend(WORK.word); at++) {
      const name = cityNames[at] as number;
      const head = nameOffsets[name] as number;
      const isMeant = fits(nameText[head] as number, nameText[head + 1] as number, nameText[head + 2] as number);
      if (isMeant) found.push(name);
    }
  }
  return found;
}

function listReadings(typed: Uint8Array): Reading[] {
  const [a, b, c, d] = typed as unknown as readonly [number, number, number, number];
  return [
    {
      tail: typed.subarray(3),
      fits: (x, y, z) =>
        Number(x !== a) + Number(y !== b) + Number(z !== c) <= 1 ||
        (x === b && y === a && z === c) ||
        (x === a && y === c && z === b),
    },
    // The third letter and the one behind it, in the wrong order.
    { tail: Uint8Array.of(c, ...typed.subarray(4)), fits: (x, y, z) => x === a && y === b && z === d },
    // A letter was left out.
    {
      tail: typed.subarray(2),
      fits: (x, y, z) => (x === a && y === b) || (x === a && z === b) || (y === a && z === b),
    },
    // A letter was put in.
    {
      tail: typed.subarray(4),
      fits: (x, y, z) =>
        (x === b && y === c && z === d) || (x === a && ((y === c && z === d) || (y === b && (z === d || z === c)))),
    },
  ];
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}
