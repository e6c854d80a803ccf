/** The page of a country: its facts and counts, its map, and the places directly in it. */

import { levelRange } from '../../store/place-tree.js';
import { codeText } from '../../store/postcode-index.js';
import type { Country } from '../../store/snapshot.js';
import { countryPath } from '../addresses.js';
import { apiCall, copyable } from '../html/api-call.js';
import { inSentence } from '../html/country-name.js';
import { type Content, type Html, html, joined } from '../html/html.js';
import { breadcrumbs } from '../html/json-ld.js';
import { childList, listPage } from '../html/place-list.js';
import { codeLinks, count, fact, formatNumber, section } from '../html/place-parts.js';
import { drawPlaceMap } from '../map/place-map.js';
import type { Page, PageContext } from '../page.js';
import { decodeCountryDetail } from '../reading/country-detail.js';
import { dotsWithin } from '../reading/map-dots.js';
import { type CoveredCountry, isCovered } from '../site-snapshot.js';

const MAX_CODES = 40;
/** Number of codes shown of a country that has more than MAX_CODES. */
const SOME_CODES = 20;

/** Page `listNumber` of the places directly in it; undefined if there is no such page. */
export function countryPage(context: PageContext, country: Country, listNumber: number): Page | undefined {
  const { snapshot } = context.data;
  const { structures } = country;
  const list = structures && listPage(structures.tree, levelRange(structures.tree, 1), listNumber);
  if (structures === undefined ? listNumber !== 1 : list === undefined) return undefined;
  const detail = decodeCountryDetail(snapshot, country);
  const { name, stats } = detail;
  const path = countryPath(country);
  const suffix = listNumber === 1 ? '' : `?page=${listNumber}`;
  const summary =
    stats === undefined
      ? `No postal codes are included for ${inSentence(name)}.`
      : `${count(stats.distinctPostcodes, 'postal code')} and ${count(stats.totalPlaces, 'place')} in ${inSentence(name)}.`;
  const body = html`<article class="place">
<header><h1 dir="auto">${name}</h1>
<p class="lede">${summary}</p></header>
<div class="sides">
<dl class="facts">
${fact('Country codes', `${detail.code}, ${detail.alpha3}`)}
${fact('Region', [detail.subRegion ?? detail.region].filter(Boolean).join())}
${fact('Postal code format', detail.postalCodeFormat !== null && formats(detail.postalCodeFormat))}
${fact('Currency', detail.currencyCode)}
${fact('Time zone', detail.timezone)}
${fact('Centre', detail.latitude !== null && copyable(`${detail.latitude}, ${detail.longitude}`))}
${fact('Places by level', levels(stats))}
</dl>
${isCovered(country) && map(context, country)}
<div>${isCovered(country) && listNumber === 1 && codes(country)}${
    structures !== undefined &&
    list !== undefined &&
    section('within', `In ${inSentence(name)}`, childList(structures, list, country.entry.slug))
  }</div>
</div>
${apiCall(context.site, `/v1/countries/${detail.code}`)}
</article>`;
  return {
    title: `${name}: postal codes and places${suffix && `, page ${listNumber}`}`,
    description: `${summary} By region and by code, with a map.`,
    canonicalPath: path + suffix,
    body,
    linkedData: [
      breadcrumbs([{ name, url: context.site.siteUrl + path }]),
      { '@type': 'Country', name, identifier: detail.code, url: context.site.siteUrl + path },
    ],
  };
}

function map({ data }: PageContext, country: CoveredCountry): Html {
  const { structures, entry } = country;
  const dots = dotsWithin(country, levelRange(structures.tree, 1), entry.name);
  const caption = html`Grey: ${count(structures.points.places.length, 'point')} with a postal code.`;
  return drawPlaceMap(data, { countries: [country], extent: 'country', dots, caption });
}

/**
 * All codes of a country with few, otherwise a sample from the first to the last; the page of each links to its
 * neighbours.
 */
function codes(country: CoveredCountry): Content {
  const { postcodes } = country.structures;
  const { codeCount } = postcodes;
  const shownCount = codeCount <= MAX_CODES ? codeCount : SOME_CODES;
  const shown = Array.from({ length: shownCount }, (_, index) =>
    codeText(postcodes, Math.round((index * (codeCount - 1)) / Math.max(1, shownCount - 1))),
  );
  const all = count(codeCount, 'postal code');
  const note = shownCount === codeCount ? all : `${shownCount} of ${all}, from the first to the last`;
  return shownCount > 0 && section('codes', 'By code', html`<p class="note">${note}</p>${codeLinks(country, shown)}`);
}

/** The formats of a country are separated by `|`. */
function formats(pattern: string): Content {
  return joined(
    pattern.split('|').map((form) => html`<code>${form}</code>`),
    ' or ',
  );
}

function levels(stats: { levels: readonly { level: number; count: number }[] } | undefined): Content {
  return (
    stats !== undefined &&
    html`<ol class="levels">${stats.levels.map((level) => html`<li>${formatNumber(level.count)}</li>`)}</ol>`
  );
}
