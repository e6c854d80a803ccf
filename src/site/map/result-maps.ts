/**
 * The maps of search results: the main results and all others in their view, and a small map of the results elsewhere, with
 * a dot for each country.
 */

import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import type { Position } from '../../core/snapshot/sphere.js';
import { inSentence } from '../html/country-in-sentence.js';
import { formatCounted } from '../html/formats.js';
import { type Content, html } from '../html/html.js';
import { type CoveredCountry, isCovered } from '../reading/covered-country.js';
import type { Hit } from '../reading/place-search.js';
import { listMainHits, namesInLine, unitsOf } from '../reading/search-groups.js';
import { drawCountryFigure } from './light-figures.js';
import type { MapDot } from './linked-dots.js';
import { type MapWindow, windowOf } from './map-window.js';
import { drawPageMap, HEIGHT, WIDTH } from './page-map.js';

/** Width of the narrowest map of results, in km: wide enough for a coast or a border, or for other results close by. */
const LEAST_KM = 600;
const CLOSE_KM = 250;
/** Height of the small map, in units, and width of the narrowest, in km: it tells countries from each other. */
const REST_HEIGHT = 200;
const LEAST_REST_KM = 3_000;

type Located = Hit & { readonly country: CoveredCountry; readonly position: Position };

/** `linkTo` is the address of the results in a country. Without a result that has a position there is no map. */
export function drawResultMaps(
  snapshot: Snapshot,
  hits: readonly Hit[],
  linkTo: (country: Country) => string,
): Content {
  const located = hits.filter((hit): hit is Located => hit.position !== undefined && isCovered(hit.country));
  const [first] = hits;
  const isCountry = first?.kind === 'country' && isCovered(first.country);
  const main = isCountry
    ? {
        map: drawCountryFigure(snapshot, first.country),
        rest: located.filter(({ country }) => country !== first.country),
      }
    : drawMain(snapshot, located);
  if (main === undefined) return undefined;
  const { map, window, rest }: MainMap = main;
  if (rest.length === 0) return map;
  const points = [...(window ? cornersOf(window) : []), ...positionsOf(rest)];
  const size = { width: WIDTH, height: REST_HEIGHT, leastKm: LEAST_REST_KM };
  const elsewhere = drawPageMap(snapshot, {
    window: windowOf(points, size),
    part: window,
    dots: dotsElsewhere(rest, linkTo, isCountry ? first : located[0]),
    faint: positionsOf(rest),
    caption: `Results elsewhere.${window ? ' The rectangle is the map above.' : ''}`,
  });
  return [map, elsewhere];
}

/** The first map, and the results that it does not show. */
interface MainMap {
  readonly map: Content;
  readonly window?: MapWindow;
  readonly rest: readonly Located[];
}

function drawMain(snapshot: Snapshot, located: readonly Located[]): MainMap | undefined {
  const main = listMainHits(located) as readonly Located[];
  const [first, another] = main;
  if (first === undefined) return undefined;
  const windowFrom = (leastKm: number): MapWindow =>
    windowOf(positionsOf(main), { width: WIDTH, height: HEIGHT, leastKm });
  const isOther = (hit: Located, window: MapWindow): boolean =>
    !main.includes(hit) && window.find(hit.position) !== undefined;
  const close = windowFrom(CLOSE_KM);
  const window = located.some((hit) => isOther(hit, close)) ? close : windowFrom(LEAST_KM);
  const others = located.filter((hit) => isOther(hit, window));
  const rest = located.filter((hit) => !main.includes(hit) && !others.includes(hit));
  const country = inSentence(first.country.entry.name);
  const names = namesInLine(main);
  const dots = main.map((hit, at) => ({ ...dotOf(hit), name: names[at] as string }));
  const map = drawPageMap(snapshot, {
    country: rest.length > 0 ? undefined : first.country,
    window,
    // A single main result is marked; several are told apart by the names that the list has.
    ...(another === undefined && { own: { name: first.name, ...first.position } }),
    dots: [...(another === undefined ? [] : dots), ...others.map(dotOf)],
    caption: html`<b dir="auto">${first.name}</b> in ${country}${others.length > 0 && ' and other results'}.`,
  });
  return { map, window, rest };
}

function cornersOf({ bounds: { west, east, south, north } }: MapWindow): readonly Position[] {
  return [
    { latitude: north, longitude: west },
    { latitude: south, longitude: east },
  ];
}

function positionsOf(hits: readonly Located[]): readonly Position[] {
  return hits.map(({ position }) => position);
}

function dotOf({ name, path, where, position }: Located): MapDot {
  return { name, href: path, detail: where, ...position };
}

/** Results in the country of the main results have their own dots, those in each other country lead to its results. */
function dotsElsewhere(
  rest: readonly Located[],
  linkTo: (country: Country) => string,
  first: Hit | undefined,
): MapDot[] {
  return rest.map((hit) => {
    const { country } = hit;
    if (country === first?.country) {
      const region = hit.name === first.name ? unitsOf(hit)[0]?.name : undefined;
      return { ...dotOf(hit), name: region ?? hit.name };
    }
    const { name } = country.entry;
    const count = rest.filter((other) => other.country === country).length;
    if (count === 1) return { ...dotOf(hit), name };
    // Of dots that lead to one address, the map draws the first that has room.
    return { ...dotOf(hit), name, href: linkTo(country), detail: formatCounted(count, 'result') };
  });
}
