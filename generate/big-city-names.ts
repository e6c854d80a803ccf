/**
 * Writes data/big-city-names.tsv, the names of big cities by which a search tells of a country without data: of the cities
 * of all countries of the package, of which a build of some countries reads no other ones.
 */

import { loadCountryFacts } from '../build-index/data-tables/country-facts.js';
import { type Gazetteer, readGazetteer } from '../build-index/gazetteer/read-gazetteer.js';
import { findGazetteer } from '../build-index/reading/gazetteer-files.js';
import { openRelease } from '../build-index/reading/release.js';
import { formatBigCityNames, hashBigCityNames } from '../build-index/structures/hashed-names.js';
import { packagedRelease } from '../src/releases/packaged/packaged-release.js';

export async function writeBigCityNames(): Promise<string> {
  const { countryFiles } = await openRelease(packagedRelease());
  const gazetteer = await readGazetteer(await findGazetteer(packagedRelease(), null, countryFiles, null));
  const codes = loadCountryFacts(null).map(({ code }) => code);
  return formatBigCityNames(hashBigCityNames(gazetteer as Gazetteer, codes), codes);
}
