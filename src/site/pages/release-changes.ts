/** The section of the coverage page with the changes since the previous release. */
import type { CountryEntry } from '../../format/manifest.js';
import { countryPath } from '../addresses.js';
import { type Content, type Html, html, joined } from '../html/html.js';
import { count, formatNumber, section } from '../html/place-parts.js';
import { wideTable } from '../html/wide-table.js';
import type { CountryChange, Difference, ReleaseChanges } from '../reading/compare-releases.js';

const MAX_ROWS = 50;

export function changesSection({ since, added, gone, changed, total }: ReleaseChanges): Content {
  const shown = changed.slice(0, MAX_ROWS);
  const isSame = added.length + gone.length + changed.length === 0;
  return section('changes', `Since release ${since}`, [
    html`<p>${isSame ? 'The counts of every country are unchanged.' : summary(total, changed.length)}</p>`,
    added.length > 0 && html`<p>New: ${countryLinks(added)}.</p>`,
    gone.length > 0 && html`<p>No longer with postal codes: ${countryLinks(gone)}.</p>`,
    changed.length > shown.length && html`<p class="note">The ${shown.length} largest changes</p>`,
    shown.length > 0 &&
      wideTable(
        'Changes by country',
        html`<table class="numbers">
<thead><tr><th scope="col">Country</th><th scope="col">Codes</th><th scope="col">Places</th></tr></thead>
<tbody>${shown.map(row)}</tbody>
</table>`,
      ),
  ]);
}

function summary({ codes, places }: Difference, changedCount: number): string {
  const counts = `${moreOrFewer(codes, 'postal code')} and ${moreOrFewer(places, 'place')}`;
  const where = changedCount === 0 ? '' : `, with changes in ${count(changedCount, 'country', 'countries')}`;
  return `In total ${counts}${where}.`;
}

function moreOrFewer(difference: number, one: string): string {
  if (difference === 0) return `the same number of ${one}s`;
  return `${count(Math.abs(difference), `${difference > 0 ? 'more' : 'fewer'} ${one}`)}`;
}

function countryLinks(countries: readonly CountryEntry[]): Content {
  return joined(
    countries.map((entry) => html`<a href="${countryPath({ entry })}">${entry.name}</a>`),
    ', ',
  );
}

function row({ country, codes, places }: CountryChange): Html {
  return html`<tr><th scope="row"><a href="${countryPath({ entry: country })}">${country.name}</a></th>
<td>${signed(codes)}</td><td>${signed(places)}</td></tr>`;
}

/** With a sign; nothing for no difference. */
function signed(difference: number): string {
  if (difference === 0) return '';
  return `${difference > 0 ? '+' : '−'}${formatNumber(Math.abs(difference))}`;
}
