/**
 * The figures of maps of light: an image that browsers keep, and in a country's the largest cities as linked dots with
 * their names, those for which there is room.
 */

import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { formatNumber } from '../html/formats.js';
import { Html, html } from '../html/html.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { largestCitiesOf } from '../reading/largest-cities.js';
import { countryMapOf } from './country-map.js';
import { placeLabels, type Side } from './dot-labels.js';
import { type DrawnDot, drawLinkedDot } from './linked-dots.js';
import { describeDots } from './map-in-words.js';
import { shortenLabels } from './short-labels.js';
import { WORLD_SIZE } from './world-map.js';

/** Least distance of two cities along one axis, in units: of New York and Brooklyn one is named. */
const LEAST_DISTANCE = 15;
/** Size of names as a share of that for which labels are placed: they stand on bright and dark ground. */
const NAME_SCALE = 13 / 12;
const MAX_CITIES = 12;

export function drawCountryFigure(snapshot: Snapshot, country: CoveredCountry): Html {
  const map = countryMapOf(country);
  const { width, height } = map;
  const found = largestCitiesOf(country).flatMap((city): DrawnDot[] => {
    const dot = { ...city, detail: `${formatNumber(city.people)} people` };
    const spot = map.find(city);
    return spot === undefined ? [] : [{ x: Math.round(spot.x), y: Math.round(spot.y), label: city.name, dot }];
  });
  const sidesOf = (dots: readonly DrawnDot[]): readonly (Side | undefined)[] => {
    const small = dots.map(({ x, y, label }) => ({ x: x / NAME_SCALE, y: y / NAME_SCALE, label }));
    return placeLabels(small, width / NAME_SCALE, height / NAME_SCALE, []);
  };
  let named: readonly DrawnDot[] = [];
  for (const city of shortenLabels(found)) {
    const isFar = named.every(({ x, y }) => Math.max(Math.abs(x - city.x), Math.abs(y - city.y)) >= LEAST_DISTANCE);
    // A city is left out if its dot or name leaves no room for the name of a larger one.
    if (isFar && named.length < MAX_CITIES && !sidesOf([...named, city]).includes(undefined)) named = [...named, city];
  }
  const sides = sidesOf(named);
  const drawing =
    `<svg class="drawing light" viewBox="0 0 ${width} ${height}" role="group" aria-label="Map">` +
    countryImage(snapshot, country, width, height) +
    `${named.map((city, at) => drawLinkedDot(city, sides[at], width)).join('')}</svg>`;
  const words = new Html(describeDots(named, width / 2, height / 2));
  return html`<figure class="map">
${new Html(drawing)}
<figcaption>Postal codes as light: the brighter, the more of them. Named: the largest cities.${words}</figcaption>
</figure>`;
}

/** A country's own map, at another address for each snapshot. */
export function countryImage(snapshot: Snapshot, { entry }: CoveredCountry, width: number, height: number): string {
  return `<image href="/maps/${snapshot.id}/${entry.code}.svg" width="${width}" height="${height}"/>`;
}

export function drawWorldFigure(snapshot: Snapshot): Html {
  const { width, height } = WORLD_SIZE;
  return html`<figure class="map world">
<img src="/maps/${snapshot.id}/world.svg" width="${width}" height="${height}" alt="A dark map of the world on which postal codes are light">
<figcaption>All postal codes as light: the brighter, the more of them.</figcaption>
</figure>`;
}
