/**
 * Every added, removed, moved and renamed place of a compared country, in the order of a file of changes
 * (src/format/release-changes.ts). A place that is moved and renamed is in both lists. Memory: the paths of the places
 * of one kind.
 */
import type { ChangeKind, PlaceChange } from '../../src/format/release-changes.js';
import { pathOf } from '../../src/store/rendered-places.js';
import type { PlaceSummary } from './changes.js';
import { type CountryComparison, type CountryPair, placesWithout, summaryOf } from './diff-country.js';
import { NONE, type Pair } from './matching.js';

/** Throws SnapshotError STRUCTURE_INVALID if a place's answer can't be read. */
export function* listChanges(
  kind: ChangeKind,
  { code, before: { renderedPlaces: before }, after: { renderedPlaces: after } }: CountryPair,
  comparison: CountryComparison,
): Generator<PlaceChange> {
  const sorted = pairsOf(kind, comparison)
    // Reading the path alone is faster than sorting, parsing the answer is not.
    .map((pair) => ({ pair, path: pair[1] === NONE ? pathOf(before, pair[0]) : pathOf(after, pair[1]) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { pair } of sorted) {
    const was = pair[0] === NONE ? undefined : summaryOf(before, pair[0]);
    const is = pair[1] === NONE ? undefined : summaryOf(after, pair[1]);
    const { id, path, name, localName, type, postalCode } = (is ?? was) as PlaceSummary;
    const place = { countryCode: code, change: kind, id, path, name, localName, type, postalCode };
    yield was === undefined || is === undefined ? place : { ...place, ...oldFields(kind, was, is) };
  }
}

/** NONE stands for the missing place. */
function pairsOf(kind: ChangeKind, { matches, moved, renamed }: CountryComparison): readonly Pair[] {
  if (kind === 'added') return placesWithout(matches.oldOf, Infinity).map((place): Pair => [NONE, place]);
  if (kind === 'removed') return placesWithout(matches.newOf, Infinity).map((place): Pair => [place, NONE]);
  return kind === 'moved' ? moved : renamed;
}

function oldFields(kind: ChangeKind, was: PlaceSummary, is: PlaceSummary): Partial<PlaceChange> {
  if (kind === 'moved') return { oldPath: was.path };
  return {
    ...(was.id !== is.id && { oldId: was.id }),
    ...(was.path !== is.path && { oldPath: was.path }),
    oldName: was.name,
    ...(was.localName !== is.localName && { oldLocalName: was.localName }),
  };
}
