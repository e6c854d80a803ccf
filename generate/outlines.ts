/**
 * Writes data/outlines.tsv: the outline of each country, from Natural Earth (npm package `world-atlas`, at 1:10 million,
 * in the public domain), simplified to what maps show. A line has the country's code and its rings, each as text
 * (src/site/map/outlines.ts). Borders are where Natural Earth draws them. What it draws apart without a code of
 * ISO 3166-1 is part of the country whose code ISO 3166-1 gives to it, or of none. Antarctica has no postal codes.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { iso31661 } from 'iso-3166';
import { type CountryFeature, feature } from 'topojson-client';
import { presimplify, simplify } from 'topojson-simplify';
import { decodeRing, encodeRing } from '../src/site/map/outlines.js';

/** Maximum area of the triangle that leaving out a point cuts off, in square degrees at the equator: about 0.4 km². */
export const MIN_TRIANGLE = 3e-5;
/** Minimum extent of an island in degrees, about 2 km, in a country with a larger one. */
const MIN_EXTENT = 0.02;

type Box = readonly [west: number, south: number, east: number, north: number];

/** Parts of a country with a code of their own, which Natural Earth counts to the country: where they lie. */
const OWN_CODES: Readonly<Record<string, { readonly of: string; readonly box: Box }>> = {
  BQ: { of: 'Netherlands', box: [-69, 11, -62, 18] },
  CC: { of: 'Indian Ocean Ter.', box: [96, -13, 98, -11] },
  CX: { of: 'Indian Ocean Ter.', box: [105, -11, 106, -10] },
  GF: { of: 'France', box: [-55, 2, -51, 6] },
  GP: { of: 'France', box: [-62, 15.7, -60.9, 16.6] },
  MQ: { of: 'France', box: [-61.4, 14.2, -60.6, 15] },
  RE: { of: 'France', box: [55, -22, 56, -20] },
  SJ: { of: 'Norway', box: [-10, 70.5, 35, 82] },
  YT: { of: 'France', box: [44.8, -13.2, 45.5, -12.5] },
};

/** The codes of areas without one in Natural Earth, by its names. Kosovo has GeoNames' code. */
const CODES_BY_NAME: ReadonlyMap<string, string> = new Map([
  ['Baikonur', 'KZ'],
  ['Cyprus U.N. Buffer Zone', 'CY'],
  ['Kosovo', 'XK'],
  ['N. Cyprus', 'CY'],
  ['Somaliland', 'SO'],
  ['USNB Guantanamo Bay', 'CU'],
]);
const LEFT_OUT = 'AQ';

export function writeOutlines(): string {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-10m.json');
  const topology = simplify(presimplify(JSON.parse(readFileSync(file, 'utf8')), areaOf), MIN_TRIANGLE);
  const features = feature(topology, topology.objects.countries).features as readonly CountryFeature[];
  const codes = new Map(iso31661.map(({ numeric, alpha2 }) => [numeric, alpha2]));
  const rings = new Map<string, (readonly Point[])[]>();
  for (const country of features) {
    const code = CODES_BY_NAME.get(country.properties.name) ?? codes.get(country.id ?? '');
    if (code !== undefined && code !== LEFT_OUT) rings.set(code, [...(rings.get(code) ?? []), ...ringsOf(country)]);
  }
  for (const [code, { of, box }] of Object.entries(OWN_CODES)) {
    const whole = features.filter(({ properties }) => properties.name === of).flatMap(ringsOf);
    rings.set(
      code,
      whole.filter((ring) => ring.every((point) => isIn(point, box))),
    );
  }
  return [...rings]
    .map(([code, ofCountry]) => [code, withoutSmall(ofCountry).map(encodeRing).join(' ')] as const)
    .filter(([, text]) => text !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, text]) => `${code}\t${text}\n`)
    .join('');
}

/** True to scale: towards the poles a degree of longitude is shorter. */
export function areaOf([[x1, y1], [x2, y2], [x3, y3]]: readonly [Point, Point, Point]): number {
  return Math.abs((x1 - x3) * (y2 - y1) - (x1 - x2) * (y3 - y1)) * 0.5 * Math.cos((y2 * Math.PI) / 180);
}

function ringsOf({ geometry }: CountryFeature): readonly Ring[] {
  return (geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat()).map(unwrap);
}

/** In one piece across the antimeridian, where its longitudes go on beyond 180 or -180, and as near to 0 as it can be. */
function unwrap(ring: Ring): Ring {
  let before = ring[0]?.[0] ?? 0;
  const longitudes = ring.map(([longitude]) => {
    before = longitude + 360 * Math.round((before - longitude) / 360);
    return before;
  });
  const turns = 360 * Math.round((Math.min(...longitudes) + Math.max(...longitudes)) / 720);
  return ring.map(([, latitude], at) => [(longitudes[at] as number) - turns, latitude]);
}

function isIn([longitude, latitude]: Point, [west, south, east, north]: Box): boolean {
  return longitude >= west && longitude <= east && latitude >= south && latitude <= north;
}

/** A country of small islands only keeps them all. A ring whose points are the same when rounded has no area. */
function withoutSmall(rings: readonly Ring[]): readonly Ring[] {
  const areas = rings.filter((ring) => decodeRing(encodeRing(ring)).length >= 2 * 3);
  const large = areas.filter((ring) => extentOf(ring) >= MIN_EXTENT);
  return large.length > 0 ? large : areas;
}

function extentOf(ring: Ring): number {
  const [longitudes, latitudes] = [ring.map(([longitude]) => longitude), ring.map(([, latitude]) => latitude)];
  return Math.max(Math.max(...longitudes) - Math.min(...longitudes), Math.max(...latitudes) - Math.min(...latitudes));
}
