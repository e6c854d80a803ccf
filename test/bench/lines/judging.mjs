/**
 * Cases and how they are judged. A case has a `label` (the query, and the country it is asked in), the `group` that says
 * whether it is held out, and `judge(suggest)`, which gives undefined if the answer is right, otherwise what was found.
 */
import { kmBetween, REACH_KM } from '../suggest/cities.mjs';

/** Length of the lists that are looked at: as many suggestions as a form shows at once. */
export const FIVE = 5;
const compact = (code) => code?.replace(/[ -]/g, '').toUpperCase();

export const isNear = (place, position) => kmBetween(place, position) <= REACH_KM;
export const hasCode = (place, code) => compact(place?.postalCode) === compact(code);

/** What was found, for the list of misses. */
export function describe(found, position) {
  if (found.length === 0) return 'nothing';
  return found
    .slice(0, 3)
    .map((place) => {
      const km = position && `, ${Math.round(kmBetween(place, position))} km`;
      return `${place.name} ${place.postalCode ?? ''} ${place.countryCode}${km ?? ''}`;
    })
    .join(' | ');
}

/** A case of one query: right if `isRight(list of suggestions)`. */
export function caseOf({ query, country, position, meant = '', group }, isRight) {
  return {
    label: `${query}${country === undefined ? '' : ` (in ${country})`}${meant === '' ? '' : ` = ${meant}`}`,
    group,
    judge(suggest) {
      const found = suggest(query, country, FIVE);
      return isRight(found) ? undefined : describe(found, position);
    },
  };
}

/** A case of one query: right if its first suggestion is. */
export function firstCase(description, isRight) {
  return caseOf(description, ([first]) => first !== undefined && isRight(first));
}
