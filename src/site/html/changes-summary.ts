/** What a release changed in a sentence, and the countries that came and went: for pages and for the feed. */
import { CHANGE_KINDS, type ChangesHeader, type CountryChanges, sumChanges } from '../../format/release-changes.js';
import { countryPath } from '../addresses.js';
import type { SiteSnapshot } from '../site-snapshot.js';
import { type Content, type Html, html, joined } from './html.js';
import { count, formatNumber } from './place-parts.js';

/** "12 places added, 3 moved, in 4 countries; 5 postal codes added." */
export function describeChanges({ countries }: ChangesHeader): string {
  const sums = sumChanges(countries);
  const changed = CHANGE_KINDS.filter((kind) => sums[kind] > 0);
  const where = `in ${count(countries.length, 'country', 'countries')}`;
  const places = changed.map((kind, at) =>
    at === 0 ? `${count(sums[kind], 'place')} ${kind}` : `${formatNumber(sums[kind])} ${kind}`,
  );
  const codes = [
    ...(sums.codesAdded > 0 ? [`${count(sums.codesAdded, 'postal code')} added`] : []),
    ...(sums.codesRemoved > 0 ? [`${count(sums.codesRemoved, 'postal code')} removed`] : []),
  ];
  const parts = [...(places.length > 0 ? [`${places.join(', ')}, ${where}`] : []), ...codes];
  return parts.length === 0 ? 'No place was added, removed, moved or renamed.' : `${parts.join('; ')}.`;
}

/** The countries that have postal codes now and had none, and those of which it is the reverse. */
export function newAndGone(data: SiteSnapshot, { countries }: ChangesHeader): Content {
  const [added, gone] = [
    countries.filter(({ placesBefore }) => placesBefore === 0),
    countries.filter(({ placesAfter }) => placesAfter === 0),
  ];
  return [
    added.length > 0 && html`<p>New: ${countryLinks(data, added)}.</p>\n`,
    gone.length > 0 && html`<p>No longer with postal codes: ${countryLinks(data, gone)}.</p>\n`,
  ];
}

function countryLinks(data: SiteSnapshot, countries: readonly CountryChanges[]): Content {
  return joined(
    byName(data, countries).map((country) => countryLink(data, country)),
    ', ',
  );
}

/** In the order of the names of countries. */
export function byName(data: SiteSnapshot, countries: readonly CountryChanges[]): CountryChanges[] {
  const nameOf = ({ code }: CountryChanges): string => data.countryByCode(code)?.entry.name ?? code;
  return [...countries].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en'));
}

/** The code alone of a country that the served snapshot does not know. */
export function countryLink(data: SiteSnapshot, { code }: CountryChanges): Html {
  const country = data.countryByCode(code);
  return country === undefined ? html`${code}` : html`<a href="${countryPath(country)}">${country.entry.name}</a>`;
}
