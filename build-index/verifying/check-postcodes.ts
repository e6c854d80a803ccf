/** Checks of the postcode index: every leaf under its own code, every code where the hash table looks for it. */
import type { CountryEntry } from '../../src/format/manifest.js';
import { normalizePostcode } from '../../src/format/postcode.js';
import { codePlaces, codeText, findPostcode } from '../../src/store/postcode-index.js';
import type { CountryStructures } from '../../src/store/snapshot.js';
import type { PlaceFields } from './check-answers.js';
import { expect } from './expect.js';

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
  expect(
    postcodes.codeCount === entry.distinctPostcodes,
    where,
    `${entry.distinctPostcodes} codes`,
    () => postcodes.codeCount,
  );
  const leafCount = postalCodes.filter((code) => code !== null).length;
  expect(postcodes.places.length === leafCount, where, `${leafCount} places`, () => postcodes.places.length);

  let previousCode = Buffer.alloc(0);
  for (let code = 0; code < postcodes.codeCount; code++) {
    const text = codeText(postcodes, code);
    const bytes = Buffer.from(text, 'utf8');
    expect(Buffer.compare(previousCode, bytes) < 0, where, 'codes ascending', () => text);
    expect(normalizePostcode(text) === text, where, 'codes in normal form', () => text);
    previousCode = bytes;
    const places = codePlaces(postcodes, code);
    expect(places.length > 0, where, `places of ${text}`, () => 'none');
    places.forEach((place, index) => {
      expect(postalCodes[place] === text, where, `place ${place} to have the code ${text}`, () => postalCodes[place]);
      const ascends = index === 0 || (positions[places[index - 1] as number] as number) < (positions[place] as number);
      expect(ascends, where, `places of ${text} by name then id`, () => `place ${place} too late`);
    });
    const found = findPostcode(postcodes, text);
    expect(found?.postcode === text, where, `to find ${text}`, () => found?.postcode);
  }
}
