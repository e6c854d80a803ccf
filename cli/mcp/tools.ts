/**
 * The six tools: what each is for, its arguments, and how the API's answers become its answer. Arguments and their rules
 * are those of the table of routes. An answer is short: a model pays for every word.
 */

import type {
  AddressMatch,
  NearbyPlace,
  NearbyPostcode,
  NearestPlace,
  PlaceDetail,
  PlacePostcodePage,
  PostcodeCheck,
  PostcodePlaces,
  Suggestion,
} from '../../clients/typescript/src/types.js';
import { type Lookup, lookupHas } from '../../src/api/description/bind-lookup.js';
import { invalidParameter } from '../../src/api/description/parameters.js';
import { nearbyInToolAnswer, placeInToolAnswer, suggestionInToolAnswer, type ToolAnswer } from './tool-answer.js';
import { type Argument, argumentsOf } from './tool-arguments.js';

/** Answers an operation of the API with its data. */
export type Ask = <Data>(operation: string, parameters: Lookup) => Data;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  readonly answer: (ask: Ask, given: Lookup) => ToolAnswer;
}

/** Maximum number of places in the answer about a postal code: of 100, a model reads all and uses few. */
const MAX_CODE_PLACES = 20;
/** Maximum number of these of one country where several countries have the code. */
const MAX_PLACES_OF_EACH_COUNTRY = 4;
/** Maximum number of postal codes that the answer about a place lists. */
const MAX_PLACE_CODES = 20;

export const tools: readonly Tool[] = [
  {
    name: 'postal_lookup_code',
    title: 'Look up a postal code',
    description:
      'Finds the places of a postal code (ZIP code, postcode) in one country, in several, or in all. Case, spaces and ' +
      'hyphens make no difference.',
    arguments: argumentsOf('findPostcodes', ['include']),
    answer: lookUpCode,
  },
  {
    name: 'postal_suggest',
    title: 'Find places by name',
    description:
      'Finds places by the start of a name or by an address line, the best first. With kinds=postcode it completes ' +
      'postal codes, with kinds=country it finds the code of a country. Use it to get the id of a place.',
    arguments: argumentsOf('autocomplete', ['include']),
    answer: suggest,
  },
  {
    name: 'postal_match_address',
    title: 'Match an address',
    description:
      'Finds the one place that a whole postal address leads to, by its postal code or its town. Nothing is guessed: an ' +
      'address without a sure place has none. Use postal_suggest for parts of an address.',
    arguments: argumentsOf('match', ['include']),
    answer: matchAddress,
  },
  {
    name: 'postal_reverse',
    title: 'Find the place at a position',
    description:
      'Finds the nearest place with a postal code within 80 km of a latitude and longitude, in the country that contains ' +
      'them unless country names one, or any.',
    arguments: argumentsOf('reverse', ['include']),
    answer: reverse,
  },
  {
    name: 'postal_nearby',
    title: 'List what is near',
    description:
      'Lists places or, with by=postcode, postal codes around a centre, nearest first, across borders. The centre is lat ' +
      'and lng, or country with postcode, or country with place (an id).',
    arguments: argumentsOf('nearby', ['include']),
    answer: nearby,
  },
  {
    name: 'postal_place',
    title: 'Describe a place',
    description:
      'Describes one place by its country with its id or its path: the units that it lies in, time zone, population, ' +
      'ISO 3166-2 code and postal codes. Other tools tell the id.',
    arguments: [
      ...argumentsOf('getPlace', ['include']).map((one) => (one.name === 'id' ? { ...one, isRequired: false } : one)),
      ...argumentsOf('resolvePath', ['include', 'country']).map((one) => ({ ...one, isRequired: false })),
    ],
    answer: describePlace,
  },
];

/** What an entry of an answer tells besides the place. */
const CITY = { include: 'city' };

function lookUpCode(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<PostcodePlaces[]>('findPostcodes', { ...given, ...CITY });
  const most = found.length === 1 ? MAX_CODE_PLACES : MAX_PLACES_OF_EACH_COUNTRY;
  const shown = found.flatMap(({ places }) => places.slice(0, most)).slice(0, MAX_CODE_PLACES);
  const notes = found.flatMap(({ countryCode }) => {
    const { match, postcode, asked } = ask<PostcodeCheck>('checkPostcode', {
      country: countryCode,
      postcode: given.postcode,
    });
    return match === 'partial' ? `${countryCode}: ${postcode} is a partial match of ${asked}.` : [];
  });
  const total = found.reduce((count, { places }) => count + places.length, 0);
  if (total > shown.length) notes.push(`${total - shown.length} more places have this code.`);
  return { places: shown.map(placeInToolAnswer), notes };
}

function suggest(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<Suggestion[]>('autocomplete', { ...given, include: 'place' });
  const where = lookupHas(given, 'country') ? ', or leave out country' : '';
  const notes = found.length > 0 ? [] : [`No results. Ask for a shorter start of the name${where}.`];
  return { places: found.map(suggestionInToolAnswer), notes };
}

function matchAddress(ask: Ask, given: Lookup): ToolAnswer {
  const { place, match, postcode, city, conflict } = ask<AddressMatch>('match', given);
  const conflicts = conflict === null ? [] : [conflict.message];
  if (place === null) {
    const advice = 'No place is sure. Check the postal code and the town, or ask postal_suggest for the town.';
    return { places: [], notes: [...conflicts, advice] };
  }
  const how = postcode === null ? 'The place was found by its town, without a postal code.' : `Match: ${match}.`;
  return { places: [placeInToolAnswer({ ...place, postalCode: postcode, city })], notes: [how, ...conflicts] };
}

function reverse(ask: Ask, given: Lookup): ToolAnswer {
  return { places: [nearbyInToolAnswer(ask<NearestPlace>('reverse', { ...given, ...CITY }))], notes: [] };
}

function nearby(ask: Ask, given: Lookup): ToolAnswer {
  const found = ask<(NearbyPlace | NearbyPostcode)[]>('nearby', { ...given, ...CITY });
  const notes = found.length > 0 ? [] : ['Nothing is that near. Ask with a greater radiusKm.'];
  return { places: found.map(nearbyInToolAnswer), notes };
}

type DescribedPlace = PlaceDetail & Required<Pick<PlaceDetail, 'codes' | 'timezone' | 'population'>>;

function describePlace(ask: Ask, { country, id, path }: Lookup): ToolAnswer {
  const include = 'codes,timezone,population,city';
  if (id == null && path == null) throw invalidParameter('id', 'Either id or path is required', 'a place id');
  if (id != null && path != null) throw invalidParameter('path', 'Either id or path is required, not both', 'no path');
  const place =
    id == null
      ? ask<DescribedPlace>('resolvePath', { country, path, include })
      : ask<DescribedPlace>('getPlace', { country, id, include });
  const { items, totalCount } = ask<PlacePostcodePage>('listPostcodes', {
    ...{ country, id: place.id, pageSize: MAX_PLACE_CODES, recipients: place.type === 'recipient' },
  });
  const ofWhat = place.city?.id === place.id ? 'its city' : 'the places of this name in its unit';
  const title = place.postalCode === null ? 'Postal codes' : `Postal codes of ${ofWhat}`;
  const count = totalCount > items.length ? `${totalCount}, the first ${items.length}` : totalCount;
  const notes = [
    `Time zone: ${place.timezone}.`,
    ...(place.population === null ? [] : [`Population: ${place.population}.`]),
    ...(place.codes.iso3166_2 === null ? [] : [`ISO 3166-2: ${place.codes.iso3166_2}.`]),
    `Places directly in it: ${place.childCount}.`,
    items.length === 0
      ? `${title}: none.`
      : `${title} (${count}): ${items.map(({ postcode }) => postcode).join(', ')}.`,
  ];
  return { places: [placeInToolAnswer(place)], notes };
}
