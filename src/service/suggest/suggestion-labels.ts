/**
 * The labels of a list of suggestions: the shortest text that tells each from the others. A label has the name, what
 * tells the place from the places of its name and country in the list, and the country. That is the first of these texts
 * that no other of these places has:
 *
 *   nothing                                          "Berlin, Germany"
 *   the first-level unit, or else a unit below it    "Springfield, Illinois, United States"
 *   all units, the innermost first                   "Springfield, Clark, Ohio, United States"
 *   the postal code and the first-level unit         "Neustadt, 99762, Thuringia, Germany"
 *   the postal code and all units
 *
 * The label of a postal code has its main place: "10115, Berlin, Germany". That of a country is its name. Places that are
 * alike in all of this have the same label.
 */
import type { ByteString } from '../../store/byte-string.js';

/** A place as labels see it: texts are JSON, names without quotes. */
export interface LabelledPlace {
  readonly name: ByteString;
  /** Empty if the place has none. */
  readonly postalCode: ByteString;
  /** Outermost first. */
  readonly units: readonly ByteString[];
  readonly country: ByteString;
}

/** The labels of places, in their order, as JSON strings without quotes. */
export function labelPlaces(places: readonly LabelledPlace[]): ByteString[] {
  const groups = new Map<string, LabelledPlace[]>();
  for (const place of places) {
    const key = join([place.name, place.country]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [place]);
    else group.push(place);
  }
  return places.map((place) => {
    const group = groups.get(join([place.name, place.country])) as LabelledPlace[];
    const parts = group.length === 1 ? [] : distinguish(place, group);
    return join([place.name, ...parts, place.country]);
  });
}

/** What tells a place from the other places of its group. */
function distinguish(place: LabelledPlace, group: readonly LabelledPlace[]): readonly ByteString[] {
  const others = group.filter((other) => other !== place);
  if (place.units.length === 0 && others.every(({ units }) => units.length > 0)) return [];
  const ownUnit = place.units.find((unit) => others.every(({ units }) => !units.includes(unit)));
  if (ownUnit !== undefined) return [ownUnit];
  const allUnits = [...place.units].reverse();
  const chain = join(place.units);
  if (others.every(({ units }) => join(units) !== chain)) return allUnits;
  const code = place.postalCode === '' ? [] : [place.postalCode];
  const isOwnCode = others.every(({ postalCode }) => postalCode !== place.postalCode);
  return isOwnCode ? [...code, ...place.units.slice(0, 1)] : [...code, ...allUnits];
}

function join(texts: readonly ByteString[]): ByteString {
  return texts.join(', ');
}
