/** What a release changed, in sentences for pages and for the feed, and the countries that came and went. */

import {
  CHANGE_KINDS,
  type ChangesHeader,
  CODE_CHANGE_WORDS,
  type CodeChangeKind,
  type CountryChanges,
  sumChanges,
  sumCodeChanges,
} from '../../core/snapshot/changes-file.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { formatCounted, formatNumber } from '../html/formats.js';
import { type Content, type Html, html, joinHtml } from '../html/html.js';
import { countryPath } from '../reading/page-paths.js';

/** "12 places added, 3 moved, in 4 countries; 5 postal codes added." */
export function describeChanges({ countries }: ChangesHeader): string {
  const sums = sumChanges(countries);
  const changed = CHANGE_KINDS.filter((kind) => sums[kind] > 0);
  const ofPlaces = countries.filter((country) => CHANGE_KINDS.some((kind) => country[kind] > 0));
  const where = `in ${formatCounted(ofPlaces.length, 'country', 'countries')}`;
  const places = changed.map((kind, at) =>
    at === 0 ? `${formatCounted(sums[kind], 'place')} ${kind}` : `${formatNumber(sums[kind])} ${kind}`,
  );
  const codes = [
    ...(sums.codesAdded > 0 ? [`${formatCounted(sums.codesAdded, 'postal code')} added`] : []),
    ...(sums.codesRemoved > 0 ? [`${formatCounted(sums.codesRemoved, 'postal code')} removed`] : []),
  ];
  const fullCodes = Object.entries(sumCodeChanges(countries))
    .filter(([, total]) => total > 0)
    .map(([kind, total]) => `${formatCounted(total, 'full code')} ${CODE_CHANGE_WORDS[kind as CodeChangeKind]}`);
  const parts = [...(places.length > 0 ? [`${places.join(', ')}, ${where}`] : []), ...codes, ...fullCodes];
  return parts.length === 0 ? 'No place was added, removed, moved or renamed.' : `${parts.join('; ')}.`;
}

/** The countries that have postal codes since this release, and the countries that have none any more. */
export function newAndGone(snapshot: Snapshot, { countries }: ChangesHeader): Content {
  const [added, gone] = [
    countries.filter(({ placesBefore }) => placesBefore === 0),
    countries.filter(({ placesAfter }) => placesAfter === 0),
  ];
  return [
    added.length > 0 && html`<p>New: ${countryLinks(snapshot, added)}.</p>\n`,
    gone.length > 0 && html`<p>No longer with postal codes: ${countryLinks(snapshot, gone)}.</p>\n`,
  ];
}

function countryLinks(snapshot: Snapshot, countries: readonly CountryChanges[]): Content {
  return joinHtml(
    releaseChangesByName(snapshot, countries).map((country) => countryLink(snapshot, country)),
    ', ',
  );
}

/** In the order of the names of countries. */
export function releaseChangesByName(snapshot: Snapshot, countries: readonly CountryChanges[]): CountryChanges[] {
  const nameOf = ({ code }: CountryChanges): string => snapshot.countryByCode.get(code)?.entry.name ?? code;
  return [...countries].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
}

/** A link to the country's page; its code alone where the served snapshot does not know the country. */
export function countryLink(snapshot: Snapshot, { code }: CountryChanges): Html {
  const country = snapshot.countryByCode.get(code);
  return country === undefined ? html`${code}` : html`<a href="${countryPath(country)}">${country.entry.name}</a>`;
}
