/** Compares a country of two snapshots: which places were moved, renamed, retyped and shifted, and which codes changed. */

import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import type { ChangeKind } from '../../src/core/snapshot/changes-file.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { indexedPostcode } from '../../src/core/snapshot/postcode-index.js';
import {
  FIELD_OFFSETS,
  NAME_START,
  type PlaceResource,
  parsePlace,
  placeJsonAndComma,
  type RenderedPlaces,
  renderedFieldOffset,
} from '../../src/core/snapshot/rendered-places.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import {
  type CountryDiff,
  type Counts,
  EXAMPLES_PER_KIND,
  type Example,
  type Examples,
  type PlaceSummary,
} from './change-counts.js';
import type { ComparedCountry, CountryPair } from './compared-country.js';
import { comparePostcodes, unmatchedLeavesByPostcode } from './compared-postcodes.js';
import { countFullCodes } from './full-code-changes.js';
import { type Matches, matchLeafPlaces, matchPlacesById, matchUnitPlaces, NONE, type Pair } from './matched-places.js';
import { Shifts } from './place-shifts.js';

/** Every change of a country, by the numbers of places and codes. A removed or added place is one without a match. */
export interface CountryComparison {
  readonly matches: Matches;
  readonly moved: readonly Pair[];
  readonly renamed: readonly Pair[];
  readonly retyped: readonly Pair[];
  readonly shifts: Shifts;
  readonly codesAdded: readonly number[];
  readonly codesRemoved: readonly number[];
  /** The first full codes of each kind of change. */
  readonly fullCodes: Pick<Examples, 'fullCodesAdded' | 'fullCodesRemoved' | 'fullCodesMoved'>;
  readonly counts: Counts;
}

export function compareCountry(pair: CountryPair): CountryComparison {
  const { before, after } = pair;
  const matches = matchPlacesById(before, after);
  const { count: keptCount, ...kept } = compareKept(before, after, matches);
  const codes = comparePostcodes(before.postcodes, after.postcodes);
  const lost = unmatchedLeavesByPostcode(before.postcodes, matches.newOf);
  const gained = unmatchedLeavesByPostcode(after.postcodes, matches.oldOf);
  const newIds = [...matchLeafPlaces(lost, gained, matches), ...matchUnitPlaces(before.tree, after.tree, matches)];
  const renamed = [...kept.renamed, ...newIds];
  const fullCodes = countFullCodes(pair, matches);
  const { placeCount: placesBefore } = before.tree;
  const { placeCount: placesAfter } = after.tree;
  const counts: Counts = {
    placesBefore,
    placesAfter,
    idsKept: keptCount,
    added: placesAfter - keptCount - newIds.length,
    removed: placesBefore - keptCount - newIds.length,
    moved: kept.moved.length,
    renamed: renamed.length,
    retyped: kept.retyped.length,
    ...kept.shifts.counts,
    codesBefore: before.postcodes.codeCount,
    codesAfter: after.postcodes.codeCount,
    codesAdded: codes.added.length,
    codesRemoved: codes.removed.length,
    fullCodesBefore: before.fullCodes?.count ?? 0,
    fullCodesAfter: after.fullCodes?.count ?? 0,
    ...fullCodes.counts,
  };
  const { added: codesAdded, removed: codesRemoved } = codes;
  return { matches, ...kept, renamed, codesAdded, codesRemoved, fullCodes: fullCodes.examples, counts };
}

/** The counts of a comparison, and the first examples of each kind. */
export function describeComparison({ code, before, after }: CountryPair, comparison: CountryComparison): CountryDiff {
  const { retyped, shifts, codesAdded, codesRemoved, fullCodes, counts } = comparison;
  const exampleOf = ([oldPlace, newPlace]: Pair): Example => ({
    countryCode: code,
    before: oldPlace === NONE ? null : summariseForComparison(before.renderedPlaces, oldPlace),
    after: newPlace === NONE ? null : summariseForComparison(after.renderedPlaces, newPlace),
  });
  const ofKind = (kind: ChangeKind): Example[] => pairsOfComparison(kind, comparison, EXAMPLES_PER_KIND).map(exampleOf);
  const codesOf = ({ postcodes }: ComparedCountry, numbers: readonly number[]): Example[] =>
    numbers
      .slice(0, EXAMPLES_PER_KIND)
      .map((number) => ({ countryCode: code, postalCode: indexedPostcode(postcodes, number) }));
  return {
    code,
    counts,
    examples: {
      added: ofKind('added'),
      removed: ofKind('removed'),
      moved: ofKind('moved'),
      renamed: ofKind('renamed'),
      retyped: retyped.slice(0, EXAMPLES_PER_KIND).map(exampleOf),
      shifted: shifts.farthest.map(({ pair, from, to, km }) => {
        return { ...exampleOf(pair), from, to, km: Math.round(km * 10) / 10 };
      }),
      codesAdded: codesOf(after, codesAdded),
      codesRemoved: codesOf(before, codesRemoved),
      ...fullCodes,
    },
  };
}

/** The pairs of a kind of change, NONE for the missing place; of added and removed places the first `limit`. */
export function pairsOfComparison(
  kind: ChangeKind,
  { matches, moved, renamed }: CountryComparison,
  limit = Number.POSITIVE_INFINITY,
): readonly Pair[] {
  if (kind === 'added') return placesWithout(matches.oldOf, limit).map((place): Pair => [NONE, place]);
  if (kind === 'removed') return placesWithout(matches.newOf, limit).map((place): Pair => [place, NONE]);
  return (kind === 'moved' ? moved : renamed).slice(0, limit);
}

/** The moved, renamed, retyped and shifted places among those matched by id. */
function compareKept(before: ComparedCountry, after: ComparedCountry, { newOf }: Matches) {
  const moved: Pair[] = [];
  const renamed: Pair[] = [];
  const retyped: Pair[] = [];
  const shifts = new Shifts();
  let count = 0;
  newOf.forEach((newPlace, place) => {
    if (newPlace === NONE) return;
    count++;
    const oldParent = before.tree.parents[place] as number;
    const newParent = after.tree.parents[newPlace] as number;
    const hasSameParent = (oldParent === NO_PARENT ? NO_PARENT : newOf[oldParent]) === newParent;
    // Most places are unchanged, which one comparison of the text from name to parentId shows.
    if (hasSameParent && areSame(before.renderedPlaces, place, after.renderedPlaces, newPlace, FIELD_OFFSETS.urlStart))
      return;
    shifts.compare(before.renderedPlaces, after.renderedPlaces, [place, newPlace]);
    if (hasSameParent && areSame(before.renderedPlaces, place, after.renderedPlaces, newPlace, FIELD_OFFSETS.pathEnd))
      return;
    const [was, is] = [readPlace(before.renderedPlaces, place), readPlace(after.renderedPlaces, newPlace)];
    if (!hasSameParent || was.path !== is.path) moved.push([place, newPlace]);
    if (was.name !== is.name || was.localName !== is.localName) renamed.push([place, newPlace]);
    if (was.type !== is.type) retyped.push([place, newPlace]);
  });
  return { count, moved, renamed, retyped, shifts };
}

/** The first places without a match, at most `limit`. */
function placesWithout(matched: Uint32Array, limit: number): number[] {
  const places: number[] = [];
  for (let place = 0; place < matched.length && places.length < limit; place++) {
    if (matched[place] === NONE) places.push(place);
  }
  return places;
}

/**
 * Whether the answers of two places are equal from the name to a field offset of FIELD_OFFSETS: to the end of the path
 * (name, localName, type, slug and path) or to the url (also postalCode, coordinates and parentId), without id and
 * site.
 */
function areSame(before: RenderedPlaces, place: number, after: RenderedPlaces, newPlace: number, cut: number): boolean {
  return Buffer.compare(fromName(before, place, cut), fromName(after, newPlace, cut)) === 0;
}

function fromName(answers: RenderedPlaces, place: number, cut: number): Uint8Array {
  const start = answers.offsets[place] as number;
  return answers.text.subarray(start + NAME_START, start + renderedFieldOffset(answers, place, cut));
}

export function summariseForComparison(answers: RenderedPlaces, place: number): PlaceSummary {
  const { id, name, localName, type, path, postalCode } = readPlace(answers, place);
  return { id, name, localName, type, path, postalCode };
}

function readPlace(answers: RenderedPlaces, place: number): PlaceResource {
  const text = decodeUtf8(placeJsonAndComma(answers, place));
  const parsed = parsePlace(text, 0);
  if (parsed === undefined) throw structureError(`place-answers: place ${place}`, 'an answer', 'other text');
  return parsed.place;
}
