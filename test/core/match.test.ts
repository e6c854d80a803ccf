/** What `match` answers of an address: its place, the code and the city that were found, or why there is none. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { match } from '../../src/core/answers/match.js';
import { getPlace } from '../../src/core/answers/places.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { lineOf } from '../fixtures/hand-made-release.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { parseAnswer } from './answer.js';

interface Matched {
  readonly address: string;
  readonly match: string;
  readonly countryCode: string | null;
  readonly postcode: string | null;
  readonly place: { readonly id: string; readonly name: string; readonly postalCode: string } | null;
  readonly city: { readonly id: string; readonly name: string } | null;
  readonly conflict: object | null;
}

const matchOf = (snapshot: Snapshot, address: string, country?: string): Matched =>
  parseAnswer(match(snapshot, { address, country }));

describe('in whole countries', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = openSnapshot(await sharedStarterSnapshot());
  });

  test('a code with its town leads to a place as the API describes it, and to its city', () => {
    const include = ['city', 'codes'] as const;
    const address = 'Unter den Linden 77\r\n10117 Berlin\nGermany';
    const found: Matched = parseAnswer(match(snapshot, { address, country: undefined, include }));
    expect(Object.keys(found)).toEqual('address match countryCode postcode place city conflict'.split(' '));
    expect(found).toMatchObject({ address, match: 'exact', countryCode: 'DE', postcode: '10117', conflict: null });
    const id = found.place?.id as string;
    const place: Matched = parseAnswer(getPlace(snapshot, { country: 'DE', id, include }));
    expect(found.place).toEqual(place);
    expect(found.city).toEqual(place.city);
  });

  test('a town without a code has no code, whichever its place has', () => {
    const found = matchOf(snapshot, 'Church St, Boston, MA');
    expect(found).toMatchObject({ match: 'partial', countryCode: 'US', postcode: null, city: { name: 'Boston' } });
    expect(found.place).toMatchObject({ name: 'Boston', postalCode: expect.any(String) });
  });

  test.each([
    ['nowhere', 'DE'],
    ['??', undefined],
    ['x'.repeat(500), undefined],
  ])('%j of %j leads to no place', (address, country) => {
    expect(matchOf(snapshot, address, country)).toEqual({
      ...{ address, match: 'none', countryCode: null, postcode: null, place: null, city: null, conflict: null },
    });
  });

  test('a code and a town that lie apart lead to no place', () => {
    expect(matchOf(snapshot, '20095 Nürnberg')).toMatchObject({ match: 'none', countryCode: null, place: null });
  });

  test.each([
    ['1-1 Chiyoda, Tokyo, Japan', undefined],
    ['1-1 Chiyoda\nTokyo\nJapan', undefined],
    ['1-1 Chiyoda', 'JP'],
  ])('%j of %j is in a country without data, which is told', (address, country) => {
    const message = 'There is no postcode data for Japan (JP).';
    expect(matchOf(snapshot, address, country)).toMatchObject({
      ...{ match: 'none', place: null, conflict: { reason: 'country_without_data', message, countryCode: 'JP' } },
    });
  });

  test('the code of no country is an error', () => {
    expect(() => matchOf(snapshot, '10117 Berlin', 'QQ')).toThrow('There is no country with the code QQ.');
  });
});

test('a full code has its own text and position', async () => {
  const snapshot = await openFixture({
    GB: [['SW1A', 'Whitehall', 'England', 'Greater London', '', 51.504, -0.127]],
    GB_full: [lineOf('GB', ['SW1A 2AA', 'Whitehall', 'England', '', '', 51.5034, -0.1276])],
  });
  const found = matchOf(snapshot, '10 Downing Street, Whitehall, sw1a2aa');
  expect(found).toMatchObject({ match: 'normalised', postcode: 'SW1A 2AA' });
  expect(found.place).toMatchObject({ postalCode: 'SW1A 2AA', latitude: 51.5034, longitude: -0.1276 });
});

test('a unit that is the town of an address is its own city', async () => {
  const rows = [['AD100', 'Ransol', 'Canillo', '', '', 42.58, 1.64]] as const;
  const snapshot = await openFixture({ AD: [...rows, ['AD101', 'Canillo', 'Canillo', '', '', 42.56, 1.6]] });
  const found = matchOf(snapshot, 'Carrer Major 1, Canillo');
  expect(found.city).toMatchObject({ id: expect.any(String), name: 'Canillo' });
});
