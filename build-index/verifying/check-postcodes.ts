/** Checks of the postcode index: every leaf under its own code, every code where the hash table looks for it. */
import { buildSlots } from '../../src/format/hash.js';
import type { CountryEntry } from '../../src/format/manifest.js';
import { normalizePostcode } from '../../src/format/postcode.js';
import { hashPostcode } from '../../src/format/postcode-index.js';
import { codePlaces, codeText, findPostcode } from '../../src/store/postcode-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import { compareCodePoints } from '../tree/name-order.js';
import type { PlaceFields } from './check-answers.js';
import { checkSlots } from './check-tree.js';
import { fail } from './fail.js';

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

  const codes: string[] = [];
  let previousCode = '';
  for (let code = 0; code < postcodes.codeCount; code++) {
    const text = codeText(postcodes, code);
    if (code > 0 && compareCodePoints(previousCode, text) >= 0) fail(where, 'codes ascending', text);
    if (normalizePostcode(text) !== text) fail(where, 'codes in normal form', text);
    previousCode = text;
    codes.push(text);
    const places = codePlaces(postcodes, code);
    if (!(places.length > 0)) fail(where, `places of ${text}`, 'none');
    places.forEach((place, index) => {
      if (postalCodes[place] !== text) fail(where, `place ${place} to have the code ${text}`, postalCodes[place]);
      const ascends = index === 0 || (positions[places[index - 1] as number] as number) < (positions[place] as number);
      if (!ascends) fail(where, `places of ${text} by name then id`, `place ${place} too late`);
    });
    const found = findPostcode(postcodes, text);
    if (found?.postcode !== text) fail(where, `to find ${text}`, found?.postcode);
  }
  const slots = buildSlots(codes.length, (code) => hashPostcode(codes[code] as string));
  checkSlots(postcodes.slots, slots, where);
}
