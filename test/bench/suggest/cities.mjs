/**
 * The cities that bench:suggest asks for: the most populous populated places of a gazetteer in the countries that a
 * snapshot has, without sections of cities. Cities that lie where the snapshot has no row within reach are kept apart:
 * no order of suggestions can find them.
 */
import { distance } from 'geokdbush';

const CITY_COUNT = 3_000;
/** A suggestion is right that lies within this distance of the city. */
export const REACH_KM = 25;
/** A section of a city is no city that people look for. */
const SECTION = 'PPLX';

/**
 * `citiesByCountry` is what readGazetteer gives; `nearestKm(city)` the distance of the snapshot's nearest row. The cities
 * to ask for, the most populous first, those out of reach, and every city of the covered countries by population.
 */
export function chooseCities(citiesByCountry, isCovered, nearestKm) {
  const listed = [...citiesByCountry]
    .filter(([country]) => isCovered(country))
    .flatMap(([, cities]) => cities)
    .filter(({ featureCode }) => featureCode !== SECTION)
    .sort((a, b) => b.population - a.population || a.geonameId - b.geonameId);
  const chosen = listed.slice(0, CITY_COUNT);
  const isInReach = (city) => nearestKm(city) <= REACH_KM;
  return { listed, asked: chosen.filter(isInReach), outOfReach: chosen.filter((city) => !isInReach(city)) };
}

/** Kilometres between two positions with latitude and longitude. */
export function kmBetween(one, other) {
  return distance(one.longitude, one.latitude, other.longitude, other.latitude);
}
