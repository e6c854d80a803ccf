/**
 * Decides whether two names of admin units are the same name, and which name of a unit the country uses. Callers
 * compare only units that may be duplicates by another field, such as a code.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { areWordsOneLetterApart } from '../naming/one-letter-apart.js';
import { compareCodePoints } from '../ordering/name-order.js';

/** Folded words for the kind of a unit: "Landkreis Böblingen" is Böblingen. "rural" and "urban" distinguish units. */
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
/**
 * A name without accents, case and punctuation, in its own script, so that a transliteration never makes names equal.
 */
export function unitNameMatchKey(name: string): string {
  const letters = name
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
  return letters.replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();
}

/**
 * Whether two units' names are the same name: with other words for the kind, in two spellings, or with a typing error.
 */
export function isSameUnitName(one: string, other: string): boolean {
  const [folded, otherFolded] = [foldText(one), foldText(other)];
  if (folded === '' || otherFolded === '') return false;
  if (folded === otherFolded || listSides(one).includes(otherFolded) || listSides(other).includes(folded)) return true;
  const cores = [coreOf(folded), coreOf(otherFolded)] as const;
  if (cores[0] !== '' && cores[0] === cores[1]) return true;
  return areWordsOneLetterApart(folded, otherFolded) || areWordsOneLetterApart(...cores);
}

/** The folded sides of a bilingual name ("Bolzano - Bozen"). */
function listSides(name: string): string[] {
  return name.split(/ - | \/ /).map(foldText);
}

function coreOf(folded: string): string {
  const words = folded.split(' ');
  return words.filter((word) => !KIND_WORDS.has(word)).join(' ');
}

export interface NamedUnit {
  readonly unit: number;
  readonly text: string;
  /** The names from the root down in the release: unique to the unit. */
  readonly path: string;
  /** Whether the unit's root was not merged into another. */
  readonly hasKeptRoot: boolean;
  readonly localityCount: number;
  readonly leafCount: number;
}

/**
 * The unit whose name the country uses, among duplicates: of the spellings of a name the most accented, of the names
 * the first by compareUses. Independent of the order of `units`.
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
 * Negative if the country uses the name of `a` rather than of `b`. Preferred, in this order: units with localities,
 * names without English words, units in a root that keeps its name, more localities, more leaves, the lower path.
 */
function compareUses(a: NamedUnit, b: NamedUnit): number {
  const hasNone = ({ localityCount }: NamedUnit): number => (localityCount === 0 ? 1 : 0);
  const isEnglish = ({ text }: NamedUnit): number => (ENGLISH.test(foldText(text)) ? 1 : 0);
  return (
    hasNone(a) - hasNone(b) ||
    isEnglish(a) - isEnglish(b) ||
    Number(b.hasKeptRoot) - Number(a.hasKeptRoot) ||
    b.localityCount - a.localityCount ||
    b.leafCount - a.leafCount ||
    compareCodePoints(a.path, b.path)
  );
}

function countAccents(text: string): number {
  return text.normalize('NFD').replace(/\P{M}/gu, '').length;
}
