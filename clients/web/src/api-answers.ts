/**
 * Reads the answers of the API. Items without a text that the elements need are left out and long lists are cut, so
 * that no proxy, captive portal or other version of the API breaks a form.
 */

/** A unit or place of the API, as far as the elements read it. */
export interface Unit {
  readonly id: string;
  readonly name: string;
  readonly localName: string;
  /** `region`, `district`, `municipality`, `locality` or `recipient`. */
  readonly type: string;
  readonly level: number;
  readonly iso3166_2?: string | null;
}

/** A place with a postal code, as the API answers it, with the units it lies in, the largest first. */
export interface Place extends Unit {
  readonly countryCode: string;
  readonly postalCode: string | null;
  readonly latitude: number;
  readonly longitude: number;
  readonly path: string;
  readonly url: string;
  readonly ancestors: readonly Unit[];
  /** Null or undefined for a place that is no city. */
  readonly population?: number | null;
  /** The city that the place belongs to, perhaps the place itself; undefined if there is none. */
  readonly city?: CityOfPlace | undefined;
}

interface CityOfPlace {
  readonly id: string;
  readonly name: string;
}

/** What the API knows about a typed code. */
export interface FoundCode {
  /** How the code was found; see the operation `checkPostcode`. */
  readonly match: 'exact' | 'normalised' | 'partial' | 'inferred' | 'withdrawn' | 'none';
  /** The code as spelled in the data; the typed code if the data has none. */
  readonly postcode: string;
  /** Its places; of an inferred code its town. */
  readonly places: readonly Place[];
  /** Of a partial code in GB, the city that the API has for the part. */
  readonly city?: CityOfPlace | undefined;
  /** The town of an inferred code. */
  readonly town?: string | undefined;
  /** Whether only an earlier release has the whole code. */
  readonly isWithdrawn?: boolean;
}

/** A suggestion of a postal code with its main place and the city of that. */
export interface SuggestedCode extends Pick<Place, 'city'> {
  readonly postalCode: string;
  readonly placeName: string;
}

/** A suggestion of a place, with the units it lies in, the largest first. */
export interface SuggestedPlace extends Omit<Place, 'ancestors' | 'iso3166_2' | 'population'> {
  /** The name, words that distinguish the place from others of the list, and the country, with commas between. */
  readonly label: string;
  /** Null for a place that is no city. */
  readonly population: number | null;
  readonly context: readonly { readonly level: number; readonly name: string; readonly iso3166_2: string | null }[];
}

/** The town to whose block of codes a code belongs that the data lacks. */
interface InferredTown {
  readonly placeName: string;
  /** The name of its city. */
  readonly city?: string;
}

/** The answer to the operation `checkPostcode`. */
export interface CheckedCode extends Pick<FoundCode, 'match'> {
  readonly postcode: string | undefined;
  readonly inferred: InferredTown | undefined;
  readonly isWithdrawn: boolean;
}

/** Maximum number of places of a code; the API gives as many. */
const PLACE_COUNT = 100;

/** The types of units by level in most countries: a suggestion has no types of units. */
const UNIT_TYPES: readonly string[] = ['region', 'district', 'municipality'];
const UNIT = ['name', 'localName', 'type'] as const;

export function readCodes(data: unknown, count: number): readonly SuggestedCode[] {
  const codes = listOf<SuggestedCode>(data, ['postalCode', 'placeName'], count);
  return codes.map((code) => ({ ...code, city: readCity(code) }));
}

export function readSuggestions(data: unknown, count: number): readonly SuggestedPlace[] {
  const places = listOf<SuggestedPlace>(data, [...UNIT, 'id', 'label'], count);
  return places.map((place) => ({
    ...place,
    context: listOf(place.context, ['name'], count),
    city: readCity(place),
  }));
}

/** The city of an item, which can be null. */
function readCity({ city }: { readonly city?: unknown }): CityOfPlace | undefined {
  return listOf<CityOfPlace>([city], ['id', 'name'], 1)[0];
}

/** A suggestion in the form of a found place. */
export function placeOf({ context, ...place }: SuggestedPlace): Place {
  const ancestors = context.map((unit) => {
    return { ...unit, id: '', localName: unit.name, type: UNIT_TYPES[unit.level - 1] ?? '' };
  });
  return { ...place, ancestors };
}

/** The code and its places. */
export function readPlaces(data: unknown): { readonly postcode: unknown; readonly places: readonly Place[] } {
  const { postcode, places } = Object(data);
  const read = listOf<Place>(places, [...UNIT, 'countryCode'], PLACE_COUNT);
  return {
    postcode,
    places: read.map((place) => ({
      ...place,
      ancestors: listOf(place.ancestors, [...UNIT, 'id'], PLACE_COUNT),
      city: readCity(place),
    })),
  };
}

/** Undefined for anything but an answer to the operation `checkPostcode`. */
export function readCheck(data: unknown): CheckedCode | undefined {
  const { match, postcode, inferred, withdrawn } = Object(data);
  if (typeof match !== 'string') return undefined;
  return {
    match: match as CheckedCode['match'],
    postcode: typeof postcode === 'string' ? postcode : undefined,
    inferred: listOf<InferredTown>([inferred], ['placeName'], 1)[0],
    isWithdrawn: !!withdrawn,
  };
}

/** The codes of a page; none if there is a second page. */
export function readPage(data: unknown, count: number): readonly string[] {
  const { items, hasNextPage } = Object(data);
  return hasNextPage ? [] : listOf<{ postcode: string }>(items, ['postcode'], count).map(({ postcode }) => postcode);
}

/** The items with all of these texts. */
function listOf<Item>(data: unknown, texts: readonly (keyof Item & string)[], count: number): readonly Item[] {
  const items: readonly unknown[] = Array.isArray(data) ? data : [];
  return items
    .filter((item) => texts.every((name) => typeof Object(item)[name] === 'string'))
    .slice(0, count) as Item[];
}
