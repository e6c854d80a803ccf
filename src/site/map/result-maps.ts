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
import type { MapDot } from './linked-dots.js';
import { windowOf } from './map-window.js';
import { drawPageMap, HEIGHT, WIDTH } from './page-map.js';

/** Width of the narrowest map of results, in km: wide enough for coasts and borders. */
const LEAST_KM = 250;
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
  const main = listMainHits(located) as readonly Located[];
  const [first] = main;
  if (first === undefined) return undefined;
  const { country } = first;
  const window = windowOf(
    main.map(({ position }) => position),
    { width: WIDTH, height: HEIGHT, leastKm: LEAST_KM },
  );
  const isInView = ({ position }: Located): boolean => window.find(position) !== undefined;
  const shown = [...main, ...located.filter((hit) => !main.includes(hit) && isInView(hit))];
  const names = main.length > 1 ? namesInLine(main) : [];
  const rest = located.filter((hit) => !shown.includes(hit));
  const mainMap = drawPageMap(snapshot, {
    countries: rest.length > 0 ? [] : [country],
    window,
    dots: shown.map((hit, at) => ({ ...dotOf(hit), name: names[at] ?? hit.name })),
    caption: captionOf(main, shown.length - main.length),
  });
  if (rest.length === 0) return mainMap;
  const restWindow = windowOf([window.centre, ...rest.map(({ position }) => position)], {
    width: WIDTH,
    height: REST_HEIGHT,
    leastKm: LEAST_REST_KM,
  });
  return [
    mainMap,
    drawPageMap(snapshot, {
      countries: [],
      window: restWindow,
      part: window,
      dots: dotsElsewhere(rest, first, linkTo),
      faint: rest.map(({ position }) => position),
      caption: 'Results elsewhere. The rectangle is the map above.',
    }),
  ];
}

function dotOf({ name, path, where, position }: Located): MapDot {
  return { name, href: path, detail: where, ...position };
}

function captionOf([first, ...others]: readonly Located[], nearCount: number): Content {
  const near = nearCount > 0 && ` and ${formatCounted(nearCount, 'other result')}`;
  if (first === undefined || others.length === 0) return html`<b dir="auto">${first?.name}</b>${near}.`;
  return html`<b dir="auto">${first.name}</b> in ${inSentence(first.country.entry.name)}${near}.`;
}

/** A dot for each result in the country of the main results, and for each other country. */
function dotsElsewhere(rest: readonly Located[], first: Located, linkTo: (country: Country) => string): MapDot[] {
  return rest.flatMap((hit) => {
    const { country } = hit;
    if (country === first.country) {
      const region = hit.name === first.name ? unitsOf(hit)[0]?.name : undefined;
      return { ...dotOf(hit), name: region ?? hit.name };
    }
    const inCountry = rest.filter((other) => other.country === country);
    if (inCountry[0] !== hit) return [];
    const { name } = country.entry;
    if (inCountry.length === 1) return { ...dotOf(hit), name };
    return { ...dotOf(hit), name, href: linkTo(country), detail: formatCounted(inCountry.length, 'result') };
  });
}
