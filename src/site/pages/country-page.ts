/**
 * The page of a country: its levels in the country's own terms, its largest cities with their codes, its regions, how
 * addresses are written, its codes by their first characters, its facts and its map. Places in no region are on pages of
 * their own.
 */

import { oncePer } from '../../base/once-per.js';
import { getCountry } from '../../core/answers/countries.js';
import { readResponseData } from '../../core/answers/response-data.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { readKindField, readOtherNames } from '../../core/snapshot/place-fields.js';
import { isPlace } from '../../core/snapshot/place-tree.js';
import { indexedPostcode } from '../../core/snapshot/postcode-index.js';
import type { CountryResource, CountryStats } from '../../core/snapshot/rendered-countries.js';
import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import { apiCall } from '../components/api-call.js';
import { codeLink, codeLinks } from '../components/code-links.js';
import { otherNamesSection } from '../components/other-names.js';
import { pageNote } from '../components/pager.js';
import { type ChildrenPages, childrenList, childrenPages } from '../components/unit-children-list.js';
import { breadcrumbList } from '../html/breadcrumbs.js';
import { copyable } from '../html/copyable.js';
import { inSentence } from '../html/country-in-sentence.js';
import { fact } from '../html/facts.js';
import { formatCounted, formatNumber } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { section } from '../html/section.js';
import { drawCountryFigure } from '../map/light-figures.js';
import { describeFormat, exampleAddress } from '../reading/address-example.js';
import { type CodeSummary, listRanksOfPage, summarizeCodes } from '../reading/code-summary.js';
import { groupCodes } from '../reading/codes-by-prefix.js';
import { type CoveredCountry, isCovered } from '../reading/covered-country.js';
import { knownReleases, variantOfReleases } from '../reading/known-releases.js';
import { largestCitiesOf } from '../reading/largest-cities.js';
import { browsePath, countryPath, listPath } from '../reading/page-paths.js';
import { childrenByKind } from '../reading/unit-children.js';
import { countAreas, termOf } from '../reading/unit-terms.js';

/** A country with all of its fields; only countries with data have `stats`. */
type CountryDetail = CountryResource & { readonly stats?: CountryStats };

function decodeCountryDetail(snapshot: Snapshot, { entry }: Country): CountryDetail {
  return parseJson(readResponseData(getCountry(snapshot, { country: entry.code }))) as CountryDetail;
}

/** Undefined if the list has no such page. */
export function countryPage(context: PageContext, country: Country, listNumber: number): Page | undefined {
  if (!isCovered(country)) return listNumber === 1 ? uncoveredPage(context, country) : undefined;
  const parts = childrenByKind(country.structures, undefined);
  const [counted, others] = countAreas(country, parts.areas);
  const listed = { ...parts, areas: counted?.areas ?? [], otherAreas: others?.areas ?? [] };
  const pages = childrenPages(listed, 'country');
  if (listNumber > pages.pageCount) return undefined;
  const detail = decodeCountryDetail(context.snapshot, country);
  const { name } = detail;
  const path = countryPath(country);
  const summary = levelsOf(country);
  return {
    title: `${name}: postal codes and places${pageNote(listNumber)}`,
    description: `${name}: ${summary}. By region and by code, with a map.`,
    canonicalPath: listPath(path, listNumber),
    body: html`<article class="place">
<header><h1 dir="auto">${name}</h1>
<p class="answer">${summary}</p></header>
${listNumber === 1 ? front(context, country, detail, pages) : regions(country, pages, listNumber)}
${listNumber === 1 && apiCall(context.site, [`/v1/countries/${detail.code}`])}
</article>`,
    linkedData: linkedData(context, country),
  };
}

function front(context: PageContext, country: CoveredCountry, detail: CountryDetail, pages: ChildrenPages): Html {
  return html`<div class="sides">
<div>${cities(country)}</div>
<div class="aside">${drawCountryFigure(context.snapshot, country)}
${facts(detail)}</div>
<div class="rest">${regions(country, pages, 1)}
${address(context, country, detail)}
${codes(country)}
${namesOf(context, country)}</div>
</div>`;
}

function namesOf({ snapshot }: PageContext, { number }: Country): Content {
  return otherNamesSection(readOtherNames(snapshot.countryNamesByLanguage, number));
}

/** The page of a country without postal codes says since which release it has none. */
function uncoveredPage(context: PageContext, country: Country): Page {
  const { snapshot } = context;
  const detail = decodeCountryDetail(snapshot, country);
  const { name } = detail;
  const lists = knownReleases(snapshot);
  const last = lists.find(({ header }) => header.countries.some(({ code }) => code === detail.code))?.header;
  const oldest = lists.at(-1)?.header;
  const since =
    last !== undefined
      ? ` Release ${last.since} was the last that had them.`
      : oldest !== undefined && ` Neither has any release since ${oldest.since}.`;
  const text = `No postal codes are included for ${inSentence(name)} in release ${snapshot.release}.`;
  return {
    title: `${name}: no postal codes`,
    description: text,
    canonicalPath: countryPath(country),
    variant: variantOfReleases(lists),
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
  const path = countryPath(country);
  return [
    breadcrumbList(site, [{ name, path }]),
    { '@type': 'Country', name, identifier: code, url: site.siteUrl + path },
  ];
}

/**
 * "16 states › 403 districts › 10,814 postal codes": the units with others in them, by type. Reads the type of each
 * unit: a millisecond in the largest countries.
 */
const levelsOf = oncePer((country: CoveredCountry): string => {
  const { entry, structures } = country;
  const [counted] = countAreas(country, childrenByKind(structures, undefined).areas);
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
    const type = readKindField(structures, unit);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const [first] = counted?.areas ?? [];
  let above = 0;
  const parts = [...counts].flatMap(([type, number]) => {
    // One unit is the whole country. A level with fewer than the level above is one that most of the country lacks.
    if (number < Math.max(2, above)) return [];
    above = number;
    const { one, many } = termOf(entry.code, type);
    const isCounted = first !== undefined && readKindField(structures, first) === type;
    return [isCounted ? counted?.text : formatCounted(number, one, many)];
  });
  const codeCount = entry.distinctPostcodes;
  const only = codeCount === 1 ? `postal code ${indexedPostcode(structures.postcodes, 0)}` : undefined;
  return [...parts, only ?? formatCounted(codeCount, 'postal code')].join(' › ');
});

function facts(detail: CountryDetail): Html {
  return html`<dl class="facts">
${fact('Country codes', `${detail.code}, ${detail.alpha3}`)}
${fact('Region', [detail.subRegion ?? detail.region].filter(Boolean).join())}
${fact('Postal code', detail.postalCodeFormat !== null && describeFormat(detail.code, detail.postalCodeFormat))}
${fact('Currency', detail.currencyCode)}
${fact('Time zone', detail.timezone)}
${fact('Centre', detail.latitude !== null && copyable(`${detail.latitude}, ${detail.longitude}`))}
</dl>`;
}

/** Maximum length of the codes of a city in characters; of longer ones the first run is shown. */
const MAX_CODES_LENGTH = 20;

function shortCodes({ text, otherCount }: CodeSummary): string {
  const shown = text.length > MAX_CODES_LENGTH ? (text.split(', ')[0] ?? '') : text;
  return otherCount > 0 || shown !== text ? `${shown}\u00a0…` : shown;
}

/** The largest cities by their people, with their codes in short. */
function cities(country: CoveredCountry): Content {
  const rows = largestCitiesOf(country).map(({ name, href, place, people }) => {
    const ranks = listRanksOfPage(country, place);
    const codes = ranks.length > 0 && shortCodes(summarizeCodes(country, ranks));
    return html`<tr><th scope="row"><a href="${href}" dir="auto">${name}</a></th><td>${codes}</td><td>${formatNumber(ranks.length)}</td><td>${formatNumber(people)}</td></tr>\n`;
  });
  return section(
    'cities',
    rows.length === 1 ? 'The largest city' : 'The largest cities',
    rows.length > 0 &&
      html`<table class="numbers cities">
<thead><tr><th scope="col">City</th><th scope="col">Postal codes</th><th scope="col">Number</th><th scope="col">People</th></tr></thead>
<tbody>${rows}</tbody>
</table>`,
  );
}

const BLANKS = { name: 'Name', street: 'Street and number' };

function address({ snapshot }: PageContext, country: CoveredCountry, { code, name }: CountryDetail): Content {
  const example = exampleAddress(snapshot, country, BLANKS);
  if (example === undefined) return false;
  const last = name.toUpperCase();
  const lines = [...example.lines.filter((line) => line !== last), last].map((line) =>
    Object.values(BLANKS).includes(line) ? html`<i>${line}</i>` : line,
  );
  return section(
    'addresses',
    'On an envelope',
    html`<address class="envelope" data-country="${code}" dir="auto">${joinHtml(lines, '\n')}</address>`,
  );
}

/** All codes, if they are few, or links to the codes by their first characters. */
function codes(country: CoveredCountry): Content {
  const { postcodes } = country.structures;
  const { codeCount } = postcodes;
  const groups = groupCodes(country, '', { start: 0, end: codeCount });
  if (groups === undefined) {
    const all = Array.from({ length: codeCount }, (_, code) => indexedPostcode(postcodes, code));
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

function regions(country: CoveredCountry, pages: ChildrenPages, listNumber: number): Content {
  const name = inSentence(country.entry.name);
  return section('within', `In ${name}`, childrenList(country, pages, listNumber, countryPath(country)));
}
