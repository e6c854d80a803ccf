/** The full codes of first parts by sector: all of them where they are few, else a link to the page of each sector. */

import { fullCodeAt } from '../../core/snapshot/full-codes.js';
import { formatCounted } from '../html/formats.js';
import { type Content, html } from '../html/html.js';
import { section } from '../html/section.js';
import type { CoveredCountry } from '../reading/covered-country.js';
import { listSectors } from '../reading/full-code-sectors.js';
import { browsePath } from '../reading/page-paths.js';
import { codeLinks } from './code-links.js';

/** Maximum number of full codes in the section: 14 kB. */
const MAX_FULL_CODES = 200;
/** Maximum number of sectors in the section: a first part has up to ten. */
const MAX_SECTORS = 40;

/**
 * Lists the full codes of the first parts `firsts`, which are numbers in the postcode index; `isOwn` limits them to
 * those of certain places. Nothing without full codes, or with more than MAX_SECTORS: the pages of first parts list
 * them.
 */
export function fullCodeList(
  country: CoveredCountry,
  firsts: readonly number[],
  isOwn?: (place: number) => boolean,
): Content {
  const { structures } = country;
  const { fullCodes } = structures;
  if (fullCodes === undefined || firsts.length > MAX_SECTORS) return false;
  const sectors = firsts.flatMap((first) => listSectors(structures, first, isOwn));
  const codeCount = sectors.reduce((sum, { codes }) => sum + codes.length, 0);
  if (codeCount === 0 || sectors.length > MAX_SECTORS) return false;
  const list =
    codeCount > MAX_FULL_CODES
      ? html`<ul class="places groups">${sectors.map(
          ({ name, codes }) =>
            html`<li><a href="${browsePath(country, name)}">${name}</a> <span class="where">${formatCounted(codes.length, 'code')}</span></li>`,
        )}</ul>${isOwn !== undefined && html`<p class="note">The lists can have codes of other places too.</p>`}`
      : sectors.map(
          ({ name, codes }) => html`<h3>${name}</h3>
${codeLinks(
  country,
  codes.map((code) => fullCodeAt(fullCodes, code).postcode),
)}`,
        );
  return section('full-codes', formatCounted(codeCount, 'full code'), list);
}
