/**
 * The structures of one country that a comparison reads: the places, their ids and answers, and the postal codes. They
 * are in memory, so that comparing needs memory for the largest country of both snapshots.
 */
import { decodeIdIndex, type IdIndex } from '../../src/format/id-index.js';
import type { CountryEntry, Manifest } from '../../src/format/manifest.js';
import { LEVEL_COUNT } from '../../src/format/place-levels.js';
import { decodePlaceTree, type PlaceTree } from '../../src/format/place-tree.js';
import { decodePostcodeIndex, type PostcodeIndex } from '../../src/format/postcode-index.js';
import { decodeRenderedPlaces, type RenderedPlaces } from '../../src/format/rendered-places.js';
import type { CountrySectionName } from '../../src/format/sections.js';
import { readSlice } from '../../src/store/snapshot-reading.js';

export interface ComparedCountry {
  readonly tree: PlaceTree;
  readonly ids: IdIndex;
  readonly renderedPlaces: RenderedPlaces;
  readonly postcodes: PostcodeIndex;
}

/** A country without postcode data. */
const EMPTY_COUNTRY: ComparedCountry = {
  tree: {
    levelStarts: new Uint32Array(LEVEL_COUNT + 1),
    ids: new Uint8Array(0),
    parents: new Uint32Array(0),
    childStarts: new Uint32Array(1),
    placeCount: 0,
  },
  ids: { slots: new Uint32Array(2) },
  renderedPlaces: { offsets: new Uint32Array(1), fieldOffsets: new Uint16Array(0), text: Buffer.alloc(0) },
  postcodes: {
    codeOffsets: new Uint32Array(1),
    codeText: Buffer.alloc(0),
    placeStarts: new Uint32Array(1),
    places: new Uint32Array(0),
    slots: new Uint32Array(2),
    codeCount: 0,
  },
};

/** The country in the snapshot open as `fd`; empty if the snapshot has no data for it. Throws SnapshotError. */
export function readComparedCountry(fd: number, manifest: Manifest, entry: CountryEntry | undefined): ComparedCountry {
  if (entry === undefined || entry.slices.length === 0) return EMPTY_COUNTRY;
  const read = (name: CountrySectionName): Uint8Array => readSlice(fd, manifest.sections, entry, name);
  const where = (name: CountrySectionName): string => `${name} of ${entry.code}`;
  const tree = decodePlaceTree(read('place-tree'), where('place-tree'));
  return {
    tree,
    ids: decodeIdIndex(read('id-index'), where('id-index'), tree.placeCount),
    renderedPlaces: decodeRenderedPlaces(read('place-answers'), where('place-answers'), tree.placeCount),
    postcodes: decodePostcodeIndex(read('postcode-index'), where('postcode-index')),
  };
}
