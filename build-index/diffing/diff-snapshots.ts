/**
 * Compares two snapshots country by country, and lists the added and removed countries. Does not check the contents, as
 * `verify` does. Takes some seconds for a million places, and memory for the largest country of both snapshots. The terms:
 *
 *   kept     The id is in both snapshots. (build-index/tree/collecting.ts defines ids.)
 *   lost     The id is in the old snapshot only, so a client that stored it finds nothing: the place was removed, or
 *            renamed with a new id.
 *   moved    Kept, with a different path or parent.
 *   renamed  Kept, with a different name or localName. Or, since an id includes the name, with a new id: a leaf of the
 *            same code, or an admin unit of the same places, as changes.ts pairs them.
 *   retyped  Kept, with a different type.
 *   shifted  Kept, with coordinates more than 1 km away. A unit's position is the mean of its leaves, so added and
 *            removed leaves shift it.
 *   removed  An old place that is neither kept nor renamed.
 *   added    A new place that is neither kept nor renamed.
 *
 * Full codes are compared by their text: see compareFullCodes.
 */

import { closeSync } from 'node:fs';
import { runSync, type Steps } from '../../src/base/cooperative.js';
import { decodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import type { CodeChangeKind } from '../../src/core/snapshot/changes-file.js';
import type { CountryEntry, Manifest } from '../../src/core/snapshot/manifest.js';
import { NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { codeText } from '../../src/core/snapshot/postcode-index.js';
import {
  FIELD_OFFSETS,
  fieldOffset,
  NAME_START,
  type PlaceResource,
  parsePlace,
  placeJsonAndComma,
  type RenderedPlaces,
} from '../../src/core/snapshot/rendered-places.js';
import { nameFile, structureError } from '../../src/core/snapshot/snapshot-error.js';
import { openShared, readContents, type SnapshotContents } from '../../src/core/snapshot/snapshot-file.js';
import type { Progress } from '../reporting/progress.js';
import {
  type CodeChange,
  type CountryDiff,
  type Counts,
  EXAMPLES_PER_KIND,
  type Examples,
  lossPercent,
  type PlaceChange,
  type PlaceShift,
  type PlaceSummary,
  pickExamples,
  sumCounts,
} from './changes.js';
import {
  type ComparedCountry,
  type CountryPair,
  compareCodes,
  leavesWithout,
  type Matches,
  matchById,
  NONE,
  type Pair,
  pairLeaves,
  pairUnits,
  readComparedCountry,
  type Shift,
  Shifts,
} from './compared-countries.js';
import { countFullCodes } from './full-code-changes.js';

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
  readonly fullCodes: Readonly<Record<CodeChangeKind, readonly CodeChange[]>>;
  readonly counts: Counts;
}

/** Throws SnapshotError STRUCTURE_INVALID if a place's answer can't be read. */
export function compareCountry(pair: CountryPair): CountryComparison {
  const { before, after } = pair;
  const matches = matchById(before, after);
  const { count: keptCount, ...kept } = compareKept(before, after, matches);
  const codes = compareCodes(before.postcodes, after.postcodes);
  const lost = leavesWithout(before.postcodes, matches.newOf);
  const gained = leavesWithout(after.postcodes, matches.oldOf);
  const newIds = [...pairLeaves(lost, gained, matches), ...pairUnits(before.tree, after.tree, matches)];
  const renamed = [...kept.renamed, ...newIds];
  const { counts: fullCounts, examples: fullCodes } = countFullCodes(pair, matches);
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
    fullCodesAdded: fullCounts.fullCodeAdded,
    fullCodesRemoved: fullCounts.fullCodeRemoved,
    fullCodesMoved: fullCounts.fullCodeMoved,
  };
  return { matches, ...kept, renamed, codesAdded: codes.added, codesRemoved: codes.removed, fullCodes, counts };
}

/** The counts of a comparison, and the first examples of each kind. Throws as compareCountry. */
export function describeComparison({ code, before, after }: CountryPair, comparison: CountryComparison): CountryDiff {
  const { matches, moved, renamed, retyped, shifts, fullCodes, counts } = comparison;
  const change = (oldPlace: number | null, newPlace: number | null): PlaceChange => ({
    countryCode: code,
    before: oldPlace === null ? null : summaryOf(before.renderedPlaces, oldPlace),
    after: newPlace === null ? null : summaryOf(after.renderedPlaces, newPlace),
  });
  const first = <T>(list: readonly T[]): readonly T[] => list.slice(0, EXAMPLES_PER_KIND);
  const changes = (pairs: readonly Pair[]): PlaceChange[] =>
    first(pairs).map(([oldPlace, newPlace]) => change(oldPlace, newPlace));
  const describeShift = ({ pair: [oldPlace, newPlace], from, to, km }: Shift): PlaceShift => ({
    ...change(oldPlace, newPlace),
    from,
    to,
    km: Math.round(km * 10) / 10,
  });
  const codesOf = ({ postcodes }: ComparedCountry, numbers: readonly number[]): CodeChange[] =>
    first(numbers).map((number) => ({ countryCode: code, postalCode: codeText(postcodes, number) }));
  return {
    code,
    counts,
    examples: {
      added: placesWithout(matches.oldOf, EXAMPLES_PER_KIND).map((place) => change(null, place)),
      removed: placesWithout(matches.newOf, EXAMPLES_PER_KIND).map((place) => change(place, null)),
      moved: changes(moved),
      renamed: changes(renamed),
      retyped: changes(retyped),
      shifted: shifts.farthest.map(describeShift),
      codesAdded: codesOf(after, comparison.codesAdded),
      codesRemoved: codesOf(before, comparison.codesRemoved),
      fullCodesAdded: fullCodes.fullCodeAdded,
      fullCodesRemoved: fullCodes.fullCodeRemoved,
      fullCodesMoved: fullCodes.fullCodeMoved,
    },
  };
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
export function placesWithout(matched: Uint32Array, limit: number): number[] {
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
  return answers.text.subarray(start + NAME_START, start + fieldOffset(answers, place, cut));
}

export function summaryOf(answers: RenderedPlaces, place: number): PlaceSummary {
  const { id, name, localName, type, path, postalCode } = readPlace(answers, place);
  return { id, name, localName, type, path, postalCode };
}

function readPlace(answers: RenderedPlaces, place: number): PlaceResource {
  const text = decodeUtf8(placeJsonAndComma(answers, place));
  const parsed = parsePlace(text, 0);
  if (parsed === undefined) throw structureError(`place-answers: place ${place}`, 'an answer', JSON.stringify(text));
  return parsed.place;
}

export interface ComparedSnapshot {
  readonly path: string;
  readonly release: string;
  readonly sourceDate: string | null;
  /** See Snapshot. */
  readonly id: string;
}

/** Is given each country, ascending by code, while its places are in memory. */
export type CountryVisitor = (pair: CountryPair, comparison: CountryComparison) => void;

export interface SnapshotDiff {
  readonly before: ComparedSnapshot;
  readonly after: ComparedSnapshot;
  /** Codes of the countries with postcode data in one snapshot only. */
  readonly countriesAdded: readonly string[];
  readonly countriesRemoved: readonly string[];
  readonly totals: Counts;
  /** Every country with postcode data in either snapshot: greatest loss first, then by code. */
  readonly countries: readonly CountryDiff[];
  readonly examples: Examples;
}

/** Throws SnapshotError if a file is not a snapshot, and what `visit` throws. */
export function diffSnapshots(
  oldPath: string,
  newPath: string,
  progress: Progress,
  visit?: CountryVisitor,
): SnapshotDiff {
  return runSync(diffInSteps(oldPath, newPath, progress, visit));
}

/** The same in steps of one country each. */
export function* diffInSteps(
  oldPath: string,
  newPath: string,
  progress: Progress,
  visit: CountryVisitor = () => {},
): Steps<SnapshotDiff> {
  const oldFile = openShared(oldPath);
  try {
    const newFile = openShared(newPath);
    try {
      const [before, after] = [readNamed(oldPath, oldFile), readNamed(newPath, newFile)];
      const [oldEntries, newEntries] = [entriesWithData(before.manifest), entriesWithData(after.manifest)];
      const codes = [...new Set([...oldEntries.keys(), ...newEntries.keys()])].sort();
      progress.start('comparing', codes.length);
      const countries: CountryDiff[] = [];
      for (const code of codes) {
        const pair = {
          code,
          before: readComparedCountry(oldFile, before.manifest, oldEntries.get(code)),
          after: readComparedCountry(newFile, after.manifest, newEntries.get(code)),
        };
        const comparison = compareCountry(pair);
        countries.push(describeComparison(pair, comparison));
        visit(pair, comparison);
        progress.step(code);
        yield;
      }
      // The sort is stable, so countries with equal losses stay sorted by code.
      countries.sort((a, b) => lossPercent(b.counts) - lossPercent(a.counts));
      return {
        before: describeSnapshot(oldPath, before),
        after: describeSnapshot(newPath, after),
        countriesAdded: codes.filter((code) => !oldEntries.has(code)),
        countriesRemoved: codes.filter((code) => !newEntries.has(code)),
        totals: sumCounts(countries.map(({ counts }) => counts)),
        countries,
        examples: pickExamples(countries.map(({ examples }) => examples)),
      };
    } finally {
      closeSync(newFile);
    }
  } finally {
    closeSync(oldFile);
  }
}

function describeSnapshot(path: string, { manifest, id }: SnapshotContents): ComparedSnapshot {
  return { path, release: manifest.release, sourceDate: manifest.sourceDate, id };
}

/** Throws SnapshotError that names the file. */
function readNamed(path: string, fd: number): SnapshotContents {
  try {
    return readContents(fd);
  } catch (error) {
    throw nameFile(path, error);
  }
}

function entriesWithData(manifest: Manifest): Map<string, CountryEntry> {
  return new Map(manifest.countries.filter(({ slices }) => slices.length > 0).map((entry) => [entry.code, entry]));
}
