/** Checks of the prefix indexes: names, entries, ranks and ready-made best ranks, and that every place can be found. */
import { isFolded, listSpellings, lookalikeGroup } from '../../src/format/fold-text.js';
import { hashText } from '../../src/format/hash.js';
import { isOtherAt, listNames, type NameIndex, rankAt } from '../../src/format/name-index.js';
import type { PlaceTree } from '../../src/format/place-tree.js';
import { listAncestors } from '../../src/store/place-tree.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { sortCityNames } from '../structures/city-names.js';
import { wordStarts } from '../structures/name-entries.js';
import { findEntryRanks, findHeads } from '../structures/name-shortcuts.js';
import { findSuggestable } from '../structures/suggestable.js';
import { findTopRanks } from '../structures/top-ranks.js';
import type { PlaceFields } from './check-answers.js';
import { fail } from './fail.js';

/** What the names, entries and ranks give; what is given by another of these comes behind it. */
const DERIVED = [
  ...(['entryRanks', 'topSlots', 'topRanges', 'topRanks'] as const),
  ...(['cityNames', 'nameHeads', 'entryHeads', 'cityHeads'] as const),
];

export function checkCountryNames({ names: index, tree }: CountryStructures, fields: PlaceFields, code: string): void {
  const where = `name-index of ${code}`;
  const texts = checkNameIndex(index, where);
  const { names, localNames, postalCodes } = fields;
  const spell = spellOnce();
  const spellingsOf = (place: number): readonly string[] => {
    const [name, localName] = [names[place] as string, localNames[place] as string];
    return name === localName ? spell(name) : [...new Set([...spell(name), ...spell(localName)])];
  };

  // Leaves under one parent that look alike are one group, which has the spellings of all of them; a unit is a group.
  const groups = names.map((name, place) => {
    if (postalCodes[place] === null) return String(place);
    return lookalikeGroup(tree.parents[place] as number, name, localNames[place] as string);
  });
  const groupOf = (place: number): string => groups[place] as string;
  const isSuggestable = findSuggestable({ ...fields, isRecipient: (place) => fields.types[place] === 'recipient' });
  const expected = new Map<string, Set<string>>();
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const spellings = spellingsOf(place);
    // A place without letters and digits in any spelling cannot be found.
    if (spellings.length === 0) continue;
    const group = groupOf(place);
    expected.set(group, new Set([...(expected.get(group) ?? []), ...spellings]));
  }
  const missing = new Set(expected.keys());
  index.places.forEach((place) => {
    if (!missing.delete(groupOf(place))) fail(where, 'each place once, and one of leaves of one name', place);
  });
  if (missing.size > 0) fail(where, 'every place to be found', [...missing][0]);
  // The place that stands for its namesakes is found by their spellings, too.
  const standsFor = checkNamesakes(index, tree, (place) => spellingsOf(place)[0], where);
  for (const [namesake, first] of standsFor) {
    for (const spelling of expected.get(groupOf(namesake)) ?? []) expected.get(groupOf(first))?.add(spelling);
  }
  const pairCount = index.places.reduce((sum, place) => sum + (expected.get(groupOf(place))?.size ?? 0), 0);
  const [[, cityEnd = 0], [firstNamesake = 0]] = [index.cityEnds, index.firstNamesake];
  let ownPairCount = 0;
  eachPair(index, (name, rank, isOther) => {
    const place = index.places[rank] as number;
    const isOwn = expected.get(groupOf(place))?.has(texts[name] as string) === true;
    if (isOwn && isOther) fail(where, `${texts[name]} to be a name of place ${place} itself`, 'another name');
    if (isOwn) ownPairCount++;
    // What else a city is called is in no place's answer, nor are the names of units that are one with another unit. A
    // city may be a namesake of another one.
    else if (rank >= cityEnd && rank < firstNamesake && !(isOther && postalCodes[place] === null))
      fail(where, `place ${place} to be called so`, texts[name]);
  });
  if (ownPairCount !== pairCount) fail(where, `${pairCount} pairs of a place and its own name`, ownPairCount);
}

/** Remembers the result of listSpellings for each name: names repeat a lot within a country. */
function spellOnce(): (name: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (name) => {
    let spellings = known.get(name);
    if (spellings === undefined) {
      spellings = listSpellings(name);
      known.set(name, spellings);
    }
    return spellings;
  };
}

/**
 * Of places of one name that lie in each other, or beside each other, all but the place of the lowest rank must be
 * namesakes. (Places that are one city are namesakes too, and no answer says which these are.) Returns, by namesake, the
 * place that stands for it.
 */
function checkNamesakes(
  { places, firstNamesake }: NameIndex,
  tree: PlaceTree,
  nameOf: (place: number) => string | undefined,
  where: string,
): Map<number, number> {
  const rankOf = new Map(Array.from(places, (place, rank) => [place, rank]));
  const [first = 0] = firstNamesake;
  const groupOf = (place: number): string => {
    const ancestor = listAncestors(tree, place).find((unit) => rankOf.has(unit) && nameOf(unit) === nameOf(place));
    return `${tree.parents[ancestor ?? place]}\t${nameOf(place)}`;
  };
  const firstRanks = new Map<string, number>();
  const standsFor = new Map<number, number>();
  places.forEach((place, rank) => {
    const group = groupOf(place);
    if (!firstRanks.has(group)) firstRanks.set(group, rank);
    const firstRank = firstRanks.get(group) as number;
    const isNamesake = firstRank !== rank;
    if (isNamesake) standsFor.set(place, places[firstRank] as number);
    if (isNamesake && rank < first) fail(where, `namesakes from rank ${first} on`, `place ${place} of rank ${rank}`);
  });
  if (first > firstRanks.size) fail(where, `namesakes from rank ${firstRanks.size} on`, first);
  return standsFor;
}

/** `countries` are the prefix indexes of the countries, by country number. */
export function checkWorldNames(index: NameIndex, countries: ReadonlyMap<number, NameIndex>): void {
  const where = 'world-name-index';
  const texts = checkNameIndex(index, where);
  // The pairs of name and place must be the pairs of all countries together: sums of hashes are compared, in any order.
  let expectedSum = 0;
  let expectedCount = 0;
  for (const [country, names] of countries) {
    const countryTexts = listNames(names);
    expectedCount += names.ranks.length;
    eachPair(names, (name, rank, isOther) => {
      expectedSum = (expectedSum + pairHash(`${countryTexts[name]}${isOther}`, country, names.places[rank])) % 2 ** 52;
    });
  }
  let sum = 0;
  eachPair(index, (name, rank, isOther) => {
    sum = (sum + pairHash(`${texts[name]}${isOther}`, index.countries[rank], index.places[rank])) % 2 ** 52;
  });
  if (index.ranks.length !== expectedCount) fail(where, `${expectedCount} names of places`, index.ranks.length);
  checkWorldNamesakes(index, countries, where);
  checkWorldCities(index, countries, where);
  if (sum !== expectedSum) fail(where, 'the names of the countries', 'others');
}

/** The namesakes of the world must be the namesakes of all countries together: sums of hashes are compared. */
function checkWorldNamesakes(world: NameIndex, countries: ReadonlyMap<number, NameIndex>, where: string): void {
  const sumUp = (index: NameIndex, countryAt: (rank: number) => number | undefined): number => {
    let sum = 0;
    for (let rank = index.firstNamesake[0] as number; rank < index.rankCount; rank++) {
      sum = (sum + pairHash('', countryAt(rank), index.places[rank])) % 2 ** 52;
    }
    return sum;
  };
  let [expectedCount, expectedSum] = [0, 0];
  for (const [country, index] of countries) {
    expectedCount += index.rankCount - (index.firstNamesake[0] as number);
    expectedSum = (expectedSum + sumUp(index, () => country)) % 2 ** 52;
  }
  const [first] = world.firstNamesake;
  if (world.rankCount - (first as number) !== expectedCount) fail(where, `${expectedCount} namesakes`, first);
  if (sumUp(world, (rank) => world.countries[rank]) !== expectedSum)
    fail(where, 'the namesakes of the countries', 'others');
}

/** The world has the cities, and the big cities, of all countries together. */
function checkWorldCities(world: NameIndex, countries: ReadonlyMap<number, NameIndex>, where: string): void {
  world.cityEnds.forEach((end, which) => {
    const expected = [...countries.values()].reduce((sum, { cityEnds }) => sum + (cityEnds[which] as number), 0);
    if (end !== expected) fail(where, `${expected} as end ${which} of the cities`, end);
  });
}

/** Checks what holds of every prefix index by itself. Returns the names of the index. */
function checkNameIndex(index: NameIndex, where: string): string[] {
  const texts = listNames(index);
  let entryCount = 0;
  texts.forEach((text, name) => {
    if (!(name === 0 || (texts[name - 1] as string) < text)) fail(where, 'names ascending', text);
    if (!isFolded(text)) fail(where, 'names in folded form', text);
    entryCount += wordStarts(text).length;
  });
  const [bigEnd = 0, cityEnd = 0] = index.cityEnds;
  const firstNamesake = index.firstNamesake[0] as number;
  const isAscending = bigEnd <= cityEnd && cityEnd <= firstNamesake;
  if (!isAscending) fail(where, `cities before rank ${firstNamesake}`, `ends at ${bigEnd} and ${cityEnd}`);
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
      const inOrder =
        rankAt(index, at) < index.rankCount &&
        (at === from || (index.ranks[at - 1] as number) < (index.ranks[at] as number));
      if (!inOrder) fail(where, `ranks of ${text} ascending`, rankAt(index, at));
    }
  });
  const named = { ...index, names: texts };
  const derived = {
    entryRanks: findEntryRanks(index),
    ...findTopRanks(named),
    cityNames: sortCityNames(named),
    ...findHeads(named),
  };
  for (const name of DERIVED) {
    const isSame = Buffer.compare(asBytes(derived[name]), asBytes(index[name])) === 0;
    if (!isSame) fail(where, `the ${name} that the ranks give`, 'others');
  }
  return texts;
}

function asBytes({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function eachPair(index: NameIndex, visit: (name: number, rank: number, isOther: boolean) => void): void {
  for (let name = 0; name < index.nameCount; name++) {
    const to = index.rankStarts[name + 1] as number;
    for (let at = index.rankStarts[name] as number; at < to; at++) visit(name, rankAt(index, at), isOtherAt(index, at));
  }
}

function pairHash(name: string, country: number | undefined, place: number | undefined): number {
  return hashText(`${name}\t${country}\t${place}`);
}
