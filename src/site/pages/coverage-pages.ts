/**
 * The pages below /coverage: what is included for each country (counts by level, whether only the first part of each code
 * is, what changed since the release before), the releases whose changes are known with their feed, and the page of one
 * of them: what changed by country, with examples.
 */

import { SHORT_CODE_COUNTRIES } from '../../core/lookup/national-postcodes.js';
import { CHANGE_KINDS, type ChangesHeader, type PlaceChange, sumChanges } from '../../core/snapshot/changes-file.js';
import { hasFullCodes } from '../../core/snapshot/full-codes.js';
import type { CountryEntry } from '../../core/snapshot/manifest.js';
import { findByPath } from '../../core/snapshot/path-trie.js';
import type { ChangesList } from '../../core/snapshot/release-changes.js';
import type { Country } from '../../core/snapshot/snapshot.js';
import { countryPath, FEED_PATH, placePath, RELEASES_PATH, releasePath } from '../addresses.js';
import { breadcrumbs, type Content, escapeHtml, type Html, html, joined, wideTable } from '../html/html.js';
import type { Page, PageContext } from '../html/layout.js';
import { apiCall, type Crumb, count, formatNumber, section, trail } from '../html/place-parts.js';
import {
  byName,
  type CountryExamples,
  countryLink,
  describeChanges,
  examplesOf,
  findRelease,
  knownReleases,
  newAndGone,
  variantOf,
} from '../reading/known-releases.js';
import { type CoveredCountry, isCovered, type SiteSnapshot } from '../site-snapshot.js';

const COVERAGE: Crumb = { name: 'Coverage', path: '/coverage' };
const RELEASES: Crumb = { name: 'Releases', path: RELEASES_PATH };

export function coveragePage({ data }: PageContext): Page {
  const { snapshot } = data;
  const lists = knownReleases(data);
  const changes = lists[0]?.header;
  const covered = snapshot.countries.filter(isCovered).sort(byCountryName);
  const others = snapshot.countries.filter(({ structures }) => structures === undefined).sort(byCountryName);
  const { release, manifest } = snapshot;
  const date = manifest.sourceDate?.slice(0, 10) ?? release;
  const places = covered.reduce((sum, { entry }) => sum + placeCount(entry), 0);
  const codes = covered.reduce((sum, { entry }) => sum + entry.distinctPostcodes, 0);
  return {
    title: 'Coverage',
    description: `${covered.length} countries, ${formatNumber(codes)} postal codes, ${formatNumber(places)} places. Release ${release}.`,
    canonicalPath: '/coverage',
    variant: variantOf(lists),
    feed: FEED_PATH,
    body: html`<h1>Coverage</h1>
<p class="lede">${formatNumber(covered.length)} countries with ${formatNumber(codes)} postal codes and ${formatNumber(places)} places.</p>
<p>Release <b class="whole">${release}</b>${date !== release && html`, with data from <span class="whole">${date}</span>`}${
      changes !== undefined && html` (<a href="#changes">what changed</a>)`
    }.
Level 1 is the highest, such as regions; postal codes belong to the lowest places. <i>short</i> means that only the first part of
each code is included.</p>
${wideTable(
  'Countries with postal codes',
  html`<table class="numbers">
<thead><tr><th scope="col">Country</th><th scope="col">Codes</th><th scope="col">Places</th>${[1, 2, 3, 4].map(
    (level) => html`<th scope="col">Level ${level}</th>`,
  )}</tr></thead>
<tbody>${covered.map(coverageRow)}</tbody>
</table>`,
)}
${
  others.length > 0 &&
  html`<h2>Countries without postal codes</h2>
<p>${joined(
    others.map((country) => html`<a href="${countryPath(country)}">${country.entry.name}</a>`),
    ', ',
  )}.</p>`
}
${changes !== undefined && changesSection(data, changes)}`,
  };
}

function byCountryName(a: Country, b: Country): number {
  return a.entry.name.localeCompare(b.entry.name, 'en');
}

function changesSection(data: SiteSnapshot, header: ChangesHeader): Content {
  return section('changes', `Since release ${header.since}`, [
    html`<p>${describeChanges(header)}</p>\n`,
    newAndGone(data, header),
    html`<p class="more"><a href="${releasePath(header.release)}">What changed by country</a> · <a href="${RELEASES_PATH}">All releases</a></p>`,
  ]);
}

function placeCount({ levelCounts }: CountryEntry): number {
  return levelCounts.reduce((total, count) => total + count, 0);
}

function coverageRow({ entry }: CoveredCountry): Html {
  const isShort = SHORT_CODE_COUNTRIES.has(entry.code) && !hasFullCodes(entry);
  return html`<tr><th scope="row"><a href="/${entry.slug}">${entry.name}</a>${isShort && html` <i>short</i>`}</th>
<td>${formatNumber(entry.distinctPostcodes)}</td><td>${formatNumber(placeCount(entry))}</td>${entry.levelCounts.map(
    (count) => html`<td>${count === 0 ? '' : formatNumber(count)}</td>`,
  )}</tr>`;
}

export function releasesPage(context: PageContext): Page {
  const { snapshot } = context.data;
  const lists = knownReleases(context.data);
  const oldest = lists.at(-1)?.header.since ?? snapshot.release;
  const text =
    lists.length === 0
      ? `Release ${snapshot.release} is the first one here: there is none before it to compare with.`
      : `What changed with each release since ${oldest}.`;
  return {
    title: 'Releases',
    description: text,
    canonicalPath: RELEASES_PATH,
    variant: variantOf(lists),
    feed: FEED_PATH,
    body: html`${trail([COVERAGE])}
<h1>Releases</h1>
<p class="lede">${text}</p>
${lists.length > 0 && releasesTable(lists)}
<p class="more">New releases as a <a href="${FEED_PATH}">feed</a>.</p>`,
    linkedData: [breadcrumbsOf(context, [COVERAGE, RELEASES])],
  };
}

function releasesTable(lists: readonly ChangesList[]): Html {
  return wideTable(
    'Releases, the newest first',
    html`<table class="numbers">
<thead><tr><th scope="col">Release</th>${KIND_HEADINGS}<th scope="col">Countries</th></tr></thead>
<tbody>${lists.map(({ header }) => {
      const sums = sumChanges(header.countries);
      return html`<tr><th scope="row"><a class="whole" href="${releasePath(header.release)}">${header.release}</a>${dateOf(header)}</th>${cells(sums)}<td>${formatNumber(header.countries.length)}</td></tr>\n`;
    })}</tbody>
</table>`,
  );
}

/** The date of the data, where the name is another. */
function dateOf({ release, sourceDate }: ChangesHeader): Content {
  return sourceDate !== null && sourceDate !== release && html` <span class="note whole">${sourceDate}</span>`;
}

const KIND_HEADINGS = [...CHANGE_KINDS, 'codes added', 'codes removed'].map(
  (kind) => html`<th scope="col">${kind.charAt(0).toUpperCase() + kind.slice(1)}</th>`,
);

/** Empty for 0. */
function cells(counts: ReturnType<typeof sumChanges>): Html[] {
  const numbers = [...CHANGE_KINDS.map((kind) => counts[kind]), counts.codesAdded, counts.codesRemoved];
  return numbers.map((number) => html`<td>${number > 0 && formatNumber(number)}</td>`);
}

/** Undefined if the changes of no release with this name are known. */
export function releasePage(context: PageContext, release: string): Page | undefined {
  const { data } = context;
  const list = findRelease(data, release);
  if (list === undefined) return undefined;
  const { header } = list;
  const { since, countries } = header;
  const path = releasePath(release);
  const notListed = countries.filter(({ bytes }) => bytes === null).length;
  return {
    title: `Release ${release}: what changed`,
    description: `Release ${release} since ${since}: ${describeChanges(header)}`,
    canonicalPath: path,
    variant: variantOf(knownReleases(data)),
    feed: FEED_PATH,
    body: html`${trail([COVERAGE, RELEASES])}
<h1>Release ${release}</h1>
<p class="lede">What changed since release <span class="whole">${since}</span>${header.sourceDate !== null && header.sourceDate !== release && html`, with data from <span class="whole">${header.sourceDate}</span>`}.</p>
<p>${describeChanges(header)}</p>
${newAndGone(data, header)}${
  countries.length > 0 && section('countries', 'By country', countriesTable(data, header))
}${notListed > 0 && html`<p class="note">The changes of ${count(notListed, 'country', 'countries')} are counted only: there are too many.</p>\n`}
${examplesSection(data, examplesOf(list))}
${apiCall(context.site, [`/v1/changes?since=${encodeURIComponent(since)}`])}`,
    linkedData: [breadcrumbsOf(context, [COVERAGE, RELEASES, { name: release, path }])],
  };
}

function countriesTable(data: SiteSnapshot, { countries }: ChangesHeader): Html {
  return wideTable(
    'Changes by country',
    html`<table class="numbers">
<thead><tr><th scope="col">Country</th>${KIND_HEADINGS}</tr></thead>
<tbody>${byName(data, countries).map((country) => html`<tr><th scope="row">${countryLink(data, country)}</th>${cells(country)}</tr>\n`)}</tbody>
</table>`,
  );
}

function examplesSection(data: SiteSnapshot, examples: readonly CountryExamples[]): Content {
  const lists = examples.map(
    ({ changes, examples: ofCountry }) => html`<h3>${countryLink(data, changes)}</h3>
<ul class="changes">${ofCountry.map((change) => exampleItem(data, change))}</ul>
`,
  );
  return lists.length > 0 && section('examples', 'Examples', lists);
}

function exampleItem(data: SiteSnapshot, change: PlaceChange): Html {
  const { name, postalCode, path } = change;
  const address = addressOf(data, change);
  const place = address === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${address}" dir="auto">${name}</a>`;
  const old = before(change);
  return html`<li><b>${change.change}</b>
<div>${place}${postalCode !== null && html` <span class="code">${postalCode}</span>`} <span class="where">${path}</span>${
    old !== false && html`<br><span class="where">before: ${old}</span>`
  }</div></li>\n`;
}

/** False for a place that is new or gone. */
function before({ change, path, name, localName, oldName, oldLocalName, oldPath }: PlaceChange): Content {
  if (change === 'moved' && oldPath === path) return 'in another unit at the same path';
  const names = new Set([oldName !== name && oldName, oldLocalName !== localName && oldLocalName]);
  const parts = [...names].flatMap((text) => (typeof text === 'string' ? [html`<bdi>${text}</bdi>`] : []));
  if (oldPath !== undefined) parts.push(html`${oldPath}`);
  return parts.length > 0 && joined(parts, ' ');
}

/** Undefined if the place is gone, or no place of the served snapshot has the path any more. */
function addressOf(data: SiteSnapshot, { change, countryCode, path }: PlaceChange): string | undefined {
  const country = data.countryByCode(countryCode);
  if (change === 'removed' || country === undefined || !isCovered(country)) return undefined;
  const place = findByPath(country.structures, path.slice(1).split('/'));
  return place === undefined ? undefined : placePath(country, place);
}

function breadcrumbsOf({ site }: PageContext, crumbs: readonly Crumb[]): object {
  return breadcrumbs(crumbs.map(({ name, path }) => ({ name, url: site.siteUrl + path })));
}

/* The feed of releases: Atom (RFC 4287), an entry for each release whose changes are known, with absolute addresses. */

export const ATOM_TYPE = 'application/atom+xml; charset=utf-8';

export function releaseFeed({ site, data }: PageContext): string {
  const lists = knownReleases(data);
  const address = (path: string): string => escapeHtml(site.siteUrl + path);
  const dates = lists.map(({ header, writtenAt }) =>
    header.sourceDate === null ? writtenAt : `${header.sourceDate}T00:00:00Z`,
  );
  const entries = lists.map(({ header }, at) => {
    const { release, since } = header;
    const url = address(releasePath(release));
    return `<entry>
<title>Release ${escapeHtml(release)}</title>
<id>${url}</id>
<link rel="alternate" type="text/html" href="${url}"/>
<updated>${dates[at]}</updated>
<summary>Since release ${escapeHtml(since)}: ${escapeHtml(describeChanges(header))}</summary>
</entry>
`;
  });
  const further = data.snapshot.manifest.sources.slice(1).map(({ attribution }) => attribution);
  // A feed must have a date, also one without entries.
  const updated = [...dates].sort().at(-1) ?? `${data.snapshot.manifest.sourceDate ?? '1970-01-01'}T00:00:00Z`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Postal Places: releases</title>
<subtitle>Postal codes and places of the world: what changed with each release</subtitle>
<id>${address(FEED_PATH)}</id>
<link rel="self" type="application/atom+xml" href="${address(FEED_PATH)}"/>
<link rel="alternate" type="text/html" href="${address(RELEASES_PATH)}"/>
<updated>${updated}</updated>
<author><name>Postal Places</name></author>
<rights>${['Place data: GeoNames, under CC BY 4.0, adapted', ...further].map(escapeHtml).join('. ')}</rights>
${entries.join('')}</feed>
`;
}
