/**
 * Whether two names of admin units are one name, and which of several names of one unit the country uses. Compared are
 * units of which something else, such as a code, says already that they may be one.
 */
import { foldText } from '../../src/format/fold-text.js';

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
  if (listSides(one).some((side) => listSides(other).includes(side))) return true;
  const cores = [coreOf(one), coreOf(other)] as const;
  if (cores[0] !== '' && cores[0] === cores[1]) return true;
  return isOneLetterApart(foldText(one), foldText(other)) || isOneLetterApart(...cores);
}

/** The folded name and, where it has two sides ("Bolzano - Bozen"), each of them. */
function listSides(name: string): string[] {
  return [name, ...name.split(/ - | \/ /)].map(foldText).filter((side) => side !== '');
}

function coreOf(name: string): string {
  const words = foldText(name).split(' ');
  return words.filter((word) => !KIND_WORDS.has(word)).join(' ');
}

/** Whether one letter is another, missing or too many; a digit tells units apart. */
function isOneLetterApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < LEAST_LENGTH || long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same++;
  if (/[0-9 ]/.test(`${short[same] ?? ''}${long[same] ?? ''}`)) return false;
  return short.slice(long.length === short.length ? same + 1 : same) === long.slice(same + 1);
}

export interface NamedUnit {
  readonly text: string;
  /** Whether the unit's root keeps its name. */
  readonly isOfStayingRoot: boolean;
  readonly localityCount: number;
  readonly leafCount: number;
}

/**
 * Negative where the country uses the name `a` rather than `b`: the name of units with localities, one without English
 * words, one in a root whose name the country uses, one with its accents, the name of more localities, of more leaves, the first by code points.
 */
export function compareNames(a: NamedUnit, b: NamedUnit): number {
  const hasNone = ({ localityCount }: NamedUnit): number => (localityCount === 0 ? 1 : 0);
  const isEnglish = ({ text }: NamedUnit): number => (ENGLISH.test(foldText(text)) ? 1 : 0);
  return (
    hasNone(a) - hasNone(b) ||
    isEnglish(a) - isEnglish(b) ||
    Number(b.isOfStayingRoot) - Number(a.isOfStayingRoot) ||
    (foldText(a.text) === foldText(b.text) ? countAccents(b.text) - countAccents(a.text) : 0) ||
    b.localityCount - a.localityCount ||
    b.leafCount - a.leafCount ||
    (a.text < b.text ? -1 : 1)
  );
}

function countAccents(text: string): number {
  return text.normalize('NFD').replace(/\P{M}/gu, '').length;
}
