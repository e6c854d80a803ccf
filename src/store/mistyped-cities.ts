/**
 * The names of big cities (cityNames in src/format/name-index.ts) that somebody may have meant who made one mistake in
 * the first letters: a letter or space left out, put in or replaced by another, or two neighbours in the wrong order.
 * What is behind these letters is right and says where to look, by binary search. Digits are never edited.
 */
import { LETTERS_OF_HEAD, type NameIndex } from '../format/name-index.js';
import { lowerBound } from './mapped-numbers.js';
import { WORK, type WorkBudget } from './work-budget.js';

/** Shorter texts are another word after such a mistake, and nobody types longer ones. */
const SHORTEST = LETTERS_OF_HEAD + 1;
const LONGEST = 64;

/** What may be meant: a name whose text behind the first letters is `tail`, with first letters that fit. */
interface Reading {
  readonly tail: string;
  fits(head: string): boolean;
}

/** The numbers of the names that are one mistake away from a folded text, and the text itself where it is one. */
export function findMistypedCityNames(index: NameIndex, typed: string, work: WorkBudget): number[] {
  const found: number[] = [];
  if (typed.length < SHORTEST || typed.length > LONGEST || /\d/.test(typed.slice(0, SHORTEST))) return found;
  const { cityNames } = index;
  for (const { tail, fits } of listReadings(typed)) {
    if (!work.spendSearch({ start: 0, end: cityNames.length })) break;
    const bytes = Buffer.from(tail, 'latin1');
    let at = lowerBound(0, cityNames.length, (position) => compareTail(index, position, bytes) < 0);
    for (; at < cityNames.length && work.spend(WORK.comparison) && compareTail(index, at, bytes) === 0; at++) {
      if (fits(headOf(index, at))) found.push(cityNames[at] as number);
    }
  }
  return found;
}

function listReadings(typed: string): Reading[] {
  const swapped = `${typed.slice(0, 2)}${typed[3]}${typed[2]}${typed.slice(4)}`;
  const [head, wider] = [typed.slice(0, LETTERS_OF_HEAD), typed.slice(0, LETTERS_OF_HEAD + 1)];
  const narrower = typed.slice(0, LETTERS_OF_HEAD - 1);
  return [
    { tail: typed.slice(LETTERS_OF_HEAD), fits: (other) => isReplaced(head, other) || isSwapped(head, other) },
    { tail: swapped.slice(LETTERS_OF_HEAD), fits: (other) => other === swapped.slice(0, LETTERS_OF_HEAD) },
    { tail: typed.slice(LETTERS_OF_HEAD - 1), fits: (other) => isLeftOut(other, narrower) },
    { tail: typed.slice(LETTERS_OF_HEAD + 1), fits: (other) => isLeftOut(wider, other) },
  ];
}

function isReplaced(one: string, other: string): boolean {
  let count = 0;
  for (let at = 0; at < LETTERS_OF_HEAD; at++) if (one[at] !== other[at]) count++;
  return count <= 1;
}

function isSwapped([a, b, c]: string, other: string): boolean {
  return other === `${b}${a}${c}` || other === `${a}${c}${b}`;
}

/** Whether `shorter` is `longer` without one of its letters. */
function isLeftOut(longer: string, shorter: string): boolean {
  for (let at = 0; at < longer.length; at++) if (longer.slice(0, at) + longer.slice(at + 1) === shorter) return true;
  return false;
}

/** Negative where the text behind the first letters of a city's name is before `tail`, 0 where it is `tail`. */
function compareTail({ nameText, nameOffsets, cityNames }: NameIndex, at: number, tail: Uint8Array): number {
  const name = cityNames[at] as number;
  const start = (nameOffsets[name] as number) + LETTERS_OF_HEAD;
  const length = (nameOffsets[name + 1] as number) - start;
  const shared = Math.min(length, tail.length);
  for (let position = 0; position < shared; position++) {
    const difference = (nameText[start + position] as number) - (tail[position] as number);
    if (difference !== 0) return difference;
  }
  return length - tail.length;
}

function headOf({ nameText, nameOffsets, cityNames }: NameIndex, at: number): string {
  const start = nameOffsets[cityNames[at] as number] as number;
  return Buffer.from(nameText.subarray(start, start + LETTERS_OF_HEAD)).toString('latin1');
}
