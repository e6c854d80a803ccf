/**
 * The page of coverage: what is included for each country, counts by level, whether only the first part of each code
 * is, and what changed since the release before.
 */

import { SHORT_CODE_COUNTRIES } from '../../core/lookup/national-postcodes.js';
import type { ChangesHeader } from '../../core/snapshot/changes-file.js';
import { hasFullCodes } from '../../core/snapshot/full-codes.js';
import type { CountryEntry } from '../../core/snapshot/manifest.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { describeChanges, newAndGone } from '../components/release-changes.js';
import { formatNumber } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import type { Page, PageContext } from '../html/page.js';
import { section } from '../html/section.js';
import { wideTable } from '../html/wide-table.js';
import { byCountryName, type CoveredCountry, coveredByName } from '../reading/covered-country.js';
import { knownReleases, variantOfReleases } from '../reading/known-releases.js';
import { countryPath, FEED_PATH, RELEASES_PATH, releasePath } from '../reading/page-paths.js';

export function coveragePage({ snapshot }: PageContext): Page {
  const lists = knownReleases(snapshot);
  const changes = lists[0]?.header;
  const covered = coveredByName(snapshot);
  const others = snapshot.countries.filter(({ structures }) => structures === undefined).sort(byCountryName);
  const { release, manifest } = snapshot;
  const date = manifest.sourceDate?.slice(0, 10) ?? release;
  const places = covered.reduce((sum, { entry }) => sum + placeCount(entry), 0);
  const codes = covered.reduce((sum, { entry }) => sum + entry.distinctPostcodes, 0);
  return {
    title: 'Coverage',
    description: `${covered.length} countries, ${formatNumber(codes)} postal codes, ${formatNumber(places)} places. Release ${release}.`,
    canonicalPath: '/coverage',
    variant: variantOfReleases(lists),
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
<p>${joinHtml(
    others.map((country) => html`<a href="${countryPath(country)}">${country.entry.name}</a>`),
    ', ',
  )}.</p>`
}
${changes !== undefined && changesSection(snapshot, changes)}`,
  };
}

function changesSection(snapshot: Snapshot, header: ChangesHeader): Content {
  return section('changes', `Since release ${header.since}`, [
    html`<p>${describeChanges(header)}</p>\n`,
    newAndGone(snapshot, header),
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
