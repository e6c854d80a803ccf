/** Renders every place's JSON object (src/core/snapshot/rendered-places.ts) once, so that no request has to render it. */

import { encodeBundle } from '../../src/core/snapshot/array-bundle.js';
import { decodePlaceIds } from '../../src/core/snapshot/place-id.js';
import { levelOf, NO_PARENT } from '../../src/core/snapshot/place-tree.js';
import { PLACE_TYPES } from '../../src/core/snapshot/place-type.js';
import {
  createRenderedFieldOffsets,
  MAX_RENDERED_BYTES,
  type PlaceResource,
  RENDERED_PLACES_SCHEMA,
  renderPlace,
  setRenderedFieldOffset,
} from '../../src/core/snapshot/rendered-places.js';
import type { CountryTree } from '../tree/country-tree.js';
import { GrowingBytes } from './growing-bytes.js';

/** Typical length of an answer, in bytes, to allocate the buffer once. */
const EXPECTED_ANSWER_BYTES = 512;

/** `pageUrl` is the address of the country's page, without a trailing slash; place paths are appended. */
export function buildRenderedPlaces(tree: CountryTree, pageUrl: string): Uint8Array[] {
  const { placeCount } = tree;
  const offsets = new Uint32Array(placeCount + 1);
  const fieldOffsets = createRenderedFieldOffsets(placeCount);
  const text = new GrowingBytes(placeCount * EXPECTED_ANSWER_BYTES);
  const idTexts = decodePlaceIds(tree.ids);
  for (let place = 0; place < placeCount; place++) {
    const parts = renderPlace(answerOf(tree, place, pageUrl, idTexts));
    const [upToName, upToPath, path, postalCode, upToUrl, url] = parts;
    offsets[place] = text.length;
    const answer = upToName + upToPath + path + postalCode + upToUrl + url;
    const byteLength = text.append(answer);
    if (byteLength > MAX_RENDERED_BYTES) throw new Error(`the answer of ${tree.paths[place]} has ${byteLength} bytes`);
    const isAscii = byteLength === answer.length;
    let end = 0;
    // Each part except the last ends at a field offset.
    for (let field = 0; field < parts.length - 1; field++) {
      const part = parts[field] as string;
      end += isAscii ? part.length : Buffer.byteLength(part);
      setRenderedFieldOffset(fieldOffsets, place, field, end);
    }
  }
  offsets[placeCount] = text.length;
  return encodeBundle(RENDERED_PLACES_SCHEMA, { offsets, fieldOffsets, text: text.bytes() });
}

function answerOf(tree: CountryTree, place: number, pageUrl: string, idTexts: readonly string[]): PlaceResource {
  const parent = tree.parents[place] as number;
  const path = tree.paths[place] as string;
  return {
    id: idTexts[place] as string,
    countryCode: tree.countryCode,
    level: levelOf(tree, place),
    name: tree.names[place] as string,
    localName: tree.localNames[place] as string,
    type: PLACE_TYPES[tree.types[place] as number] as string,
    slug: tree.slugs[place] as string,
    path,
    postalCode: tree.postalCodes[place] as string | null,
    latitude: tree.latitudes[place] as number,
    longitude: tree.longitudes[place] as number,
    parentId: parent === NO_PARENT ? null : (idTexts[parent] as string),
    url: pageUrl + path,
  };
}
