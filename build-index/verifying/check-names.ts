/** Checks of the prefix indexes: names, entries, ranks and ready-made bests, and that every place can be found. */
import { foldText } from '../../src/format/fold-text.js';
import { hashBytes } from '../../src/format/hash.js';
import type { NameIndex } from '../../src/format/name-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { wordStarts } from '../structures/name-entries.js';
import { findTopRanks } from '../structures/top-ranks.js';
import type { PlaceFields } from './check-answers.js';
import { expect } from './expect.js';

export function checkCountryNames({ names: index, tree }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `name-index of ${code}`;
  const texts = checkNameIndex(index, where);
  const { names, localNames, postalCodes } = fields;
  const identity = (place: number): string => `${tree.parents[place]}\t${names[place]}\t${localNames[place]}`;
  const suggested = new Set<number>();
  const suggestedLeaves = new Set<string>();
  index.places.forEach((place) => {
    expect(place < tree.placeCount && !suggested.has(place), where, 'each place once', () => place);
    suggested.add(place);
    if (postalCodes[place] !== null) suggestedLeaves.add(identity(place));
  });
  const spellings = index.places as unknown as number[];
  let pairCount = 0;
  for (const place of spellings) pairCount += spellingsOf(fields, place).size;
  expect(index.ranks.length === pairCount, where, `${pairCount} pairs of name and place`, () => index.ranks.length);
  eachPair(index, (name, rank) => {
    const place = index.places[rank] as number;
    expect(
      spellingsOf(fields, place).has(texts[name] as string),
      where,
      `place ${place} to be called so`,
      () => texts[name],
    );
  });
  for (let place = 0; place < tree.placeCount; place++) {
    const canBeFound = suggested.has(place) || (postalCodes[place] !== null && suggestedLeaves.has(identity(place)));
    const hasLetters = spellingsOf(fields, place).size > 0;
    expect(canBeFound || !hasLetters, where, `place ${place} to be found`, () => names[place]);
  }
}

/** `countries` are the prefix indexes of the countries, by country number. */
export function checkWorldNames(index: NameIndex, countries: ReadonlyMap<number, NameIndex>): void {
  const where = 'world-name-index';
  const texts = checkNameIndex(index, where);
  expect(index.countries.length === index.rankCount, where, 'a country for each rank', () => index.countries.length);
  // The same pairs of name and place as in all countries together: compared as sums of hashes, whatever their order.
  let expectedSum = 0;
  let expectedCount = 0;
  for (const [country, names] of countries) {
    const countryTexts = textsOf(names);
    expectedCount += names.ranks.length;
    eachPair(names, (name, rank) => {
      expectedSum = (expectedSum + pairHash(countryTexts[name] as string, country, names.places[rank])) % 2 ** 52;
    });
  }
  let sum = 0;
  eachPair(index, (name, rank) => {
    sum = (sum + pairHash(texts[name] as string, index.countries[rank], index.places[rank])) % 2 ** 52;
  });
  expect(index.ranks.length === expectedCount, where, `${expectedCount} names of places`, () => index.ranks.length);
  expect(sum === expectedSum, where, 'the names of the countries', () => 'others');
}

/** What holds of any prefix index by itself. Its names. */
function checkNameIndex(index: NameIndex, where: string): string[] {
  const texts = textsOf(index);
  let entryCount = 0;
  texts.forEach((text, name) => {
    expect(name === 0 || (texts[name - 1] as string) < text, where, 'names ascending', () => text);
    expect(foldText(text) === text && text !== '', where, 'names in folded form', () => text);
    entryCount += wordStarts(text).length;
  });
  expect(index.entryCount === entryCount, where, `${entryCount} entries`, () => index.entryCount);
  let previous = { text: '', offset: -1, name: -1 };
  for (let entry = 0; entry < entryCount; entry++) {
    const name = index.entryNames[entry] as number;
    const offset = index.entryOffsets[entry] as number;
    const whole = texts[name] ?? '';
    expect(
      offset < whole.length && (offset === 0 || whole[offset - 1] === ' '),
      where,
      'a word',
      () => `${whole} at ${offset}`,
    );
    const text = offset === 0 ? whole : whole.slice(offset);
    const ascends =
      previous.text < text ||
      (previous.text === text && (previous.offset < offset || (previous.offset === offset && previous.name < name)));
    expect(ascends, where, 'entries ascending', () => text);
    previous = { text, offset, name };
  }
  texts.forEach((text, name) => {
    const [from, to] = [index.rankStarts[name] as number, index.rankStarts[name + 1] as number];
    expect(from < to && to <= index.ranks.length, where, `places called ${text}`, () => `${from} to ${to}`);
    for (let at = from; at < to; at++) {
      const rank = index.ranks[at] as number;
      const inOrder = rank < index.rankCount && (at === from || (index.ranks[at - 1] as number) < rank);
      expect(inOrder, where, `ranks of ${text} ascending`, () => rank);
    }
  });
  const tops = findTopRanks({ names: texts, rankStarts: index.rankStarts, ranks: index.ranks, ...entriesOf(index) });
  for (const name of ['topSlots', 'topRanges', 'topRanks'] as const) {
    const isSame = Buffer.compare(asBytes(tops[name]), asBytes(index[name])) === 0;
    expect(isSame, where, `the ${name} that the ranks give`, () => 'others');
  }
  return texts;
}

function entriesOf({ entryNames, entryOffsets }: NameIndex) {
  return { entryNames, entryOffsets };
}

function asBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function textsOf(index: NameIndex): string[] {
  const { buffer, byteOffset, length } = index.nameText;
  const text = Buffer.from(buffer, byteOffset, length).toString('latin1');
  return Array.from({ length: index.nameCount }, (_, name) =>
    text.slice(index.nameOffsets[name], index.nameOffsets[name + 1]),
  );
}

function eachPair(index: NameIndex, visit: (name: number, rank: number) => void): void {
  for (let name = 0; name < index.nameCount; name++) {
    const to = index.rankStarts[name + 1] as number;
    for (let at = index.rankStarts[name] as number; at < to; at++) visit(name, index.ranks[at] as number);
  }
}

function spellingsOf({ names, localNames }: PlaceFields, place: number): Set<string> {
  const spellings = new Set([foldText(names[place] as string), foldText(localNames[place] as string)]);
  spellings.delete('');
  return spellings;
}

function pairHash(name: string, country: number | undefined, place: number | undefined): number {
  return hashBytes(Buffer.from(`${name}\t${country}\t${place}`, 'latin1'));
}
