/**
 * The parameters of Photon's endpoints (komoot/photon, docs/api-v1.md), and the rules that only Photon has: numbers may
 * have exponents, flags are true for 1, yes and true, limits are clamped, filters may be repeated.
 */

import { MAX_NEARBY_RADIUS_KM } from '../../core/answers/nearby.js';
import { type Box, PHOTON_LAYERS, type TagFilter } from '../../core/answers/photon.js';
import { REVERSE_RADIUS_KM } from '../../core/lookup/reverse.js';
import { MAX_SEARCH_LENGTH } from '../../core/suggest/search-text.js';
import { MAX_SUGGESTIONS } from './field-schemas.js';
import { countryCode, languageTags, type Rule, searchText, wordRule } from './parameter-rules.js';
import { optional, repeated, required } from './parameters.js';

/** Maximum number of values of a parameter that can be repeated. */
const MAX_REPEATED = 10;
/** Maximum number of characters of a number, more than any program writes. */
const MAX_NUMBER_CHARACTERS = 32;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function numberOf(text: string): number {
  return text.length <= MAX_NUMBER_CHARACTERS && NUMBER.test(text) ? Number(text) + 0 : Number.NaN;
}

function number(min: number, max: number): Rule<number> {
  return {
    allowed: `a number from ${min} to ${max}`,
    parse: (text) => {
      const value = numberOf(text);
      return value >= min && value <= max ? value : undefined;
    },
    schema: { type: 'number', minimum: min, maximum: max },
  };
}

/** A number that is clamped to the limits. */
function clamped(min: number, max: number, type: 'integer' | 'number'): Rule<number> {
  return {
    allowed: `${type === 'integer' ? 'an integer' : 'a number'}, of which ${min} to ${max} count`,
    parse: (text) => {
      const value = type === 'integer' && !/^[+-]?\d+$/.test(text) ? Number.NaN : numberOf(text);
      return Number.isNaN(value) ? undefined : Math.min(max, Math.max(min, value));
    },
    schema: { type },
  };
}

const radius: Rule<number> = {
  ...number(0, 5_000),
  allowed: 'a number above 0, at most 5000',
  parse: (text) => number(0, 5_000).parse(text) || undefined,
};

/** Photon takes every text. */
const flag: Rule<boolean> = {
  allowed: '1, yes or true; anything else is false',
  parse: (text) => /^(?:1|yes|true)$/i.test(text),
  schema: { type: 'string' },
};

const noGeometry: Rule<boolean> = {
  allowed: 'false: the data have no geometries but points',
  parse: (text) => (flag.parse(text) ? undefined : false),
  schema: { type: 'string' },
};

/** The languages of no request: names are as the data have them. */
const DEFAULT_LANGUAGE = 'default';

const language: Rule<string> = {
  allowed: `a language tag such as de or zh-TW, or ${DEFAULT_LANGUAGE}`,
  parse: (text) => (text === DEFAULT_LANGUAGE ? '' : text.includes(',') ? undefined : languageTags.parse(text)),
  schema: { type: 'string' },
};

const box: Rule<Box> = {
  allowed: 'minLon,minLat,maxLon,maxLat in degrees',
  parse: (text) => {
    const numbers = text.split(',', 5).map((part) => numberOf(part.trim()));
    const [west, south, east, north] = numbers as [number, number, number, number];
    const isBox = numbers.length === 4 && [west, east].every((lon) => Math.abs(lon) <= 180);
    if (!isBox || ![south, north].every((lat) => Math.abs(lat) <= 90)) return undefined;
    return [Math.min(west, east), Math.min(south, north), Math.max(west, east), Math.max(south, north)];
  },
  schema: { type: 'string' },
};

const TAG = /^(!?)([^:!]*)(?::(!?)([^:!]+))?$/;

const tagFilter: Rule<TagFilter> = {
  allowed: 'key, !key, key:value, !key:value, key:!value, :value or :!value',
  parse: (text) => {
    const [, notKey, key = '', notValue, value] = TAG.exec(text) ?? [];
    if (notKey === undefined || (key === '' && (value === undefined || notKey === '!'))) return undefined;
    const isExcluding = notKey === '!' || notValue === '!';
    const kind =
      notKey === '' && notValue === '!' && key !== '' ? 'exclude-value' : isExcluding ? 'exclude' : 'include';
    return { kind, key: key === '' ? undefined : key, value };
  },
  schema: { type: 'string' },
};

const addressText: Rule<string> = {
  allowed: `a text of at most ${MAX_SEARCH_LENGTH} characters`,
  parse: (text) => (text.trim() !== '' && text.length <= MAX_SEARCH_LENGTH ? text.trim() : undefined),
  schema: { type: 'string' },
};

function commonOf(defaultLimit: number, mostLimit: number) {
  return {
    limit: optional('limit', 'Maximum number of results', clamped(1, mostLimit, 'integer'), defaultLimit),
    lang: optional('lang', 'The language of names, that of Accept-Language if left out', language),
    layer: repeated('layer', 'The layers of results', wordRule(PHOTON_LAYERS), MAX_REPEATED),
    osm_tag: repeated('osm_tag', 'A filter of tags, whose key is place', tagFilter, MAX_REPEATED),
    dedupe: optional('dedupe', 'Whether results of one name, postal code and tag are one', flag, true),
    debug: optional('debug', 'Accepted, without influence', flag),
    geometry: optional('geometry', 'Accepted where it is false', noGeometry),
  };
}

export const reverseParameters = {
  lat: required('lat', 'The latitude', number(-90, 90)),
  lon: required('lon', 'The longitude', number(-180, 180)),
  radius: optional(
    'radius',
    `The radius in kilometres, ${REVERSE_RADIUS_KM} if left out; a search reaches no farther than ${MAX_NEARBY_RADIUS_KM} km`,
    radius,
  ),
  distance_sort: optional('distance_sort', 'Accepted, without influence: the nearest comes first', flag),
  ...commonOf(1, 50),
};

const searchParameters = {
  lat: optional('lat', 'The latitude of a point to favour, with lon', number(-90, 90)),
  lon: optional('lon', 'The longitude of a point to favour, with lat', number(-180, 180)),
  bbox: optional('bbox', 'The box in which results lie', box),
  zoom: optional('zoom', 'Accepted, without influence', clamped(0, 18, 'integer')),
  location_bias_scale: optional('location_bias_scale', 'Accepted, without influence', clamped(0, 1, 'number')),
  ...commonOf(15, MAX_SUGGESTIONS),
};

export const freeParameters = {
  q: required('q', 'What to search for', searchText),
  countrycode: repeated('countrycode', 'The country of results', countryCode, MAX_REPEATED),
  ...searchParameters,
};

export const structuredParameters = {
  countrycode: optional('countrycode', 'The country', countryCode),
  state: optional('state', 'The state', addressText),
  county: optional('county', 'The county', addressText),
  city: optional('city', 'The city', addressText),
  district: optional('district', 'The district of the city', addressText),
  postcode: optional('postcode', 'The postal code', addressText),
  street: optional('street', 'Accepted, without influence: the data have no streets', addressText),
  housenumber: optional('housenumber', 'Accepted, without influence', addressText),
  ...searchParameters,
};
