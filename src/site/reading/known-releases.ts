/**
 * The releases whose changes are known: those of the lists that lead to the served snapshot, newest first. Examples of a
 * list are read once, at the first page that shows them.
 */

import { createHash } from 'node:crypto';
import { oncePer } from '../../base/once-per.js';
import {
  CHANGE_KINDS,
  type ChangesHeader,
  CODE_CHANGE_WORDS,
  type CodeChangeKind,
  type CountryChanges,
  type PlaceChange,
  sumChanges,
  sumCodeChanges,
} from '../../core/snapshot/changes-file.js';
import { type ChangesList, identifyLists } from '../../core/snapshot/release-changes.js';
import { countryPath } from '../addresses.js';
import { type Content, type Html, html, joined } from '../html/html.js';
import { count, formatNumber } from '../html/place-parts.js';
import type { SiteSnapshot } from '../site-snapshot.js';

/** Maximum number of countries with examples. */
const EXAMPLE_COUNTRIES = 20;
/** Maximum number of examples of each kind of a country. */
const EXAMPLES_PER_KIND = 3;

export function knownReleases({ snapshot }: SiteSnapshot): readonly ChangesList[] {
  return snapshot.changes.lists();
}

/** The list that leads to a release; of several with that name, the newest. */
export function findRelease(data: SiteSnapshot, release: string): ChangesList | undefined {
  return knownReleases(data).find(({ header }) => header.release === release);
}

/** The variant of a page that is made of the lists. */
export function variantOf(lists: readonly ChangesList[]): string {
  return createHash('sha256').update(identifyLists(lists)).digest('hex').slice(0, 12);
}

/** The number of listed changes. */
export function changeCount(counts: CountryChanges): number {
  return CHANGE_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
}

export interface CountryExamples {
  readonly changes: CountryChanges;
  readonly examples: readonly PlaceChange[];
}

/** Of countries that had places before and have places now, those with the most changes first. */
export const examplesOf = oncePer((list: ChangesList): readonly CountryExamples[] => {
  const changed = list.header.countries
    .filter(({ bytes, placesBefore, placesAfter }) => bytes !== null && placesBefore > 0 && placesAfter > 0)
    .sort((a, b) => changeCount(b) - changeCount(a))
    .slice(0, EXAMPLE_COUNTRIES);
  return changed.flatMap((changes) => {
    const examples = CHANGE_KINDS.flatMap(
      (kind) => list.read(changes, kind, 0, Math.min(changes[kind], EXAMPLES_PER_KIND)) ?? [],
    );
    return examples.length === 0 ? [] : [{ changes, examples }];
  });
});

/* What a release changed in a sentence, and the countries that came and went: for pages and for the feed. */

/** "12 places added, 3 moved, in 4 countries; 5 postal codes added." */
export function describeChanges({ countries }: ChangesHeader): string {
  const sums = sumChanges(countries);
  const changed = CHANGE_KINDS.filter((kind) => sums[kind] > 0);
  const ofPlaces = countries.filter((country) => CHANGE_KINDS.some((kind) => country[kind] > 0));
  const where = `in ${count(ofPlaces.length, 'country', 'countries')}`;
  const places = changed.map((kind, at) =>
    at === 0 ? `${count(sums[kind], 'place')} ${kind}` : `${formatNumber(sums[kind])} ${kind}`,
  );
  const codes = [
    ...(sums.codesAdded > 0 ? [`${count(sums.codesAdded, 'postal code')} added`] : []),
    ...(sums.codesRemoved > 0 ? [`${count(sums.codesRemoved, 'postal code')} removed`] : []),
  ];
  const fullCodes = Object.entries(sumCodeChanges(countries))
    .filter(([, total]) => total > 0)
    .map(([kind, total]) => `${count(total, 'full code')} ${CODE_CHANGE_WORDS[kind as CodeChangeKind]}`);
  const parts = [...(places.length > 0 ? [`${places.join(', ')}, ${where}`] : []), ...codes, ...fullCodes];
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
