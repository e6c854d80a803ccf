/** The place that an address leads to: by its town or its code, never by a street or a name. */

import { beforeAll, describe, expect, test } from '@jest/globals';
import { readNameField } from '../../src/core/snapshot/place-fields.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { matchAddress } from '../../src/core/suggest/address-match.js';
import { openFixture } from '../fixtures/fixture-snapshot.js';
import { lineOf } from '../fixtures/hand-made-release.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';

/** The name of the place, if there is one, and how it was found. */
function find(snapshot: Snapshot, address: string, country: string): string {
  const { match, found } = matchAddress(snapshot, address, snapshot.countryByCode.get(country));
  return found === undefined ? match : `${readNameField(found.structures, found.place)} ${match}`;
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
    ['Church St, Boston, MA', 'US', 'Boston partial'],
    ['12 Main St Boston MA', 'US', 'Boston partial'],
    ['Königstraße 1, Nürnberg', 'DE', 'Nürnberg partial'],
    ['Königstraße 1 Nürnberg', 'DE', 'Nürnberg partial'],
    ['Unter den Linden 77, 10117 Berlin', 'DE', 'Berlin exact'],
    ['Königstr. 1\n90402 Nürnberg\nGermany', '', 'Nürnberg exact'],
    ['Königstr. 1\n90402 Nürnberg\nTel. 0911 1234', 'DE', 'Nürnberg exact'],
    ['Königstr. 1\n90402 Nürnberg\nGermany', 'US', 'none'],
  ])('%j of %j: %s', (address, country, expected) => expect(find(snapshot, address, country)).toBe(expected));
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
