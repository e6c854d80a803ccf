/**
 * Unknown query parameters that look like a known one of the route: `pagesize`, `page_size` and `pagesise` are
 * `pageSize`. The API ignores unknown parameters; an error that it reports anyway names these too. Limits bound the work,
 * whatever is sent.
 */

import { queryPieceName } from '../../base/query-string.js';
import type { ParameterFault } from '../../core/lookup/domain-error.js';
import { isOneEditAway } from '../../core/suggest/edit-distance.js';

/** Maximum number of pieces of a query string that are looked at. */
const MAX_PIECES = 100;
/** Maximum number of misspelt parameters that are reported: no route has as many that clients mistake. */
const MAX_REPORTED = 10;
/** Names of other characters, or longer ones, are no misspelling of a parameter. */
const POSSIBLE_NAME = /^[\w.-]{1,30}$/;
const SEPARATORS = /[_.-]/g;
/** Minimum length of a known name of which one edit may be wrong: `lang` and `lng`, `date` and `page` are other words. */
const MIN_EDITED_LENGTH = 5;

/** What other services call a parameter, without separators and in lower case. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['countrycode', 'country'],
  ['language', 'lang'],
  ['latitude', 'lat'],
  ['lon', 'lng'],
  ['long', 'lng'],
  ['longitude', 'lng'],
  ['postalcode', 'postcode'],
  ['query', 'q'],
  ['radius', 'radiusKm'],
  ['zip', 'postcode'],
  ['zipcode', 'postcode'],
]);

/** Finds misspelt parameters in a query string: each once, in the order sent. */
export type MisspeltFinder = (query: string) => ParameterFault[];

/** `known` are the names of a route's query parameters. */
export function createMisspeltFinder(known: readonly string[]): MisspeltFinder {
  const simplified = known.map((name) => ({ name, simple: simplify(name) }));

  function findMeant(sent: string): string | undefined {
    const simple = simplify(sent);
    const other = OTHER_NAMES.get(simple);
    const meant =
      simplified.find((one) => one.simple === simple) ??
      simplified.find(({ name }) => name === other) ??
      simplified.find((one) => one.simple.length >= MIN_EDITED_LENGTH && isOneEditAway(one.simple, simple));
    return meant?.name;
  }

  return (query) => {
    if (query === '') return [];
    const faults = new Map<string, ParameterFault>();
    for (const piece of query.split('&', MAX_PIECES)) {
      const param = queryPieceName(piece);
      if (faults.has(param) || known.includes(param) || !POSSIBLE_NAME.test(param)) continue;
      const meant = findMeant(param);
      if (meant === undefined) continue;
      const message = `${param} is not a parameter of this endpoint; did you mean ${meant}?`;
      faults.set(param, { param, message, expected: meant });
      if (faults.size === MAX_REPORTED) break;
    }
    return [...faults.values()];
  };
}

function simplify(name: string): string {
  return name.replaceAll(SEPARATORS, '').toLowerCase();
}
