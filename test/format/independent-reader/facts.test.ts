/** The independent reader and the service agree on what is told of places on request. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { decodeSnapshot } from '../../../src/core/snapshot/snapshot.js';
import { INCLUDED_FIELDS, readResponseData } from '../../../src/core/use-cases/response-data.js';
import { service } from '../../../src/core/use-cases/service.js';
import { buildFrom, createTemporaryFolder, writeRelease } from '../../fixtures/fixture-snapshot.js';
import { cityLineOf, cityOf } from '../../fixtures/gazetteer.js';
import { HAND_MADE_ROWS } from '../../fixtures/hand-made-release.js';
import { readCountryPlaces } from './country-places.js';
import { readFacts } from './place-facts.js';
import { COUNTRY_SECTIONS, openSnapshotFile } from './snapshot-file.js';

const CITIES = [
  cityOf('DE', 'Munich', 48.14, 11.57, { otherNames: ['München'], population: 1_500_000, timezone: 'Europe/Berlin' }),
  cityOf('US', 'York', 39.96, -76.73, { population: 44_000, timezone: 'America/New_York' }),
  cityOf('US', 'Lake View', 47, -100, { population: 20_000, timezone: 'America/Chicago' }),
];

test('codes, time zones, populations and bounds of every place', async () => {
  const folder = createTemporaryFolder();
  try {
    const release = join(folder.path, 'release');
    writeRelease(release, HAND_MADE_ROWS);
    writeFileSync(join(release, 'cities500.txt'), `${CITIES.map(cityLineOf).join('\n')}\n`);
    await buildFrom(release, join(folder.path, 'facts.snapshot'));
    const bytes = readFileSync(join(folder.path, 'facts.snapshot'));
    const [file, snapshot] = [openSnapshotFile(bytes), decodeSnapshot(bytes, false)];
    const found = { codes: 0, timezone: 0, population: 0, bounds: 0 };
    for (const country of file.countries.filter(({ slices }) => slices.length > 0)) {
      const places = readCountryPlaces(country);
      const read = readFacts(country.slices[COUNTRY_SECTIONS.indexOf('place-facts')] as Buffer, places);
      for (let place = 0; place < places.placeCount; place++) {
        const input = { country: country.code, id: places.idOf(place), include: [...INCLUDED_FIELDS] };
        const answer = JSON.parse(readResponseData(service.getPlace(snapshot, input)));
        const facts = read(place);
        expect(answer).toMatchObject(facts);
        found.codes += Number(facts.codes.iso3166_2 !== null);
        found.timezone += Number(facts.timezone !== null);
        found.population += Number(facts.population !== null);
        found.bounds += Number(facts.bounds !== null);
      }
    }
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(1);
  } finally {
    folder.remove();
  }
});
