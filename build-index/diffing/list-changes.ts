/**
 * Every added, removed, moved and renamed place of a compared country, in the order of a file of changes
 * (src/core/snapshot/release-changes.ts). A place that is moved and renamed is in both lists. Memory: the paths of the places
 * of one kind.
 */

import type { ChangeKind, CodeChangeKind, PlaceChange } from '../../src/core/snapshot/changes-file.js';
import { fullCodeAt } from '../../src/core/snapshot/full-codes.js';
import { renderedPathOf } from '../../src/core/snapshot/rendered-places.js';
import type { PlaceSummary } from './change-counts.js';
import type { ComparedCountry, CountryPair } from './compared-country.js';
import { type CountryComparison, pairsOfComparison, summariseForComparison } from './country-comparison.js';
import { compareFullCodes } from './full-code-changes.js';
import { NONE } from './matched-places.js';

export function* listChanges(
  kind: ChangeKind,
  { code, before: { renderedPlaces: before }, after: { renderedPlaces: after } }: CountryPair,
  comparison: CountryComparison,
): Generator<PlaceChange> {
  const sorted = pairsOfComparison(kind, comparison)
    // Reading the path alone is faster than sorting, parsing the answer is not.
    .map((pair) => ({
      pair,
      path: pair[1] === NONE ? renderedPathOf(before, pair[0]) : renderedPathOf(after, pair[1]),
    }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const { pair } of sorted) {
    const was = pair[0] === NONE ? undefined : summariseForComparison(before, pair[0]);
    const is = pair[1] === NONE ? undefined : summariseForComparison(after, pair[1]);
    const { id, path, name, localName, type, postalCode } = (is ?? was) as PlaceSummary;
    const place = { countryCode: code, change: kind, id, path, name, localName, type, postalCode };
    yield was === undefined || is === undefined ? place : { ...place, ...oldFields(kind, was, is) };
  }
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

/**
 * Every added, removed and moved full code, in the order of codes. Memory: one place at a time, since the codes of a first
 * part belong to few places.
 */
export function* listCodeChanges(
  kind: CodeChangeKind,
  pair: CountryPair,
  { matches }: CountryComparison,
): Generator<PlaceChange> {
  const [was, is] = [placeReaderOf(pair.before), placeReaderOf(pair.after)];
  for (const change of compareFullCodes(pair, matches)) {
    if (change.kind !== kind) continue;
    const [oldCode, newCode] = [was(change.pair[0]), is(change.pair[1])];
    const { postcode: postalCode, place } = (newCode ?? oldCode) as CodeWithPlace;
    const { id, path, name, localName, type } = place;
    const line = { countryCode: pair.code, change: kind, id, path, name, localName, type, postalCode };
    if (kind !== 'fullCodeMoved') yield line;
    else {
      const { id: oldId, path: oldPath } = (oldCode as CodeWithPlace).place;
      const movedKm = Math.round(change.km * 10) / 10;
      yield { ...line, ...(oldId !== id && { oldId }), ...(oldPath !== path && { oldPath }), movedKm };
    }
  }
}

interface CodeWithPlace {
  readonly postcode: string;
  readonly place: PlaceSummary;
}

/** Reads full codes by number; undefined for NONE. */
function placeReaderOf({ fullCodes, renderedPlaces }: ComparedCountry): (number: number) => CodeWithPlace | undefined {
  let [last, summary]: [number, PlaceSummary | undefined] = [NONE, undefined];
  return (number) => {
    if (fullCodes === undefined || number === NONE) return undefined;
    const { postcode, place } = fullCodeAt(fullCodes, number);
    if (summary === undefined || place !== last)
      [last, summary] = [place, summariseForComparison(renderedPlaces, place)];
    return { postcode, place: summary };
  };
}
