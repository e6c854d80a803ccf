/**
 * Corrects the places of a release before the tree is built: merges duplicate units, marks rows that are not
 * localities, corrects names, and replaces or marks impossible coordinates. Places keep the ids of the release; the tally records every
 * change.
 */

import { foldText } from '../../src/core/snapshot/fold-text.js';
import { copyId, createIds } from '../../src/core/snapshot/place-id.js';
import { isLeafType, RECIPIENT_TYPE } from '../../src/core/snapshot/place-type.js';
import { type CorrectedText, createTextCorrector } from '../naming/corrected-text.js';
import { unitNamesOf } from '../reading/country-facts.js';
import { memoize } from '../reading/grouping.js';
import { EXAMPLES_PER_KIND } from '../reading/row.js';
import { type CollectedPlaces, identifyPlaces, isPlainLeafId, NO_UNIT, type TreePlaces } from '../tree/collecting.js';
import { findUnitMerges } from './merge-units.js';
import { correctPositions } from './positions.js';
import { findRecipients } from './recipients.js';

/* Counts the changes of cleaning, by kind and country, with the first examples. */

/** Maximum number of examples from one country, so that no country fills the list. */
const EXAMPLES_PER_COUNTRY = 3;

interface Change {
  readonly countByCountry: Map<string, number>;
  readonly examples: string[];
}

/** By kind of change, in the order in which the kinds occurred. */
export type CleaningTally = Map<string, Change>;

export function createCleaningTally(): CleaningTally {
  return new Map();
}

/** Calls `example` only if the list of examples is not full. */
export function noteChange(tally: CleaningTally, kind: string, countryCode: string, example: () => string): void {
  const { countByCountry, examples } = changeOf(tally, kind);
  countByCountry.set(countryCode, (countByCountry.get(countryCode) ?? 0) + 1);
  if (examples.length < EXAMPLES_PER_KIND) examples.push(example());
}

/** Adds the changes of a country, which must not be in `total` yet. */
export function addCleaningTally(total: CleaningTally, ofCountry: CleaningTally): void {
  for (const [kind, { countByCountry, examples }] of ofCountry) {
    const change = changeOf(total, kind);
    for (const [code, count] of countByCountry) change.countByCountry.set(code, count);
    const room = Math.min(EXAMPLES_PER_COUNTRY, EXAMPLES_PER_KIND - change.examples.length);
    change.examples.push(...examples.slice(0, room));
  }
}

function changeOf(tally: CleaningTally, kind: string): Change {
  let change = tally.get(kind);
  if (change === undefined) {
    change = { countByCountry: new Map(), examples: [] };
    tally.set(kind, change);
  }
  return change;
}

/*
 * Corrects the names of collected places, after their ids, which use the released names, are written:
 *
 *   text          by the rules of naming/corrected-text.ts                         Queen'S Road → Queen's Road
 *   units         a leaf of CN without the names of its units                      Bole, Xinjiang → Bole
 *   own language  units by the table of reading/merge-units.ts                      Mazovia → Mazowieckie
 *
 * A unit keeps its released name as another name. Each distinct name is corrected once.
 */

type NamedPlaces = Pick<TreePlaces, 'texts' | 'types' | 'parents'>;

/** Changes `texts`. Returns the released names of units with another name now, by unit. */
export function correctNames(places: NamedPlaces, countryCode: string, tally: CleaningTally): Map<number, string> {
  const { texts, types } = places;
  const correctText = memoize(createTextCorrector(countryCode));
  const unitNames = unitNamesOf(countryCode);
  const nameOfUnit = memoize((columnAndText: string) =>
    unitNames.nameOf(Number(columnAndText.charAt(0)), columnAndText.slice(1)),
  );
  const correct = (place: number, released: string): CorrectedText => {
    const type = types[place] as number;
    if (isLeafType(type)) {
      const town = countryCode === 'CN' ? withoutUnits(places, place) : released;
      if (town !== released) return { text: town, kinds: ['name: without the names of its units'] };
      return correctText(released);
    }
    const own = nameOfUnit(`${type}${released}`);
    return own === undefined ? correctText(released) : { text: own, kinds: ["unit: the country's own name"] };
  };
  const releasedNames = new Map<number, string>();
  // From the last place to the first: the units of a leaf still have their released names.
  for (let place = texts.length - 1; place >= 0; place--) {
    const released = texts[place] as string;
    const { text, kinds } = correct(place, released);
    if (text === released) continue;
    for (const kind of kinds) noteChange(tally, kind, countryCode, () => `${countryCode} ${released} → ${text}`);
    if (!isLeafType(types[place]) && foldText(text) !== foldText(released)) releasedNames.set(place, released);
    texts[place] = text;
  }
  return releasedNames;
}

/** The name of a leaf up to its first comma, if each part behind is the start of the name of one of its units. */
function withoutUnits({ texts, parents }: NamedPlaces, leaf: number): string {
  const name = texts[leaf] as string;
  const [town, ...others] = name.split(', ');
  if (town === undefined || others.length === 0) return name;
  const units: string[] = [];
  for (let at = parents[leaf] as number; at !== NO_UNIT; at = parents[at] as number) {
    units.push(`${foldText(texts[at] as string)} `);
  }
  return others.every((part) => units.some((unit) => unit.startsWith(`${foldText(part)} `))) ? town : name;
}

/** Takes ownership of `collected`: changes its arrays or returns them as part of the result. */
export function cleanPlaces(
  collected: CollectedPlaces,
  countryCode: string,
): { readonly places: TreePlaces; readonly tally: CleaningTally } {
  const tally = createCleaningTally();
  const ids = identifyPlaces(collected, countryCode);
  for (const [leaf, rule] of findRecipients(collected, countryCode)) {
    collected.types[leaf] = RECIPIENT_TYPE;
    noteChange(tally, `recipient: ${rule}`, countryCode, () => describeLeaf(collected, countryCode, leaf));
  }
  const merged = mergeUnits({ ...collected, ids, mergedNames: new Map() }, countryCode, tally);
  const mergedNames = new Map(merged.mergedNames);
  for (const [unit, released] of correctNames(merged, countryCode, tally)) {
    mergedNames.set(unit, [...(mergedNames.get(unit) ?? []), released]);
  }
  const { latitudes, longitudes } = merged;
  const corrected = correctPositions(merged);
  for (const { leaf, change, km } of corrected.changes) {
    noteChange(
      tally,
      change,
      countryCode,
      () => `${describeLeaf(merged, countryCode, leaf)}, ${Math.round(km)} km off`,
    );
  }
  return {
    places: {
      ...merged,
      mergedNames,
      latitudes: corrected.latitudes,
      longitudes: corrected.longitudes,
      sources: corrected.sources,
      releasedLatitudes: latitudes,
      releasedLongitudes: longitudes,
    },
    tally,
  };
}

type MergedPlaces = CollectedPlaces & Pick<TreePlaces, 'ids' | 'mergedNames'>;

function mergeUnits(places: MergedPlaces, countryCode: string, tally: CleaningTally): MergedPlaces {
  const merges = findUnitMerges(places, unitNamesOf(countryCode));
  if (merges.length === 0) return places;
  const into = new Map(merges.map(({ unit, into: target }) => [unit, target]));
  const names = new Map<number, string[]>();
  for (const { unit, into: target } of merges) {
    const [text, targetText] = [places.texts[unit] as string, places.texts[target] as string];
    const codes = places.codes[target] as Set<string>;
    for (const code of places.codes[unit] as ReadonlySet<string>) codes.add(code);
    if (text === targetText) continue;
    names.set(target, [...(names.get(target) ?? []), ...(names.get(unit) ?? []), text]);
    noteChange(tally, 'unit: merged into another', countryCode, () => `${countryCode} ${text} → ${targetText}`);
  }
  places.parents.forEach((parent, place) => {
    const target = into.get(parent);
    if (target !== undefined) places.parents[place] = target;
  });
  const removed = new Set(into.keys());
  for (const leaf of findEqualLeaves(places, new Set(into.values()), countryCode)) {
    removed.add(leaf);
    noteChange(tally, 'leaf: duplicate in a unit', countryCode, () => describeLeaf(places, countryCode, leaf));
  }
  return removePlaces({ ...places, mergedNames: names }, removed);
}

/** The duplicate leaves in merged units. Of two equal leaves, the leaf with the plain id is not in the list. */
function findEqualLeaves(places: MergedPlaces, units: ReadonlySet<number>, countryCode: string): number[] {
  const firsts = new Map<string, number>();
  const equal: number[] = [];
  places.parents.forEach((parent, leaf) => {
    if (!isLeafType(places.types[leaf]) || !units.has(parent)) return;
    const { postalCodes, texts, latitudes, longitudes } = places;
    const key = [parent, postalCodes[leaf], texts[leaf], latitudes[leaf], longitudes[leaf]].join('\t');
    const first = firsts.get(key);
    if (first === undefined) {
      firsts.set(key, leaf);
      return;
    }
    const isPlain = isPlainLeafId(places, leaf, countryCode, places.ids);
    equal.push(isPlain ? first : leaf);
    if (isPlain) firsts.set(key, leaf);
  });
  return equal;
}

function removePlaces(places: MergedPlaces, removed: ReadonlySet<number>): MergedPlaces {
  const kept = places.parents.flatMap((_, place) => (removed.has(place) ? [] : [place]));
  const numbers = new Map(kept.map((place, number) => [place, number]));
  const only = <Value>(values: readonly Value[]): Value[] => kept.map((place) => values[place] as Value);
  const ids = createIds(kept.length);
  kept.forEach((place, number) => {
    copyId(ids, number, places.ids, place);
  });
  return {
    ids,
    parents: only(places.parents).map((parent) => (parent === NO_UNIT ? NO_UNIT : (numbers.get(parent) as number))),
    levels: only(places.levels),
    types: only(places.types),
    texts: only(places.texts),
    codes: only(places.codes),
    releaseCodes: only(places.releaseCodes),
    postalCodes: only(places.postalCodes),
    latitudes: only(places.latitudes),
    longitudes: only(places.longitudes),
    placedBy: only(places.placedBy),
    codeOnly: new Map(
      [...places.codeOnly].flatMap(([unit, code]) => (removed.has(unit) ? [] : [[numbers.get(unit) as number, code]])),
    ),
    mergedNames: new Map([...places.mergedNames].map(([unit, names]) => [numbers.get(unit) as number, names])),
  };
}

function describeLeaf({ postalCodes, texts }: CollectedPlaces, countryCode: string, leaf: number): string {
  return `${countryCode} ${postalCodes[leaf]} ${texts[leaf]}`;
}
