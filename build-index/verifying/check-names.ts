/** Checks of the prefix indexes: names, entries, ranks and ready-made bests, and that every place can be found. */
import { foldText, isFolded } from '../../src/format/fold-text.js';
import { hashText } from '../../src/format/hash.js';
import { listNames, type NameIndex } from '../../src/format/name-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { wordStarts } from '../structures/name-entries.js';
import { findTopRanks } from '../structures/top-ranks.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

export function checkCountryNames({ names: index, tree }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `name-index of ${code}`;
  const texts = checkNameIndex(index, where);
  const { names, localNames, postalCodes } = fields;
  const fold = foldOnce();
  const bears = (place: number, text: string): boolean =>
    fold(names[place] as string) === text || fold(localNames[place] as string) === text;

  const suggested = new Uint8Array(tree.placeCount);
  const suggestedLeaves = new Set<string>();
  const identity = (place: number): string => `${tree.parents[place]}\t${names[place]}\t${localNames[place]}`;
  let pairCount = 0;
  index.places.forEach((place) => {
    if (suggested[place] !== 0) fail(where, 'each place once', place);
    suggested[place] = 1;
    if (postalCodes[place] !== null) suggestedLeaves.add(identity(place));
    const spellings = new Set([fold(names[place] as string), fold(localNames[place] as string)]);
    spellings.delete('');
    pairCount += spellings.size;
  });
  if (index.ranks.length !== pairCount) fail(where, `${pairCount} pairs of name and place`, index.ranks.length);
  eachPair(index, (name, rank) => {
    const place = index.places[rank] as number;
    if (!bears(place, texts[name] as string)) fail(where, `place ${place} to be called so`, texts[name]);
  });
  for (let place = 0; place < tree.placeCount; place++) {
    if (suggested[place] === 1) continue;
    // Without letters and digits in any spelling there is nothing to find it by.
    const hasSpelling = fold(names[place] as string) !== '' || fold(localNames[place] as string) !== '';
    const standsForIt = postalCodes[place] !== null && suggestedLeaves.has(identity(place));
    if (hasSpelling && !standsForIt) fail(where, `place ${place} to be found`, names[place]);
  }
}

/** foldText with a memory: names repeat a lot within a country. */
function foldOnce(): (text: string) => string {
  const folded = new Map<string, string>();
  return (text) => {
    let result = folded.get(text);
    if (result === undefined) {
      result = foldText(text);
      folded.set(text, result);
    }
    return result;
  };
}

/** `countries` are the prefix indexes of the countries, by country number. */
export function checkWorldNames(index: NameIndex, countries: ReadonlyMap<number, NameIndex>): void {
  const where = 'world-name-index';
  const texts = checkNameIndex(index, where);
  // The same pairs of name and place as in all countries together: compared as sums of hashes, whatever their order.
  let expectedSum = 0;
  let expectedCount = 0;
  for (const [country, names] of countries) {
    const countryTexts = listNames(names);
    expectedCount += names.ranks.length;
    eachPair(names, (name, rank) => {
      expectedSum = (expectedSum + pairHash(countryTexts[name] as string, country, names.places[rank])) % 2 ** 52;
    });
  }
  let sum = 0;
  eachPair(index, (name, rank) => {
    sum = (sum + pairHash(texts[name] as string, index.countries[rank], index.places[rank])) % 2 ** 52;
  });
  if (index.ranks.length !== expectedCount) fail(where, `${expectedCount} names of places`, index.ranks.length);
  if (sum !== expectedSum) fail(where, 'the names of the countries', 'others');
}

/** What holds of any prefix index by itself. Its names. */
function checkNameIndex(index: NameIndex, where: string): string[] {
  const texts = listNames(index);
  let entryCount = 0;
  texts.forEach((text, name) => {
    if (!(name === 0 || (texts[name - 1] as string) < text)) fail(where, 'names ascending', text);
    if (!isFolded(text)) fail(where, 'names in folded form', text);
    entryCount += wordStarts(text).length;
  });
  if (index.entryCount !== entryCount) fail(where, `${entryCount} entries`, index.entryCount);
  let previous = { text: '', offset: -1, name: -1 };
  for (let entry = 0; entry < entryCount; entry++) {
    const name = index.entryNames[entry] as number;
    const offset = index.entryOffsets[entry] as number;
    const whole = texts[name] ?? '';
    if (!(offset < whole.length && (offset === 0 || whole[offset - 1] === ' ')))
      fail(where, 'a word', `${whole} at ${offset}`);
    const text = offset === 0 ? whole : whole.slice(offset);
    const ascends =
      previous.text < text ||
      (previous.text === text && (previous.offset < offset || (previous.offset === offset && previous.name < name)));
    if (!ascends) fail(where, 'entries ascending', text);
    previous = { text, offset, name };
  }
  texts.forEach((text, name) => {
    const [from, to] = [index.rankStarts[name] as number, index.rankStarts[name + 1] as number];
    if (!(from < to && to <= index.ranks.length)) fail(where, `places called ${text}`, `${from} to ${to}`);
    for (let at = from; at < to; at++) {
      const rank = index.ranks[at] as number;
      const inOrder = rank < index.rankCount && (at === from || (index.ranks[at - 1] as number) < rank);
      if (!inOrder) fail(where, `ranks of ${text} ascending`, rank);
    }
  });
  const tops = findTopRanks({ ...index, names: texts });
  for (const name of ['topSlots', 'topRanges', 'topRanks'] as const) {
    const isSame = Buffer.compare(asBytes(tops[name]), asBytes(index[name])) === 0;
    if (!isSame) fail(where, `the ${name} that the ranks give`, 'others');
  }
  return texts;
}

function asBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function eachPair(index: NameIndex, visit: (name: number, rank: number) => void): void {
  for (let name = 0; name < index.nameCount; name++) {
    const to = index.rankStarts[name + 1] as number;
    for (let at = index.rankStarts[name] as number; at < to; at++) visit(name, index.ranks[at] as number);
  }
}

function pairHash(name: string, country: number | undefined, place: number | undefined): number {
  return hashText(`${name}\t${country}\t${place}`);
}
