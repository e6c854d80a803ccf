/**
 * A lookup of the library, answered by the table of routes: the text of the answer's `data`. A route is
 * bound at its first lookup. No type that the package exports names this file: the types of core would be exported too.
 */

import { bindAnswerFormats } from '../api/description/answer-formats.js';
import { bindLookup, type Lookup } from '../api/description/bind-lookup.js';
import type { Route } from '../api/description/define-route.js';
import { statusOfCode } from '../api/description/error-codes.js';
import { routeOf } from '../api/description/routes.js';
import { LANGUAGES } from '../api/description/shared-parameters.js';
import { oncePer } from '../base/once-per.js';
import { describeRelease } from '../core/answers/release.js';
import { readResponseData } from '../core/answers/response-data.js';
import { service } from '../core/answers/service.js';
import { findAbsentCountry } from '../core/lookup/absent-countries.js';
import { DomainError } from '../core/lookup/domain-error.js';
import { decodeUtf8 } from '../core/snapshot/byte-string.js';
import type { Snapshot } from '../core/snapshot/snapshot.js';
import { argumentCheckOf, joinArgumentLists, parseQueryArgument, refuseArguments } from './argument-checks.js';
import { InvalidArgumentError } from './errors.js';
import type { OneOrSeveral } from './lookups.js';

const lookUpOf = oncePer(({ id }: Route) => bindLookup(id, service, bindAnswerFormats));

const releaseText = oncePer((snapshot: Snapshot) => decodeUtf8(describeRelease(snapshot)));

/**
 * Undefined for what does not exist: the API's 404. Throws InvalidArgumentError. `lang` has the languages of a lookup
 * that names none.
 */
export function findText(
  snapshot: Snapshot,
  operation: string,
  given: Lookup,
  lang?: OneOrSeveral,
): string | undefined {
  if (operation === 'getRelease') return releaseText(snapshot);
  if (operation === 'countryWithoutData') {
    const { q, ...options } = given;
    refuseArguments(argumentCheckOf(routeOf('getCountry')).listMisspelt(options));
    const absent = findAbsentCountry(snapshot, parseQueryArgument(q), false);
    return absent && findText(snapshot, 'getCountry', { ...options, country: absent.country.entry.code }, lang);
  }
  const { listNoTexts, hasLanguages } = argumentCheckOf(routeOf(operation as Route['id']));
  const parameters = lang !== undefined && hasLanguages && given[LANGUAGES] === undefined ? { ...given, lang } : given;
  refuseArguments(listNoTexts(parameters));
  try {
    return getText(snapshot, operation, parameters);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    if (statusOfCode[error.code] !== 404) throw new InvalidArgumentError(error.message, error.details ?? []);
    return undefined;
  }
}

/** The same; throws DomainError, whose message says what does not exist. With a `format` the text has that format. */
export function getText(snapshot: Snapshot, operation: string, parameters: Lookup): string {
  if (operation === 'getRelease') return releaseText(snapshot);
  const lookUp = lookUpOf(routeOf(operation as Route['id']));
  return readResponseData(lookUp(snapshot, joinArgumentLists(parameters)));
}
