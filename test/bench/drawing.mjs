/** Places drawn at random from a snapshot, for queries that are made of its own data. */
import { decodeUtf8 } from '../../dist/src/core/snapshot/byte-string.js';
import { placeJson } from '../../dist/src/core/snapshot/rendered-places.js';

/**
 * A function that gives a leaf at random: its country's code, its number, its structures and its object. All leaves are
 * drawn alike, so large countries come as often as they are large.
 */
export function createDraw(snapshot, random) {
  const countries = snapshot.countries.filter(({ structures }) => structures !== undefined);
  const ends = [];
  for (const { structures } of countries) ends.push((ends.at(-1) ?? 0) + structures.postcodes.places.length);
  return () => {
    const position = Math.floor(random() * ends.at(-1));
    const index = ends.findIndex((end) => position < end);
    const { entry, structures } = countries[index];
    const number = structures.postcodes.places[position - (ends[index - 1] ?? 0)];
    return { country: entry.code, structures, number, place: parsePlace(structures, number) };
  };
}

/** The object of a place by its number. */
export function parsePlace({ renderedPlaces }, number) {
  return JSON.parse(decodeUtf8(placeJson(renderedPlaces, number)));
}
