/**
 * The structures of one country that a comparison reads: the places, their ids and answers, and the postal codes. They
 * are in memory, so that comparing needs memory for the largest country of both snapshots.
 */

import { decodeFullCodes, type FullCodes, hasFullCodes } from '../../src/core/snapshot/full-codes.js';
import type { CountrySectionName } from '../../src/core/snapshot/header.js';
import type { CountryEntry, Manifest } from '../../src/core/snapshot/manifest.js';
import { decodeIdIndex, type IdIndex } from '../../src/core/snapshot/place-id.js';
import { decodePlaceTree, LEVEL_COUNT, type PlaceTree } from '../../src/core/snapshot/place-tree.js';
import { decodePostcodeIndex, type PostcodeIndex } from '../../src/core/snapshot/postcode-index.js';
import { decodeRenderedPlaces, type RenderedPlaces } from '../../src/core/snapshot/rendered-places.js';
import { readSlice } from '../../src/core/snapshot/snapshot-file.js';

export interface ComparedCountry {
  readonly tree: PlaceTree;
  readonly ids: IdIndex;
  readonly renderedPlaces: RenderedPlaces;
  readonly postcodes: PostcodeIndex;
  readonly fullCodes: FullCodes | undefined;
}

/** The two versions of one country. */
export interface CountryPair {
  readonly code: string;
  readonly before: ComparedCountry;
  readonly after: ComparedCountry;
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
  fullCodes: undefined,
};

/** The country in the snapshot open as `fd`; empty if the snapshot has no data for it. */
export function readComparedCountry(fd: number, manifest: Manifest, entry: CountryEntry | undefined): ComparedCountry {
  if (entry === undefined || entry.slices.length === 0) return EMPTY_COUNTRY;
  const read = (name: CountrySectionName): Uint8Array => readSlice(fd, manifest.sections, entry, name);
  const where = (name: CountrySectionName): string => `${name} of ${entry.code}`;
  const tree = decodePlaceTree(read('place-tree'), where('place-tree'));
  const postcodes = decodePostcodeIndex(read('postcode-index'), where('postcode-index'));
  return {
    tree,
    ids: decodeIdIndex(read('id-index'), where('id-index'), tree.placeCount),
    renderedPlaces: decodeRenderedPlaces(read('place-answers'), where('place-answers'), tree.placeCount),
    postcodes,
    fullCodes: hasFullCodes(entry) ? decodeFullCodes(read('full-codes'), where('full-codes'), postcodes) : undefined,
  };
}
