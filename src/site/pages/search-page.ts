/** The page of search results, with their map. */

import type { Country, Snapshot } from '../../core/snapshot/snapshot.js';
import { atSentenceStart, inSentence } from '../html/country-in-sentence.js';
import { type Content, type Html, html } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { keepOnOneMap } from '../map/map-window.js';
import { drawPageMap } from '../map/page-map.js';
import { isCovered } from '../reading/covered-country.js';
import {
  HIT_KINDS,
  type Hit,
  type HitFilter,
  type HitKind,
  type SearchResults,
  search,
} from '../reading/place-search.js';

const SEARCH_LIMIT = 25;

/** Width of the narrowest map of results, in km: wide enough for the outline of the country. */
const LEAST_MAP_KM = 250;
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
${isEmpty ? html`<p>Type the name of a place, or a postal code.</p>` : [filters(query, all.hits, filter), resultList(snapshot, results, filter, query)]}`,
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

/** The results with their map, whose dots have the numbers of the list. */
function resultList(snapshot: Snapshot, results: SearchResults, filter: HitFilter, query: string): Content {
  const { hits, absent } = results;
  const note = absent !== undefined && noteOn(absent, results.isCityOfAbsent ? query.trim() : undefined);
  // No spelling finds a place of a country without data.
  if (hits.length === 0 && absent !== undefined && absent === filter.country) return note;
  const map = resultMap(snapshot, hits);
  if (map === undefined) return [note, searchHitList(hits, query)];
  return html`${note}<div class="sides"><div>${searchHitList(hits, query)}</div><div class="aside">${map}</div></div>`;
}

/** Says that a country has no data; `city` is a city of it. */
function noteOn({ entry: { name } }: Country, city: string | undefined): Html {
  if (city === undefined) return html`<p>${atSentenceStart(name)} is not in this release.</p>`;
  return html`<p><span dir="auto">${city}</span> is in ${inSentence(name)}, of which this release has no postal codes.</p>`;
}

/** If most results are in one country, its map alone: a few results elsewhere would make it a map of the world. */
function resultMap(snapshot: Snapshot, hits: readonly Hit[]): Html | undefined {
  const located = hits.flatMap(({ name, where, path, country, position }, at) =>
    position === undefined || !isCovered(country)
      ? []
      : [{ country, dot: { name, href: path, detail: where, number: at + 1, ...position } }],
  );
  const countOf = (one: Country): number => located.filter(({ country }) => country === one).length;
  const main = located.find(({ country }) => countOf(country) * 2 > located.length)?.country;
  const shown = main === undefined ? located : located.filter(({ country }) => country === main);
  if (shown.length === 0) return undefined;
  const dots = keepOnOneMap(shown.map(({ dot }) => dot));
  const countries = [...new Set(shown.filter(({ dot }) => dots.includes(dot)).map(({ country }) => country))];
  const where = main === undefined || shown.length === located.length ? '' : ` in ${inSentence(main.entry.name)}`;
  const left = dots.length < shown.length ? ' close together or far apart' : ' close together';
  const caption =
    dots.length === 1
      ? html`Result ${dots[0]?.number}, <b dir="auto">${dots[0]?.name}</b>.`
      : html`The results${where} by their numbers; of results${left} the first.`;
  return drawPageMap(snapshot, { countries, dots, leastKm: LEAST_MAP_KM, caption });
}

export function searchHitList(hits: readonly Hit[], query: string): Html {
  if (hits.length === 0)
    return html`<p>No results for “<span dir="auto">${query.trim()}</span>”. Try fewer letters or another spelling.</p>`;
  return html`<ol class="hits">${hits.map(
    ({ name, where, path }) =>
      html`<li><a href="${path}" dir="auto">${name}</a> <span class="where" dir="auto">${where}</span></li>`,
  )}</ol>`;
}
