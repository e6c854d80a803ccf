/**
 * The snapshot before the one that is being built. It is checked against its checksums and stays open and locked until
 * the build ends, so that neither `prune` nor another file at its path comes between. Its places are read in parts: the
 * answers of a large country take 100 MB, and only their paths are needed.
 */

import { closeSync, lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeDirectory, directoryBytes } from '../../src/core/snapshot/array-bundle.js';
import type { CountryEntry, Manifest, Section, Slice } from '../../src/core/snapshot/manifest.js';
import { decodePlaceTree, type PlaceTree } from '../../src/core/snapshot/place-tree.js';
import {
  checkPlaceOffsets,
  FIELD_OFFSETS,
  fieldOffset,
  MAX_RENDERED_BYTES,
  POSTAL_CODE_KEY,
  RENDERED_PLACES_SCHEMA,
} from '../../src/core/snapshot/rendered-places.js';
import { SnapshotError, structureError } from '../../src/core/snapshot/snapshot-error.js';
import {
  checkSectionsCooperatively,
  openShared,
  readBytes,
  readInto,
  readPreviousContents,
  readSlice,
  slicePosition,
} from '../../src/core/snapshot/snapshot-file.js';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import { CURRENT } from '../../src/releases/folder/published-folder.js';
import { idIndexOf, type OldPath } from '../structures/build-place-tree.js';
import type { CountryTree } from '../tree/country-tree.js';
import { type Matches, matchById, NONE, pairLeaves, pairUnits } from './compared-countries.js';

export interface PreviousSnapshot {
  readonly path: string;
  readonly manifest: Manifest;
  /** What a task needs to read the places of a country; null if the snapshot has no data for it. */
  countryOf(code: string): PreviousCountry | null;
  close(): void;
}

/** The descriptor is valid in every thread of the process. */
export interface PreviousCountry {
  readonly fd: number;
  readonly entry: CountryEntry;
  readonly sections: readonly Section[];
}

export interface PreviousPlaces {
  readonly tree: PlaceTree;
  /** The path of a place. Asking for places by ascending number reads each part of the file once, `codeOf` too. */
  pathOf(place: number): string;
  /** The postal code of a leaf; null for a unit. */
  codeOf(place: number): string | null;
}

/**
 * `source` is a snapshot, or the folder that it was published to; null for a folder where nothing was in service yet.
 * Throws SnapshotError.
 */
export async function openPrevious(source: string): Promise<PreviousSnapshot | null> {
  try {
    if (isUnused(source)) return null;
    return await openChecked(findSnapshot(source).path);
  } catch (error) {
    const { code, expected, found } =
      error instanceof SnapshotError
        ? error
        : { code: 'FILE_UNREADABLE' as const, expected: 'a snapshot', found: (error as Error).message };
    const remedy = 'name the snapshot in service, or build without --previous';
    throw new SnapshotError(code, `--previous ${source}: ${expected}`, found, remedy);
  }
}

function isUnused(source: string): boolean {
  if (!statSync(source).isDirectory()) return false;
  return lstatSync(join(source, CURRENT), { throwIfNoEntry: false }) === undefined;
}

async function openChecked(path: string): Promise<PreviousSnapshot> {
  const fd = openShared(path);
  try {
    const { manifest } = await checkSectionsCooperatively(fd, readPreviousContents);
    return {
      path,
      manifest,
      countryOf(code) {
        const entry = manifest.countries.find((country) => country.code === code);
        return entry === undefined || entry.slices.length === 0 ? null : { fd, entry, sections: manifest.sections };
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Throws SnapshotError STRUCTURE_INVALID, also from the functions of the result. */
export function readPreviousPlaces({ fd, entry, sections }: PreviousCountry): PreviousPlaces {
  const where = (name: string): string => `${name} of ${entry.code} in the previous snapshot`;
  const tree = decodePlaceTree(readSlice(fd, sections, entry, 'place-tree'), where('place-tree'));
  const answers = slicePosition(sections, entry, 'place-answers');
  return { tree, ...createFieldReaders(fd, answers, tree.placeCount, where('place-answers')) };
}

function createFieldReaders(
  fd: number,
  slice: Slice,
  placeCount: number,
  where: string,
): Pick<PreviousPlaces, 'pathOf' | 'codeOf'> {
  const directory = readBytes(fd, slice.offset, Math.min(slice.length, directoryBytes(RENDERED_PLACES_SCHEMA)));
  const positions = decodeDirectory(RENDERED_PLACES_SCHEMA, directory, slice.length, where);
  const read = ({ offset, byteLength }: { offset: number; byteLength: number }): ArrayBuffer =>
    readBytes(fd, slice.offset + offset, byteLength).buffer as ArrayBuffer;
  const answers = {
    offsets: new Uint32Array(read(positions.offsets)),
    fieldOffsets: new Uint16Array(read(positions.fieldOffsets)),
  };
  checkPlaceOffsets(answers, where, placeCount);
  const text = new TextReader(fd, slice.offset + positions.text.offset, positions.text.byteLength, where);
  const position = (place: number, field: number): number =>
    (answers.offsets[place] as number) + fieldOffset(answers, place, field);
  return {
    // Without the quotes.
    pathOf: (place) =>
      text.read(position(place, FIELD_OFFSETS.pathStart) + 1, position(place, FIELD_OFFSETS.pathEnd) - 1),
    codeOf(place) {
      const start = position(place, FIELD_OFFSETS.pathEnd) + POSTAL_CODE_KEY.length;
      return parseCode(text.read(start, position(place, FIELD_OFFSETS.postalCodeEnd)), where);
    },
  };
}

function parseCode(json: string, where: string): string | null {
  try {
    const code: unknown = JSON.parse(json);
    if (code === null || typeof code === 'string') return code;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw structureError(where, 'a postal code or null', 'other text');
}

/** Length of the part of a text that is in memory, in bytes: 1 MiB, some thousand places and a fast read. */
const PART_BYTES = 1 << 20;

/** Reads pieces of a long text in a file, from its start to its end, in parts. */
class TextReader {
  private readonly buffer = Buffer.alloc(PART_BYTES);
  private start = 0;
  private end = 0;

  constructor(
    private readonly fd: number,
    private readonly offset: number,
    private readonly length: number,
    private readonly where: string,
  ) {}

  read(from: number, to: number): string {
    if (!(from <= to && to <= this.length && to - from <= MAX_RENDERED_BYTES)) {
      throw structureError(this.where, `a value within ${this.length} bytes`, `${from} to ${to}`);
    }
    if (from < this.start || to > this.end) {
      this.start = from;
      this.end = Math.min(this.length, from + PART_BYTES);
      readInto(this.fd, this.offset + from, this.buffer.subarray(0, this.end - from));
    }
    return this.buffer.toString('utf8', from - this.start, to - this.start);
  }
}

/*
 * Finds the paths of the previous snapshot that should lead to places of a new tree: the place is kept or renamed, as
 * `diff` has it, its path is another, and no place of the new tree has the old path.
 */

/** In the order of the places of the previous snapshot; each place and each path at most once. */
export function findOldPaths(previous: PreviousPlaces, tree: CountryTree): OldPath[] {
  const matches = matchPlaces(previous, tree);
  const moved: OldPath[] = [];
  const known = new Set<string>();
  matches.newOf.forEach((place, oldPlace) => {
    // In a damaged snapshot, two places may have one id, or one path.
    if (place === NONE || matches.oldOf[place] !== oldPlace) return;
    const path = previous.pathOf(oldPlace);
    if (path === tree.paths[place] || known.has(path)) return;
    known.add(path);
    moved.push({ path, place });
  });
  if (moved.length === 0) return moved;
  const taken = new Set(tree.paths);
  return moved.filter(({ path }) => !taken.has(path));
}

/** Matches places by id, then the leaves and units that were renamed. */
function matchPlaces(previous: PreviousPlaces, tree: CountryTree): Matches {
  const matches = matchById(previous, { tree, ids: idIndexOf(tree) });
  const lost = unmatchedLeaves(matches.newOf, previous.codeOf);
  const gained = unmatchedLeaves(matches.oldOf, (place) => tree.postalCodes[place] as string | null);
  pairLeaves(lost, gained, matches);
  pairUnits(previous.tree, tree, matches);
  return matches;
}

/** The leaves without a match, with their codes. */
function unmatchedLeaves(
  matched: Uint32Array,
  codeOf: (place: number) => string | null,
): (readonly [string, number])[] {
  const leaves: (readonly [string, number])[] = [];
  matched.forEach((match, place) => {
    const code = match === NONE ? codeOf(place) : null;
    if (code !== null) leaves.push([code, place]);
  });
  return leaves;
}
