/**
 * Whether two names of admin units are one name, and which of several names of one unit the country uses. Compared are
 * units of which something else, such as a code, says already that they may be one.
 */
import { foldText } from '../../src/format/fold-text.js';
import { compareCodePoints } from '../tree/name-order.js';

/** Words for the kind of a unit, folded: "Landkreis Böblingen" is Böblingen. Not "rural", "urban": these tell units apart. */
const KIND_WORDS: ReadonlySet<string> = new Set(
  (
    'landkreis kreis stadtkreis kreisfreie stadt landeshauptstadt hansestadt freie und land regierungsbezirk reg bez ' +
    'district county region province kommune tr mun'
  ).split(' '),
);
/** English words for parts of a country and for kinds of units, folded. */
const ENGLISH = new RegExp(
  '\\b(?:north(?:ern)?|south(?:ern)?|east(?:ern)?|west(?:ern)?|central|lower|upper|capital|county|district|province)\\b' +
    '|.\\bregion$',
);
/** Of shorter names one letter is too much of a difference. */
const LEAST_LENGTH = 5;

/** A name without its accents, case and punctuation, in its own script: two names that sound alike stay two. */
export function spellingOf(name: string): string {
  const letters = name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return letters.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();
}

/** Whether the names of two units of one code say the same: in other words for its kind, in two spellings, mistyped. */
export function areAlike(one: string, other: string): boolean {
  const [folded, otherFolded] = [foldText(one), foldText(other)];
  if (folded === '' || otherFolded === '') return false;
  if (folded === otherFolded || listSides(one).includes(otherFolded) || listSides(other).includes(folded)) return true;
  const cores = [coreOf(folded), coreOf(otherFolded)] as const;
  if (cores[0] !== '' && cores[0] === cores[1]) return true;
  return areWordsOneLetterApart(folded, otherFolded) || areWordsOneLetterApart(...cores);
}

/** The sides of a name that has two ("Bolzano - Bozen"), folded. */
function listSides(name: string): string[] {
  return name.split(/ - | \/ /).map(foldText);
}

function coreOf(folded: string): string {
  const words = folded.split(' ');
  return words.filter((word) => !KIND_WORDS.has(word)).join(' ');
}

/** Whether two texts differ in one word alone, and this in one letter behind its first: another, missing or too many. */
function areWordsOneLetterApart(one: string, other: string): boolean {
  const [words, otherWords] = [one.split(' '), other.split(' ')];
  if (words.length !== otherWords.length) return false;
  const differing = words.flatMap((word, index) => (word === otherWords[index] ? [] : [[word, otherWords[index]]]));
  const [pair] = differing;
  return differing.length === 1 && isOneLetterApart(...(pair as [string, string]));
}

/** Digits tell units apart, and so do short words: She and Shu, II and III. */
function isOneLetterApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < LEAST_LENGTH || long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  if (same === 0 || /[0-9]/.test(`${short[same] ?? ''}${long[same] ?? ''}`)) return false;
  return short.slice(long.length === short.length ? same + 1 : same) === long.slice(same + 1);
}

export interface NamedUnit {
  readonly unit: number;
  readonly text: string;
  /** The names from the root down in the release: of two units always two. */
  readonly path: string;
  /** Whether the unit's root keeps its name. */
  readonly isOfStayingRoot: boolean;
  readonly localityCount: number;
  readonly leafCount: number;
}

/**
 * Of units that are one, the unit whose name the country uses: of the spellings of one name the one with its accents, and
 * of the names the first by compareUses. The same whatever the order of `units`.
 */
export function chooseUnit(units: readonly NamedUnit[]): number {
  const spellings = new Map<string, NamedUnit>();
  for (const one of units) {
    const name = foldText(one.text);
    const best = spellings.get(name);
    if (best === undefined || (compareSpellings(one, best) || compareUses(one, best)) < 0) spellings.set(name, one);
  }
  const [first] = [...spellings.values()].sort(compareUses);
  return (first as NamedUnit).unit;
}

function compareSpellings(a: NamedUnit, b: NamedUnit): number {
  const hasNone = ({ localityCount }: NamedUnit): number => (localityCount === 0 ? 1 : 0);
  return hasNone(a) - hasNone(b) || countAccents(b.text) - countAccents(a.text);
}

/**
 * Negative where the country uses the name of `a` rather than that of `b`: the name of units with localities, one without
 * English words, one in a root that keeps its name, the name of more localities, of more leaves, the first by code points.
 */
function compareUses(a: NamedUnit, b: NamedUnit): number {
  const hasNone = ({ localityCount }: NamedUnit): number => (localityCount === 0 ? 1 : 0);
  const isEnglish = ({ text }: NamedUnit): number => (ENGLISH.test(foldText(text)) ? 1 : 0);
  return (
    hasNone(a) - hasNone(b) ||
    isEnglish(a) - isEnglish(b) ||
    Number(b.isOfStayingRoot) - Number(a.isOfStayingRoot) ||
    b.localityCount - a.localityCount ||
    b.leafCount - a.leafCount ||
    compareCodePoints(a.path, b.path)
  );
}

function countAccents(text: string): number {
  return text.normalize('NFD').replace(/\P{M}/gu, '').length;
}
