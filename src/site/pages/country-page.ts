/**
 * The page of a country: its levels in the country's own terms, its codes by their first characters, its regions, its
 * facts and its map. What lies in no region is on pages of its own.
 */

import { oncePer } from '../../base/once-per.js';
import { getCountry } from '../../core/answers/countries.js';
import { readResponseData } from '../../core/answers/response-data.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { readKind, readOtherNames } from '../../core/snapshot/place-fields.js';
import { isPlace, levelRange } from '../../core/snapshot/place-tree.js';
import { codeText } from '../../core/snapshot/postcode-index.js';
import type { CountryResource, CountryStats } from '../../core/snapshot/rendered-countries.js';
import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import { browsePath, countryPath } from '../addresses.js';
import { breadcrumbs, type Content, type Html, html, inSentence, joined } from '../html/html.js';
import type { Page, PageContext } from '../html/layout.js';
import { type PartPages, pagesOf, partList } from '../html/part-list.js';
import { alsoCalled, apiCall, codeLink, codeLinks, copyable, count, fact, section } from '../html/place-parts.js';
import { dotsWithin } from '../map/map-dots.js';
import { drawPlaceMap } from '../map/place-map.js';
import { groupCodes } from '../reading/code-groups.js';
import { knownReleases, variantOf } from '../reading/known-releases.js';
import { partsOf, termOf } from '../reading/unit-parts.js';
import { type CoveredCountry, isCovered } from '../site-snapshot.js';

/* A country with all of its fields and counts, from its rendered answer. */

/** `stats` are there where the country has postcode data. */
type CountryDetail = CountryResource & { readonly stats?: CountryStats };

/** Throws SnapshotError where a damaged file holds no such answer. */
function decodeCountryDetail(snapshot: Snapshot, { entry }: Country): CountryDetail {
  return parseJson(readResponseData(getCountry(snapshot, { country: entry.code }))) as CountryDetail;
}

/** Undefined if the list has no such page. */
export function countryPage(context: PageContext, country: Country, listNumber: number): Page | undefined {
  if (!isCovered(country)) return listNumber === 1 ? uncoveredPage(context, country) : undefined;
  const pages = pagesOf(partsOf(country.structures, undefined), true);
  if (listNumber > pages.pageCount) return undefined;
  const detail = decodeCountryDetail(context.data.snapshot, country);
  const { name } = detail;
  const suffix = listNumber === 1 ? '' : `?page=${listNumber}`;
  const path = countryPath(country);
  const summary = levelsOf(country);
  return {
    title: `${name}: postal codes and places${suffix && `, page ${listNumber}`}`,
    description: `${name}: ${summary}. By region and by code, with a map.`,
    canonicalPath: path + suffix,
    body: html`<article class="place">
<header><h1 dir="auto">${name}</h1>
<p class="answer">${summary}</p></header>
${listNumber === 1 ? front(context, country, detail, pages) : regions(country, pages, listNumber)}
${listNumber === 1 && apiCall(context.site, [`/v1/countries/${detail.code}`])}
</article>`,
    linkedData: linkedData(context, country),
  };
}

function front(context: PageContext, country: CoveredCountry, detail: CountryDetail, pages: PartPages): Html {
  return html`<div class="sides">
<div>${codes(country)}</div>
<div class="aside">${map(context, country)}
${facts(detail)}</div>
<div class="rest">${regions(country, pages, 1)}
${namesOf(context, country)}</div>
</div>`;
}

function namesOf({ data }: PageContext, { number }: Country): Content {
  return alsoCalled(readOtherNames(data.snapshot.countryNamesByLanguage, number));
}

/** A country without postal codes: says so, and of which release. */
function uncoveredPage(context: PageContext, country: Country): Page {
  const { data } = context;
  const detail = decodeCountryDetail(data.snapshot, country);
  const { name } = detail;
  const lists = knownReleases(data);
  const last = lists.find(({ header }) => header.countries.some(({ code }) => code === detail.code))?.header;
  const oldest = lists.at(-1)?.header;
  const since =
    last !== undefined
      ? ` Release ${last.since} was the last that had them.`
      : oldest !== undefined && ` Neither has any release since ${oldest.since}.`;
  const text = `No postal codes are included for ${inSentence(name)} in release ${data.snapshot.release}.`;
  return {
    title: `${name}: no postal codes`,
    description: text,
    canonicalPath: countryPath(country),
    variant: variantOf(lists),
    body: html`<article class="place">
<header><h1 dir="auto">${name}</h1>
<p class="answer">${text}${since}</p></header>
${facts(detail)}
${namesOf(context, country)}
<p>See <a href="/coverage">all countries with postal codes</a>.</p>
${apiCall(context.site, [`/v1/countries/${detail.code}`])}
</article>`,
    linkedData: linkedData(context, country),
  };
}

function linkedData({ site }: PageContext, country: Country): object[] {
  const { name, code } = country.entry;
  const url = site.siteUrl + countryPath(country);
  return [breadcrumbs([{ name, url }]), { '@type': 'Country', name, identifier: code, url }];
}

/**
 * "16 states › 403 districts › 10,814 postal codes": the units with others in them, by type. Reads the type of each
 * unit: a millisecond in the largest countries.
 */
const levelsOf = oncePer(({ entry, structures }: CoveredCountry): string => {
  const counts = new Map<string, number>([
    ['region', 0],
    ['district', 0],
    ['municipality', 0],
  ]);
  const { parents } = structures.tree;
  let unit: number | undefined;
  for (let place = 0; place < parents.length; place++) {
    // The places of a unit are consecutive.
    if (parents[place] === unit) continue;
    unit = parents[place] as number;
    if (!isPlace(structures.tree, unit)) continue;
    const type = readKind(structures, unit);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  let above = 0;
  const parts = [...counts].flatMap(([type, number]) => {
    // Fewer than the level above: a few units of the country have such a level, and most have not.
    if (number === 0 || number < above) return [];
    above = number;
    const { one, many } = termOf(entry.code, type);
    return [count(number, one, many)];
  });
  return [...parts, count(entry.distinctPostcodes, 'postal code')].join(' › ');
});

function facts(detail: CountryDetail): Html {
  return html`<dl class="facts">
${fact('Country codes', `${detail.code}, ${detail.alpha3}`)}
${fact('Region', [detail.subRegion ?? detail.region].filter(Boolean).join())}
${fact('Postal code format', detail.postalCodeFormat !== null && formats(detail.postalCodeFormat))}
${fact('Currency', detail.currencyCode)}
${fact('Time zone', detail.timezone)}
${fact('Centre', detail.latitude !== null && copyable(`${detail.latitude}, ${detail.longitude}`))}
</dl>`;
}

/** The formats of a country are separated by `|`. */
function formats(pattern: string): Content {
  return joined(
    pattern.split('|').map((form) => html`<code>${form}</code>`),
    ' or ',
  );
}

function map({ data }: PageContext, country: CoveredCountry): Html {
  const { structures, entry } = country;
  const dots = dotsWithin(country, levelRange(structures.tree, 1), entry.name);
  const caption = html`Grey: ${count(structures.points.places.length, 'point')} with a postal code.`;
  return drawPlaceMap(data, { countries: [country], isCountry: true, dots, caption });
}

/** All codes of a country with few; of others their first characters, each of which leads to its codes. */
function codes(country: CoveredCountry): Content {
  const { postcodes } = country.structures;
  const { codeCount } = postcodes;
  const groups = groupCodes(country, '', { start: 0, end: codeCount });
  if (groups === undefined) {
    const all = Array.from({ length: codeCount }, (_, code) => codeText(postcodes, code));
    return section('codes', 'Postal codes', all.length > 0 && codeLinks(country, all));
  }
  const links = groups.map(({ prefix, codes }) =>
    codes.end - codes.start === 1
      ? html`<li>${codeLink(country, prefix)}</li>`
      : html`<li><a href="${browsePath(country, prefix)}">${prefix}</a></li>`,
  );
  const all = html`<p class="more"><a href="${browsePath(country, '')}">With regions and counts</a></p>`;
  return section('codes', 'Postal codes by their first characters', html`<ul class="codes">${links}</ul>${all}`);
}

function regions(country: CoveredCountry, pages: PartPages, listNumber: number): Content {
  const name = inSentence(country.entry.name);
  return section('within', `In ${name}`, partList(country, pages, listNumber, countryPath(country)));
}
