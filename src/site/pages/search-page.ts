/** The page of search results, with their maps. */

import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import { atSentenceStart, inSentence } from '../html/country-in-sentence.js';
import { type Content, type Html, html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { drawResultMaps } from '../map/result-maps.js';
import {
  HIT_KINDS,
  type Hit,
  type HitFilter,
  type HitKind,
  type SearchResults,
  search,
} from '../reading/place-search.js';
import { describeLine, groupHits, namesInLine } from '../reading/search-groups.js';

const SEARCH_LIMIT = 25;

/** Number of lines before the map on a phone: most readers look for one of these. */
const FIRST_LINES = 3;
/** Shown where nothing was typed or found. */
const WAYS_TO_SEARCH = html`<p>You can search for:</p><ul>
<li>A place, by its own name: <a href="/search?q=M%C3%BCnchen">München</a>, or in English <a href="/search?q=Munich">Munich</a></li>
<li>A place in a state or a country: <a href="/search?q=Springfield%2C+Ohio">Springfield, Ohio</a></li>
<li>A postal code: <a href="/search?q=10115">10115</a>, or with its place <a href="/search?q=75008+Paris">75008 Paris</a></li>
<li>A country: <a href="/search?q=Germany">Germany</a>, or see <a href="/coverage">all countries</a></li>
</ul>`;
const KIND_NAMES: Readonly<Record<HitKind, string>> = {
  country: 'Countries',
  postcode: 'Postal codes',
  place: 'Places',
};

/** `countryCode` and `kind` limit the results, unless they are no code or kind. */
export function searchPage({ snapshot }: PageContext, query: string, countryCode: string, kind: string): Page {
  const filter = {
    country: snapshot.countryByCode.get(countryCode),
    kind: HIT_KINDS.find((one) => one === kind),
  };
  const all = search(snapshot, query, SEARCH_LIMIT);
  const isLimited = filter.country !== undefined || filter.kind !== undefined;
  const results = isLimited ? search(snapshot, query, SEARCH_LIMIT, filter) : all;
  const isEmpty = query.trim() === '';
  const heading = isEmpty ? 'Search' : html`Search: <span dir="auto">${query}</span>`;
  return {
    title: isEmpty ? 'Search' : `Search: ${query}`,
    description: 'Places and postal codes of the world, by name or code.',
    canonicalPath: undefined,
    query,
    body: html`<h1>${heading}</h1>
${isEmpty ? html`<p>Type the name of a place, or a postal code.</p>${WAYS_TO_SEARCH}` : [filters(query, all.hits, filter), resultList(snapshot, results, filter, query)]}`,
  };
}

/** Links that limit the results to a kind or to a country; each leads to some of the results, and not to all. */
function filters(query: string, all: readonly Hit[], filter: HitFilter): Content {
  const ofCountry = all.filter(({ country }) => (filter.country ?? country) === country);
  const kinds = HIT_KINDS.filter((kind) => kind === filter.kind || ofCountry.some((hit) => hit.kind === kind));
  const ofKind = all.filter(({ kind }) => (filter.kind ?? kind) === kind).map(({ country }) => country);
  const countries = [...new Set([...ofKind, ...(filter.country ? [filter.country] : [])])];
  const link = (text: string, to: HitFilter): Html => {
    const isChosen = to.country === filter.country && to.kind === filter.kind;
    return html`<li><a href="${addressOf(query, to)}"${isChosen && html` aria-current="true"`} dir="auto">${text}</a></li>`;
  };
  const row = (label: string, links: readonly Html[]): Content =>
    links.length > 2 && html`<nav class="filters" aria-label="${label}"><ul>${links}</ul></nav>`;
  return [
    row('Kinds of results', [
      link('All', { country: filter.country }),
      ...kinds.map((kind) => link(KIND_NAMES[kind], { country: filter.country, kind })),
    ]),
    row('Countries of results', [
      link('All countries', { kind: filter.kind }),
      ...countries.map((country) => link(country.entry.name, { country, kind: filter.kind })),
    ]),
  ];
}

function addressOf(query: string, { country, kind }: HitFilter): string {
  const params = new URLSearchParams({ q: query });
  if (country !== undefined) params.set('country', country.entry.code);
  if (kind !== undefined) params.set('kind', kind);
  return `/search?${params}`;
}

/** The first results, their map, and the others. */
function resultList(snapshot: Snapshot, results: SearchResults, filter: HitFilter, query: string): Content {
  const { hits, absent } = results;
  const note = absent !== undefined && noteOn(absent, results.isCityOfAbsent ? query.trim() : undefined);
  // No spelling finds a place of a country without data.
  if (hits.length === 0) return absent !== undefined && absent === filter.country ? note : [note, noResults(query)];
  const linkTo = (country: Country): string => addressOf(query, { country, kind: filter.kind });
  const lines = groupHits(hits);
  const linesOf = (from: number, to?: number): Html =>
    hitList(lines.slice(from, to), filter.country ? undefined : linkTo);
  const maps = drawResultMaps(snapshot, hits, linkTo);
  if (maps === undefined) return [note, linesOf(0)];
  const others = lines.length > FIRST_LINES && html`<div class="rest">${linesOf(FIRST_LINES)}</div>`;
  return html`${note}<div class="sides"><div>${linesOf(0, FIRST_LINES)}</div><div class="aside">${maps}</div>${others}</div>`;
}

/** Says that a country has no data; `city` is a city of it. */
function noteOn({ entry: { name } }: Country, city: string | undefined): Html {
  if (city === undefined) return html`<p>${atSentenceStart(name)} is not in this release.</p>`;
  return html`<p><span dir="auto">${city}</span> is in ${inSentence(name)}, of which this release has no postal codes.</p>`;
}

function noResults(query: string): Content {
  return html`<p>No results for “<span dir="auto">${query.trim()}</span>”. Try fewer letters or another spelling.</p>${WAYS_TO_SEARCH}`;
}

/** Results in one country that share a name are one line; `linkTo` is the address of the results in a country. */
export function hitList(lines: readonly (readonly Hit[])[], linkTo?: (country: Country) => string): Html {
  return html`<ol class="hits">${lines.map((line) => html`<li>${hitLine(line, linkTo)}</li>`)}</ol>`;
}

function hitLine(line: readonly Hit[], linkTo: ((country: Country) => string) | undefined): Content {
  const [{ name, where, path, country }, another] = line as [Hit, ...Hit[]];
  if (another === undefined)
    return html`<a href="${path}" dir="auto">${name}</a> <span class="where" dir="auto">${where}</span>`;
  const title = linkTo ? html`<a href="${linkTo(country)}" dir="auto">${name}</a>` : html`<b dir="auto">${name}</b>`;
  const names = namesInLine(line);
  return html`${title} <span class="where">${describeLine(line)}</span><ul>${line.map(
    (hit, at) =>
      html`<li><a href="${hit.path}" dir="auto">${names[at]}</a>${hit.codes && html` <span class="code">${hit.codes}</span>`}</li>`,
  )}</ul>`;
}
