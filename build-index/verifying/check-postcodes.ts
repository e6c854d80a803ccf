/** Checks the postcode index: every leaf has its own code, and the hash table finds every code. */
import { isAscii, isUtf8 } from 'node:buffer';
import { buildSlots, probeSlots } from '../../src/format/hash.js';
import type { CountryEntry } from '../../src/format/manifest.js';
import { normalizePostcode } from '../../src/format/postcode.js';
import { hashPostcode, MAX_CODE_BYTES, type PostcodeIndex } from '../../src/format/postcode-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { compareCodePoints } from '../tree/name-order.js';
import type { PlaceFields } from './check-answers.js';
import { checkSlots } from './check-tree.js';
import { fail } from './fail.js';

/** Codes of this form, the most common one, are in normal form. */
const PLAIN_CODE = /^[A-Z0-9]+(?:[ -][A-Z0-9]+)*$/;

export function checkPostcodes(
  { postcodes, orders }: CountryStructures,
  { postalCodes }: PlaceFields,
  entry: CountryEntry,
): void {
  const where = `postcode-index of ${entry.code}`;
  const positions = new Uint32Array(orders.all.length);
  orders.all.forEach((place, position) => {
    positions[place] = position;
  });
  if (postcodes.codeCount !== entry.distinctPostcodes)
    fail(where, `${entry.distinctPostcodes} codes`, postcodes.codeCount);
  const leafCount = postalCodes.filter((code) => code !== null).length;
  if (postcodes.places.length !== leafCount) fail(where, `${leafCount} places`, postcodes.places.length);

  const codes = listCodes(postcodes, where);
  const { places, placeStarts } = postcodes;
  codes.forEach((text, code) => {
    if (code > 0 && compareCodePoints(codes[code - 1] as string, text) >= 0) fail(where, 'codes ascending', text);
    if (!isNormal(text)) fail(where, 'codes in normal form', text);
    const [start, end] = [placeStarts[code] as number, placeStarts[code + 1] as number];
    if (!(start < end)) fail(where, `places of ${text}`, 'none');
    for (let at = start; at < end; at++) {
      const place = places[at] as number;
      if (postalCodes[place] !== text) fail(where, `place ${place} to have the code ${text}`, postalCodes[place]);
      const ascends = at === start || (positions[places[at - 1] as number] as number) < (positions[place] as number);
      if (!ascends) fail(where, `places of ${text} by name then id`, `place ${place} too late`);
    }
  });
  const hashes = Uint32Array.from(codes, hashPostcode);
  const slots = buildSlots(codes.length, (code) => hashes[code] as number);
  checkSlots(postcodes.slots, slots, where);
  for (let code = 0; code < codes.length; code++) {
    let isFound = false;
    probeSlots(slots, hashes[code] as number, (found) => {
      isFound = found === code;
      return isFound;
    });
    if (!isFound) fail(where, `to find ${codes[code]}`, 'it too far from its slot');
  }
}

/** The texts of all codes. */
function listCodes({ codeText, codeOffsets, codeCount }: PostcodeIndex, where: string): string[] {
  if (!isUtf8(codeText)) fail(where, 'codes in UTF-8', 'other bytes');
  const ascii = isAscii(codeText) ? codeText.toString('latin1') : undefined;
  return Array.from({ length: codeCount }, (_, code) => {
    const [start, end] = [codeOffsets[code] as number, codeOffsets[code + 1] as number];
    if (!(start < end && end - start <= MAX_CODE_BYTES)) fail(where, `code ${code}`, `bytes ${start} to ${end}`);
    return ascii === undefined ? codeText.toString('utf8', start, end) : ascii.slice(start, end);
  });
}

function isNormal(text: string): boolean {
  return PLAIN_CODE.test(text) || normalizePostcode(text) === text;
}
