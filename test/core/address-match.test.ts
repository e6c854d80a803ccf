/** The place that an address leads to: by its town or its code, never by a street or a name. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { readNameField } from '../../src/core/snapshot/place-fields.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { describeConflict } from '../../src/core/suggest/address-conflict.js';
import { matchAddress } from '../../src/core/suggest/address-match.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { lineOf } from '../fixtures/hand-made-release.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

/** The name of the place, if there is one, and how it was found. */
function find(snapshot: Snapshot, address: string, country: string): string {
  const { match, found } = matchAddress(snapshot, address, snapshot.countryByCode.get(country));
  return found === undefined ? match : `${readNameField(found.structures, found.place)} ${match}`;
}

/** Why there is no place: the reason and the country, in a sentence too. */
function whyNot(snapshot: Snapshot, address: string, country: string): readonly unknown[] {
  const { match, found, conflict } = matchAddress(snapshot, address, snapshot.countryByCode.get(country));
  expect([match, found]).toEqual(['none', undefined]);
  return conflict === undefined ? [] : [conflict.reason, conflict.country.entry.code, describeConflict(conflict)];
}

describe('in whole countries', () => {
  let snapshot: Snapshot;
  beforeAll(async () => {
    snapshot = openSnapshot(await sharedStarterSnapshot());
  });

  test.each([
    ['Main St', 'US', 'none'],
    ['Broadway', 'US', 'none'],
    ['10 Broadway', 'US', 'none'],
    ['12345 Main St', 'US', 'none'],
    ['Washington Street', 'US', 'none'],
    ['Bahnhofstrasse 8001', 'CH', 'none'],
    ['Apt 1010', 'AT', 'none'],
    ['1200 Main Street', '', 'none'],
    ['Berliner Straße 5', 'DE', 'none'],
    ['Paris Hilton', 'US', 'none'],
    ['Boston Consulting Group', 'US', 'none'],
    ['n/a', 'US', 'none'],
    ['10115 Berlin', 'US', 'none'],
    ['20095 Nürnberg', 'DE', 'none'],
    ['Beverly Hills CA 90210', 'DE', 'none'],
    ['90210', 'DE', 'none'],
    ['90999 Nürnberg', 'DE', 'Nürnberg partial'],
    ['Nuernberg 90999', 'DE', 'Nürnberg partial'],
    ['90999 Nuremberg', 'DE', 'Nürnberg partial'],
    ['90402 Beverly Hills', 'DE', 'Nürnberg exact'],
    ['9021St. Gallen MS', 'CH', 'St. Gallen MS exact'],
    ['75001 Paris Texas', 'US', 'none'],
    ['Church St, Boston, MA', 'US', 'Boston partial'],
    ['12 Main St Boston MA', 'US', 'Boston partial'],
    ['Königstraße 1, Nürnberg', 'DE', 'Nürnberg partial'],
    ['Königstraße 1 Nürnberg', 'DE', 'Nürnberg partial'],
    ['Unter den Linden 77, 10117 Berlin', 'DE', 'Berlin exact'],
    ['Königstr. 1\n90402 Nürnberg\nGermany', '', 'Nürnberg exact'],
    ['Königstr. 1\n90402 Nürnberg\nTel. 0911 1234', 'DE', 'Nürnberg exact'],
    ['Königstr. 1\n90402 Nürnberg\nGermany', 'US', 'none'],
    ['10101 Berlin', '', 'Berlin partial'],
    ['1009 Luxembourg', '', 'Luxembourg partial'],
    ['Springfield IL 62799', '', 'Springfield partial'],
    ['Boise, ID 83702', '', 'Boise exact'],
    ['10 Downing Street', '', 'none'],
    ['1500 Main Street, Springfield, MA', '', 'Springfield partial'],
    ['2000 Broadway, Oakland, CA', '', 'Oakland partial'],
    ['12000 Wilshire, Los Angeles', '', 'Los Angeles partial'],
    ['No 1500, Springfield', '', 'Springfield partial'],
    ['Rt 50, Fairfax, VA', '', 'Fairfax partial'],
    ['Athens, GA', '', 'Athens partial'],
    ['30601 Athens', '', 'Athens exact'],
    ['12 Main Street, Athens', 'US', 'Athens partial'],
    ['Athens, Georgia', '', 'Athens partial'],
    ['Paris, Texas', '', 'Paris partial'],
    ['1 Main St, Paris 75460', '', 'Paris exact'],
    ['1 Main St, Paris 75463', '', 'Paris partial'],
    ['Halle', '', 'Halle partial'],
  ])('%j of %j: %s', (address, country, expected) => expect(find(snapshot, address, country)).toBe(expected));

  const ofData = (code: string): string => `There is no postcode data for ${code}.`;
  test.each([
    ['10 rue de Rivoli, 75004 Paris', '', 'town_better_known_elsewhere', 'FR', 'Paris'],
    ['10117 Paris', '', 'town_better_known_elsewhere', 'FR', 'Paris'],
    ['Syntagma 1, Athens', '', 'town_better_known_elsewhere', 'GR', 'Athens'],
    ['Syntagma 1\nAthens', '', 'town_better_known_elsewhere', 'GR', 'Athens'],
    ['Tverskaya 1, 125009 Moscow', '', 'town_better_known_elsewhere', 'RU', 'Moscow'],
    ['00184 Roma', '', 'town_better_known_elsewhere', 'IT', 'Roma'],
  ])('%j of %j is a town that is better known elsewhere', (address, country, reason, code, town) => {
    const [foundReason, foundCode, message] = whyNot(snapshot, address, country);
    expect([foundReason, foundCode]).toEqual([reason, code]);
    const { name } = snapshot.countryByCode.get(code)?.entry ?? { name: '' };
    expect(message).toBe(`The best known ${town} is in another country. ${ofData(`${name} (${code})`)}`);
  });

  test.each([
    ['75004 Paris', 'US', '75004 is not a postal code of Paris (United States).'],
    ['Paris, TX 75004', '', '75004 is not a postal code of Paris TX (United States).'],
    ['75004 Berlin', '', '75004 is not a postal code of Berlin (Germany).'],
    ['20095 Nürnberg', '', '20095 is not a postal code of Nürnberg (Germany).'],
    ['Königstr. 1 20095 Nürnberg', 'DE', '20095 is not a postal code of Nürnberg (Germany).'],
    ['8001 Berlin', '', '8001 is not a postal code of Berlin (Germany).'],
    ['10115 Zürich', '', '10115 is not a postal code of Zürich (Switzerland).'],
    ['Zürich, CH-1201', '', 'CH-1201 is not a postal code of Zürich (Switzerland).'],
    ['Springfield, MA 62701-1234', '', '62701-1234 is not a postal code of Springfield MA (United States).'],
    ['SW1A 1AA Berlin', '', 'SW1A 1AA is not a postal code of Berlin (Germany).'],
    ['K1A 0B1 Toronto', '', 'K1A 0B1 is not a postal code of Toronto (Canada).'],
  ])('%j of %j has a code that is elsewhere', (address, country, message) => {
    expect(whyNot(snapshot, address, country)).toEqual(['postcode_elsewhere', expect.any(String), message]);
  });

  test.each([
    ['10 rue de Rivoli, 75004 Paris', 'FR', 'France (FR)'],
    ['Athens, Greece', '', 'Greece (GR)'],
    ['69001 Lyon', '', 'France (FR)'],
    ['Shinjuku 2-8-1, Tokyo', '', 'Japan (JP)'],
    ['Main St 1\nPerth\nAustralia', '', 'Australia (AU)'],
    ['01310-100', '', 'Brazil (BR)'],
  ])('%j of %j is in a country without data', (address, country, expected) => {
    expect(whyNot(snapshot, address, country)).toEqual(['country_without_data', expect.any(String), ofData(expected)]);
  });

  test.each(['75004 Rivoli', 'n/a', 'Paris Hilton'])('%j names neither', (address) => {
    expect(whyNot(snapshot, address, '')).toEqual([]);
  });
});

test('a code that the data lack is that of the town in whose block it is, or elsewhere', async () => {
  const snapshot = await openFixture({
    BR: [
      ['01000-000', 'São Paulo', 'Sao Paulo', '', '', -23.5475, -46.6361],
      ['20000-000', 'Rio de Janeiro', 'Rio de Janeiro', '', '', -22.9064, -43.1822],
    ],
  });
  expect(find(snapshot, 'Av. Paulista 1000, São Paulo, Sao Paulo 01310-100', '')).toBe('São Paulo inferred');
  expect(find(snapshot, '01310-100', '')).toBe('São Paulo inferred');
  expect(find(snapshot, '01310100', 'BR')).toBe('São Paulo inferred');
  expect(whyNot(snapshot, 'Rio de Janeiro, 01310-100', 'BR')[0]).toBe('postcode_elsewhere');
});

test('a first part is the whole code only if no full code was written', async () => {
  const snapshot = await openFixture({
    GB: [
      ['SW1A', 'Westminster Abbey', 'England', 'Greater London', '', 51.5018, -0.1328],
      ['SW1A', 'Whitehall', 'England', 'Greater London', '', 51.504, -0.127],
    ],
    GB_full: [lineOf('GB', ['SW1A 2AA', 'Whitehall', 'England', '', '', 51.5034, -0.1276])],
  });
  const addresses = ['Whitehall SW1A 9XX', '2 High Street, Whitehall, SW1A 9XX, UK', 'Whitehall SW1A'];
  const matches = addresses.map((address) => matchAddress(snapshot, address, undefined).match);
  expect(matches).toEqual(['partial', 'partial', 'exact']);
});
