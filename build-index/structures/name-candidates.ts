/**
 * The places of one country that the prefix index can suggest, each with its spellings and with the number of postal
 * codes that makes one place more important than another.
 */
import { foldText, listSpellings, lookalikeGroup } from '../../src/format/fold-text.js';
import { comparePlaceIds } from '../../src/format/place-id.js';
import { isLeafType } from '../../src/format/place-levels.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { compareCodePoints } from '../tree/name-order.js';
import type { CityPlaces } from './importance.js';
import type { Suggestable } from './suggestable.js';

/** A place that can be suggested. */
export interface Candidate {
  readonly place: number;
  readonly importance: number;
  /** The numbers of the spellings by which the place is found: first the folded name that decides the order. */
  readonly spellings: readonly number[];
  /** The numbers of the spellings of its other names. */
  readonly otherSpellings: readonly number[];
  /** The leaves that a leaf stands for. */
  readonly leaves?: readonly number[];
}

/** The spellings of the names of a country. */
interface Spellings {
  /** Distinct spellings, ascending. */
  readonly names: readonly string[];
  /** The numbers of a name's spellings, the folded form first; none for a name without letters and digits. */
  numbersOf(name: string): readonly number[];
}

export function spellNames(tree: CountryTree, cities: CityPlaces, isSuggestable: Suggestable): Spellings {
  const textsByName = new Map<string, readonly string[]>();
  const add = (name: string): void => {
    if (!textsByName.has(name)) textsByName.set(name, listSpellings(name));
  };
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    add(tree.names[place] as string);
    add(tree.localNames[place] as string);
  }
  for (const names of tree.mergedNames.values()) names.forEach(add);
  for (const { mainNames, otherNames } of cities.byPlace.values()) {
    for (const name of [...mainNames, ...otherNames])
      if (!textsByName.has(name)) textsByName.set(name, listFolded(name));
  }
  const names = [...new Set([...textsByName.values()].flat())].sort();
  const numbers = new Map(names.map((name, number) => [name, number]));
  const numbersByName = new Map<string, readonly number[]>();
  for (const [name, texts] of textsByName) {
    numbersByName.set(
      name,
      texts.map((text) => numbers.get(text) as number),
    );
  }
  return { names, numbersOf: (name) => numbersByName.get(name) as readonly number[] };
}

/** The folded form of another name; none of a name without letters and digits. */
function listFolded(name: string): readonly string[] {
  const folded = foldText(name);
  return folded === '' ? [] : [folded];
}

/** Leaves under one parent that look alike in a list, see lookalikeGroup. */
interface LeafGroup {
  /** The leaf with the lowest code, then id. */
  place: number;
  readonly codes: Set<string>;
  readonly places: number[];
  /** The spellings of all leaves of the group: the folded name first. */
  readonly spellings: Set<number>;
}

/**
 * The places that can be suggested: every admin unit, and of the leaves under one parent that look alike in a list the
 * leaf with the lowest code, which is found by the spellings of all of these leaves. A place without letters and digits
 * in any spelling cannot be suggested.
 */
export function findCandidates(
  tree: CountryTree,
  spellings: Spellings,
  cities: CityPlaces,
  isSuggestable: Suggestable,
): Candidate[] {
  const unitImportances = countPostcodes(tree);
  const candidates: Candidate[] = [];
  const groups = new Map<string, LeafGroup>();
  for (let place = 0; place < tree.placeCount; place++) {
    if (!isSuggestable(place)) continue;
    const [name, localName] = [tree.names[place] as string, tree.localNames[place] as string];
    const own = spellings.numbersOf(name);
    const numbers = name === localName ? own : [...new Set([...own, ...spellings.numbersOf(localName)])];
    if (numbers.length === 0) continue;
    if (isLeafType(tree.types[place])) addToGroup(tree, groups, place, numbers);
    else
      candidates.push({
        place,
        importance: unitImportances[place] as number,
        spellings: numbers,
        otherSpellings: [
          ...new Set((tree.mergedNames.get(place) ?? []).flatMap((merged) => spellings.numbersOf(merged))),
        ],
      });
  }
  for (const { place, codes, spellings: numbers, places } of groups.values()) {
    candidates.push({ place, importance: codes.size, spellings: [...numbers], otherSpellings: [], leaves: places });
  }
  return candidates.map((candidate) => addCity(candidate, spellings, cities));
}

/**
 * A candidate that is a city has the importance of the city, and is found by all its names. Leaves that look alike may be
 * several cities: the most important one stands for them.
 */
function addCity(candidate: Candidate, spellings: Spellings, cities: CityPlaces): Candidate {
  const found = [candidate.place, ...(candidate.leaves ?? []).filter((leaf) => leaf !== candidate.place)]
    .flatMap((place) => {
      const city = cities.byPlace.get(place);
      return city === undefined ? [] : [{ place, ...city }];
    })
    .sort((a, b) => b.importance - a.importance);
  const [main] = found;
  if (main === undefined) return candidate;
  const numbersOf = (names: readonly string[]) => names.flatMap((name) => spellings.numbersOf(name));
  return {
    ...candidate,
    place: main.place,
    importance: main.importance,
    spellings: [...new Set([...candidate.spellings, ...found.flatMap(({ mainNames }) => numbersOf(mainNames))])],
    otherSpellings: [
      ...new Set([...candidate.otherSpellings, ...found.flatMap(({ otherNames }) => numbersOf(otherNames))]),
    ],
  };
}

function addToGroup(
  tree: CountryTree,
  groups: Map<string, LeafGroup>,
  place: number,
  spellings: readonly number[],
): void {
  const code = tree.postalCodes[place] as string;
  const key = lookalikeGroup(
    tree.parents[place] as number,
    tree.names[place] as string,
    tree.localNames[place] as string,
  );
  const group = groups.get(key);
  if (group === undefined) {
    groups.set(key, { place, codes: new Set([code]), places: [place], spellings: new Set(spellings) });
    return;
  }
  group.codes.add(code);
  group.places.push(place);
  for (const spelling of spellings) group.spellings.add(spelling);
  const order = compareCodePoints(code, tree.postalCodes[group.place] as string);
  if (order < 0 || (order === 0 && comparePlaceIds(tree.ids, place, group.place) < 0)) group.place = place;
}

/** By place, the number of distinct postal codes below it; 0 for leaves. */
function countPostcodes(tree: CountryTree): Uint32Array {
  const counts = new Uint32Array(tree.placeCount);
  const lastCode: (string | null)[] = new Array(tree.placeCount).fill(null);
  const leaves = [];
  for (let place = 0; place < tree.placeCount; place++) if (isLeafType(tree.types[place])) leaves.push(place);
  const codeOf = (place: number): string => tree.postalCodes[place] as string;
  leaves.sort((a, b) => compareCodePoints(codeOf(a), codeOf(b)));
  for (const leaf of leaves) {
    for (let at = tree.parents[leaf] as number; at !== NO_PARENT; at = tree.parents[at] as number) {
      // The ancestors of a unit that has counted this code have counted the code too.
      if (lastCode[at] === codeOf(leaf)) break;
      lastCode[at] = codeOf(leaf);
      counts[at] = (counts[at] as number) + 1;
    }
  }
  return counts;
}
