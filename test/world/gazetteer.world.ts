/**
 * The cities of a whole gazetteer in a whole release: how many of the people live in a city that was found, and whether
 * 300 of the matches, drawn by seed and looked at one by one (name, distance, admin units), are still what they were
 * found to be. Paths are those of the release of 2026-03.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { CityMatch } from '../../build-index/cities/city-match.js';
import { matchCities } from '../../build-index/cities/match-cities.js';
import { addMatchTally, createMatchTally, tallyMatches } from '../../build-index/cities/match-tally.js';
import { placeCitiesInTree } from '../../build-index/cities/placed-cities.js';
import { cleanPlaces } from '../../build-index/cleaning/clean-places.js';
import { unitNamesOf } from '../../build-index/data-tables/unit-names.js';
import { readGazetteer } from '../../build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../../build-index/reading/gazetteer-files.js';
import { parsePostalRow } from '../../build-index/reading/postal-row.js';
import { openRelease } from '../../build-index/reading/release.js';
import { createRowTally } from '../../build-index/reading/row-problems.js';
import { readLines } from '../../build-index/reading/table-lines.js';
import { PlaceCollector } from '../../build-index/tree/collected-places.js';
import { buildCountryTree } from '../../build-index/tree/country-tree.js';
import { count, percent, printFigures, releaseFolder } from './world.js';

/** A geonameid, its country, and the path of the place that people mean; null where no place is that city. */
type Fact = readonly [number, string, string | null];

const MIN_RIGHT = 0.99;
/** Of the people in cities that are not inside a larger one. */
const MIN_FOUND = 0.93;

test('nearly all people live in a city that was found, and nearly all of the sample is right', async () => {
  const release = releaseFolder('2026-03');
  const table = join(release, '../gazetteer/cities15000.zip');
  // The table lies beside the releases, and is asked for as loudly as they are.
  expect({ table, isThere: existsSync(table) }).toEqual({ table, isThere: true });
  const gazetteer = await readGazetteer(await findGazetteer(release, table, [], null));
  const facts: Fact[] = JSON.parse(readFileSync(join(import.meta.dirname, 'fixtures', 'matched-cities.json'), 'utf8'));
  const factByCity = new Map(facts.map((fact) => [fact[0], fact]));
  const total = createMatchTally();
  const wrong: string[] = [];
  let right = 0;
  for (const file of (await openRelease(release)).countryFiles) {
    const { countryCode } = file;
    const cities = gazetteer?.citiesByCountry.get(countryCode) ?? [];
    const unitNames = unitNamesOf(countryCode);
    const collector = new PlaceCollector((code) => unitNames.nameOfCode(code));
    const context = { countryCode, tally: createRowTally(), where: () => file.textName };
    await readLines(file, (line) => {
      const row = parsePostalRow(line.toString('utf8'), context);
      if (row !== undefined) collector.add(row);
    });
    if (collector.places.parents.length === 0) continue;
    const tree = buildCountryTree(cleanPlaces(collector.places, countryCode).places, countryCode);
    const matches: CityMatch[] = matchCities(tree, cities);
    addMatchTally(total, tallyMatches(placeCitiesInTree(tree, matches)));
    for (const { city, places } of matches) {
      const fact = factByCity.get(city.geonameId);
      if (fact === undefined) continue;
      const path = tree.paths[places[0] ?? -1] ?? null;
      if (path === fact[2]) right++;
      else wrong.push(`${countryCode} ${city.name}: ${path}, not ${fact[2]}`);
    }
  }
  const { none, 'in larger city': inLarger, ...found } = total.kinds;
  const people = Object.values(found).reduce((sum, kind) => sum + kind.people, 0);
  printFigures(
    `gazetteer: ${percent(people, people + none.people)} of the people outside larger cities found, ` +
      `${count(none.cities)} cities not; ${count(inLarger.cities)} inside larger ones; ` +
      `${right} of ${right + wrong.length} of the sample right${wrong.map((text) => `\n  ${text}`).join('')}`,
  );
  // A later table may lack some of the 300.
  expect(right + wrong.length).toBeGreaterThan(290);
  expect(right / (right + wrong.length)).toBeGreaterThanOrEqual(MIN_RIGHT);
  expect(people / (people + none.people)).toBeGreaterThanOrEqual(MIN_FOUND);
});
