/** Renders every place's JSON object (src/format/place-answers.ts) once, so that no request has to. */
import { encodeBundle } from '../../src/format/array-bundle.js';
import {
  CUT_COUNT,
  CUTS,
  MAX_ANSWER_BYTES,
  PLACE_ANSWERS_SCHEMA,
  type PlaceAnswer,
  renderPlaceAnswer,
} from '../../src/format/place-answers.js';
import { formatPlaceId } from '../../src/format/place-id.js';
import { NO_PARENT } from '../../src/format/place-tree.js';
import { PLACE_TYPES } from '../tree/collecting.js';
import type { CountryTree } from '../tree/country-tree.js';
import { GrowingBytes } from './growing-bytes.js';

const EXPECTED_ANSWER_BYTES = 512;

/** `pageUrl` is the address of the country's page, without a trailing slash: what a place's path is put behind. */
export function buildPlaceAnswers(tree: CountryTree, pageUrl: string): Uint8Array<ArrayBuffer> {
  const { placeCount } = tree;
  const offsets = new Uint32Array(placeCount + 1);
  const cuts = new Uint16Array(placeCount * CUT_COUNT);
  const text = new GrowingBytes(placeCount * EXPECTED_ANSWER_BYTES);
  for (let place = 0; place < placeCount; place++) {
    const start = text.length;
    const [upToName, upToPath, path, postalCode, upToUrl, url] = renderPlaceAnswer(answerOf(tree, place, pageUrl));
    const cut = (name: keyof typeof CUTS): void => {
      cuts[place * CUT_COUNT + CUTS[name]] = text.length - start;
    };
    offsets[place] = start;
    text.append(upToName);
    cut('nameEnd');
    text.append(upToPath);
    cut('pathStart');
    text.append(path);
    cut('pathEnd');
    text.append(postalCode);
    cut('postalCodeEnd');
    text.append(upToUrl);
    cut('urlStart');
    text.append(url);
    if (text.length - start > MAX_ANSWER_BYTES)
      throw new Error(`the answer of ${path} has ${text.length - start} bytes`);
  }
  offsets[placeCount] = text.length;
  return encodeBundle(PLACE_ANSWERS_SCHEMA, { offsets, cuts, text: text.bytes() });
}

function answerOf(tree: CountryTree, place: number, pageUrl: string): PlaceAnswer {
  const parent = tree.parents[place] as number;
  const path = tree.paths[place] as string;
  return {
    id: formatPlaceId(tree.idHexes[place] as string),
    countryCode: tree.countryCode,
    level: path.split('/').length - 1,
    name: tree.names[place] as string,
    localName: tree.localNames[place] as string,
    type: PLACE_TYPES[tree.types[place] as number] as string,
    slug: tree.slugs[place] as string,
    path,
    postalCode: tree.postalCodes[place] as string | null,
    latitude: tree.latitudes[place] as number,
    longitude: tree.longitudes[place] as number,
    parentId: parent === NO_PARENT ? null : formatPlaceId(tree.idHexes[parent] as string),
    url: pageUrl + path,
  };
}
