/**
 * The page of a postal code: its position, the previous and the next code, its places with what contains them, the
 * places nearest to it, and a map.
 */

import type { Position } from '../../format/spherical-mean.js';
import { MAX_POSTCODE_PLACES } from '../../service/find-postcode.js';
import { readEntry, readPoint } from '../../store/place-fields.js';
import { isPlace, listAncestors } from '../../store/place-tree.js';
import { codeText, type PostcodeMatch } from '../../store/postcode-index.js';
import { countryPath, placePath, postcodePath } from '../addresses.js';
import { apiCall, copyable } from '../html/api-call.js';
import { inSentence } from '../html/country-name.js';
import { type Content, type Html, html } from '../html/html.js';
import { breadcrumbs } from '../html/json-ld.js';
import { nearestPlaces } from '../html/nearest-places.js';
import { codeLinks, count, fact, section, trail } from '../html/place-parts.js';
import { drawSurroundings } from '../map/place-map.js';
import type { Page, PageContext } from '../page.js';
import { codesAround } from '../reading/map-dots.js';
import { listNearPlaces } from '../reading/near-places.js';
import type { CoveredCountry } from '../site-snapshot.js';

export function postcodePage(context: PageContext, country: CoveredCountry, match: PostcodeMatch): Page {
  const { structures, entry } = country;
  const { postcode } = match;
  const all = [...match.places].filter((place) => isPlace(structures.tree, place));
  const shown = all.slice(0, MAX_POSTCODE_PLACES);
  const path = postcodePath(country, postcode);
  const names = [...new Set(shown.map((place) => readEntry(structures, place).name))];
  const summary = `${count(all.length, 'place')} in ${inSentence(entry.name)}: ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}`;
  const points = shown.map((place) => readPoint(structures, place));
  const { codeCount } = structures.postcodes;
  const beside = (number: number): Content =>
    number >= 0 && number < codeCount && codeLinks(country, [codeText(structures.postcodes, number)]);
  const middle = middleOf(points);
  const near = middle === undefined ? [] : listNearPlaces(context.data, country, middle, shown);
  const body = html`${trail([{ name: entry.name, path: countryPath(country) }])}
<article class="place">
<header><h1>${postcode}</h1>
<p class="lede">Postal code in ${inSentence(entry.name)}</p></header>
<div class="sides">
<div>
<dl class="facts">
${middle !== undefined && fact(isOnePoint(points) ? 'Coordinates' : 'Approximate centre', copyable(`${middle.latitude}, ${middle.longitude}`))}
${fact('Previous code', beside(match.number - 1))}
${fact('Next code', beside(match.number + 1))}
</dl>
${section(
  'places',
  'Places',
  html`${
    all.length > shown.length &&
    html`<p class="note">The first ${shown.length} of ${count(all.length, 'place')}, by name</p>`
  }<ul class="places tall">${shown.map((place) => item(country, place))}</ul>`,
)}
${middle !== undefined && shown.length === all.length && section('nearest', 'Nearest places', nearestPlaces(near))}
</div>
${
  middle !== undefined &&
  drawSurroundings(
    context.data,
    country,
    middle,
    points,
    postcode,
    codesAround(near),
    html`<b>${postcode}</b> and the codes around it.`,
  )
}
</div>
${apiCall(context.site, `/v1/countries/${entry.code}/postcodes/${encodeURIComponent(postcode)}`)}
</article>`;
  return {
    title: `${postcode}: postal code in ${inSentence(entry.name)}`,
    description: `${postcode} is a postal code of ${summary}.`,
    canonicalPath: path,
    body,
    linkedData: [
      breadcrumbs([
        { name: entry.name, url: context.site.siteUrl + countryPath(country) },
        { name: postcode, url: context.site.siteUrl + path },
      ]),
    ],
  };
}

function isOnePoint([first, ...others]: readonly Position[]): boolean {
  return others.every(({ latitude, longitude }) => latitude === first?.latitude && longitude === first.longitude);
}

/** The mean of points that lie close together, also across the antimeridian; undefined without points. */
export function middleOf(points: readonly Position[]): Position | undefined {
  const [first] = points;
  if (first === undefined || isOnePoint(points)) return first;
  const mean = (offsetOf: (point: Position) => number): number =>
    points.reduce((sum, point) => sum + offsetOf(point), 0) / points.length;
  const turned = (degrees: number): number => ((((degrees + 180) % 360) + 360) % 360) - 180;
  const latitude = mean((point) => point.latitude);
  const longitude = turned(first.longitude + mean((point) => turned(point.longitude - first.longitude)));
  return { latitude: Number(latitude.toFixed(4)), longitude: Number(longitude.toFixed(4)) };
}

function item(country: CoveredCountry, place: number): Html {
  const { structures } = country;
  const { name } = readEntry(structures, place);
  const around = listAncestors(structures.tree, place)
    .reverse()
    .map((ancestor) => readEntry(structures, ancestor).name);
  return html`<li><a href="${placePath(country, place)}" dir="auto">${name}</a> <span class="where" dir="auto">${around.join(', ')}</span></li>`;
}
