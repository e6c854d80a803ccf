/** The list of the places nearest to a point, in any country: about 50 µs. */
import { listNearest } from '../../service/list-nearest.js';
import { readEntry } from '../../store/place-fields.js';
import { countryPath } from '../addresses.js';
import type { MapPoint } from '../map/country-map.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from '../site-snapshot.js';
import { type Content, html } from './html.js';
import { formatKm } from './place-parts.js';

const NEAREST_COUNT = 8;
const NEAREST_RADIUS_KM = 80;

/** Excludes the places `own` of the country `home`, which the page is about; undefined if no other place is near. */
export function nearestPlaces(
  { snapshot }: SiteSnapshot,
  home: CoveredCountry,
  { latitude: lat, longitude: lng }: MapPoint,
  own: readonly number[],
): Content {
  const limit = NEAREST_COUNT + own.length;
  const search = { lat, lng, radiusKm: NEAREST_RADIUS_KM, limit, home, tiers: ['sure'] } as const;
  const isOwn = new Set(own);
  const items = listNearest(snapshot, search)
    .filter(({ country, place }) => country !== home || !isOwn.has(place))
    .slice(0, NEAREST_COUNT)
    .flatMap(({ country, place, distanceKm }) => {
      if (!isCovered(country)) return [];
      const { name, path, postalCode } = readEntry(country.structures, place);
      const abroad = country !== home && html` <span class="code">${country.entry.name}</span>`;
      return [
        html`<li><a href="${countryPath(country) + path}" dir="auto">${name}</a> <span class="code">${
          postalCode ?? ''
        }</span>${abroad} <span class="km">${formatKm(distanceKm)}</span></li>`,
      ];
    });
  return items.length > 0 && html`<ul class="places near">${items}</ul>`;
}
