/** The releases whose changes are known, and the page of one of them: what changed by country, with examples. */

import { CHANGE_KINDS, type ChangesHeader, type PlaceChange, sumChanges } from '../../core/snapshot/changes-file.js';
import { findByPath } from '../../core/snapshot/path-trie.js';
import type { ChangesList } from '../../core/snapshot/release-changes.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { apiCall } from '../components/api-call.js';
import { countryLink, describeChanges, newAndGone, releaseChangesByName } from '../components/release-changes.js';
import { breadcrumbList, breadcrumbTrail, type Crumb } from '../html/breadcrumbs.js';
import { capitalize, formatCounted, formatNumber } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { section } from '../html/section.js';
import { wideTable } from '../html/wide-table.js';
import { isCovered } from '../reading/covered-country.js';
import {
  type CountryExamples,
  examplesOf,
  findRelease,
  knownReleases,
  variantOfReleases,
} from '../reading/known-releases.js';
import { FEED_PATH, placePath, RELEASES_PATH, releasePath } from '../reading/page-paths.js';

const COVERAGE: Crumb = { name: 'Coverage', path: '/coverage' };
const RELEASES: Crumb = { name: 'Releases', path: RELEASES_PATH };

export function releasesPage(context: PageContext): Page {
  const { snapshot } = context;
  const lists = knownReleases(snapshot);
  const oldest = lists.at(-1)?.header.since ?? snapshot.release;
  const text =
    lists.length === 0
      ? `Release ${snapshot.release} is the first one here: there is none before it to compare with.`
      : `What changed with each release since ${oldest}.`;
  return {
    title: 'Releases',
    description: text,
    canonicalPath: RELEASES_PATH,
    variant: variantOfReleases(lists),
    feed: FEED_PATH,
    body: html`${breadcrumbTrail([COVERAGE])}
<h1>Releases</h1>
<p class="lede">${text}</p>
${lists.length > 0 && releasesTable(lists)}
<p class="more">New releases as a <a href="${FEED_PATH}">feed</a>.</p>`,
    linkedData: [breadcrumbList(context.site, [COVERAGE, RELEASES])],
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

/** The date of the data, unless it is the release's name. */
function dateOf({ release, sourceDate }: ChangesHeader): Content {
  return sourceDate !== null && sourceDate !== release && html` <span class="note whole">${sourceDate}</span>`;
}

const KIND_HEADINGS = [...CHANGE_KINDS, 'codes added', 'codes removed'].map(
  (kind) => html`<th scope="col">${capitalize(kind)}</th>`,
);

/** Empty for 0. */
function cells(counts: ReturnType<typeof sumChanges>): Html[] {
  const numbers = [...CHANGE_KINDS.map((kind) => counts[kind]), counts.codesAdded, counts.codesRemoved];
  return numbers.map((number) => html`<td>${number > 0 && formatNumber(number)}</td>`);
}

/** Undefined if the changes of no release with this name are known. */
export function releasePage(context: PageContext, release: string): Page | undefined {
  const { snapshot } = context;
  const list = findRelease(snapshot, release);
  if (list === undefined) return undefined;
  const { header } = list;
  const { since, countries } = header;
  const path = releasePath(release);
  const notListed = countries.filter(({ bytes }) => bytes === null).length;
  return {
    title: `Release ${release}: what changed`,
    description: `Release ${release} since ${since}: ${describeChanges(header)}`,
    canonicalPath: path,
    variant: variantOfReleases(knownReleases(snapshot)),
    feed: FEED_PATH,
    body: html`${breadcrumbTrail([COVERAGE, RELEASES])}
<h1>Release ${release}</h1>
<p class="lede">What changed since release <span class="whole">${since}</span>${header.sourceDate !== null && header.sourceDate !== release && html`, with data from <span class="whole">${header.sourceDate}</span>`}.</p>
<p>${describeChanges(header)}</p>
${newAndGone(snapshot, header)}${
  countries.length > 0 && section('countries', 'By country', countriesTable(snapshot, header))
}${notListed > 0 && html`<p class="note">The changes of ${formatCounted(notListed, 'country', 'countries')} are counted only: there are too many.</p>\n`}
${examplesSection(snapshot, examplesOf(list))}
${apiCall(context.site, [`/v1/changes?since=${encodeURIComponent(since)}`])}`,
    linkedData: [breadcrumbList(context.site, [COVERAGE, RELEASES, { name: release, path }])],
  };
}

function countriesTable(snapshot: Snapshot, { countries }: ChangesHeader): Html {
  return wideTable(
    'Changes by country',
    html`<table class="numbers">
<thead><tr><th scope="col">Country</th>${KIND_HEADINGS}</tr></thead>
<tbody>${releaseChangesByName(snapshot, countries).map((country) => html`<tr><th scope="row">${countryLink(snapshot, country)}</th>${cells(country)}</tr>\n`)}</tbody>
</table>`,
  );
}

function examplesSection(snapshot: Snapshot, examples: readonly CountryExamples[]): Content {
  const lists = examples.map(
    ({ changes, examples: ofCountry }) => html`<h3>${countryLink(snapshot, changes)}</h3>
<ul class="changes">${ofCountry.map((change) => exampleItem(snapshot, change))}</ul>
`,
  );
  return lists.length > 0 && section('examples', 'Examples', lists);
}

function exampleItem(snapshot: Snapshot, change: PlaceChange): Html {
  const { name, postalCode, path } = change;
  const address = addressOf(snapshot, change);
  const place = address === undefined ? html`<bdi>${name}</bdi>` : html`<a href="${address}" dir="auto">${name}</a>`;
  const old = before(change);
  return html`<li><b>${change.change}</b>
<div>${place}${postalCode !== null && html` <span class="code">${postalCode}</span>`} <span class="where">${path}</span>${
    old !== false && html`<br><span class="where">before: ${old}</span>`
  }</div></li>\n`;
}

/** The old name and path; false for a place that is new or gone. */
function before({ change, path, name, localName, oldName, oldLocalName, oldPath }: PlaceChange): Content {
  if (change === 'moved' && oldPath === path) return 'in another unit at the same path';
  const names = new Set([oldName !== name && oldName, oldLocalName !== localName && oldLocalName]);
  const parts = [...names].flatMap((text) => (typeof text === 'string' ? [html`<bdi>${text}</bdi>`] : []));
  if (oldPath !== undefined) parts.push(html`${oldPath}`);
  return parts.length > 0 && joinHtml(parts, ' ');
}

/** Undefined if the place is gone, or no place of the served snapshot has the path any more. */
function addressOf(snapshot: Snapshot, { change, countryCode, path }: PlaceChange): string | undefined {
  const country = snapshot.countryByCode.get(countryCode);
  if (change === 'removed' || country === undefined || !isCovered(country)) return undefined;
  const place = findByPath(country.structures, path.slice(1).split('/'));
  return place === undefined ? undefined : placePath(country, place);
}
