/**
 * Query parameters that a route does not know and that were probably meant for it: one of its own in other letters
 * (`pagesize`, `limt`, `radius`, `pageNumber`), or one of another route (`countries`, `include`). Each is a fault, because
 * an answer without it is no answer to the request. Names that caches, proxies and analytics add are ignored. A query
 * without unknown parameters costs one scan; limits bound the work, whatever is sent.
 */

import { queryPieceName } from '../../base/query-string.js';
import type { ParameterFault } from '../../core/lookup/domain-error.js';
import { isWithinEdits } from '../../core/suggest/edit-distance.js';

/** Maximum number of pieces of a query string that are looked at. */
const MAX_PIECES = 100;
/** Maximum number of misspelt parameters that are reported: no route has as many that clients mistake. */
const MAX_REPORTED = 10;
/** Names of other characters, or longer ones, are no misspelling of a parameter. */
const POSSIBLE_NAME = /^[\w.-]{1,30}$/;
const SEPARATORS = /[_.-]/g;
/** Minimum length of a known name of which one letter may be wrong: `lang` and `lng`, `date` and `page` are other words. */
const MIN_ONE_EDIT_LENGTH = 5;
/** Minimum length of a known name of which two letters may be wrong: `format` and `from` are other words. */
const MIN_TWO_EDITS_LENGTH = 7;
/** Minimum length of a known name at the start of a longer one: `q`, `to` and `lat` start many other words. */
const MIN_STARTING_LENGTH = 4;
/** Minimum length of the start of a known name, which is half of the name at least. */
const MIN_START_LENGTH = 3;

/** What other services call a parameter, without separators and in lower case. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['count', 'limit'],
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

/**
 * The query parameters of all routes, each with the one that says the same to a route without it, null for none. Names of
 * one and two letters (`q`, `by`, `to`) are left out: other programs add such names to URLs. So is `lang`: an answer
 * without names is the same in all languages, and forms send it with every request.
 */
const SUBSTITUTES: ReadonlyMap<string, string | null> = new Map([
  ['address', 'q'],
  ['change', null],
  ['countries', 'country'],
  ['country', 'countries'],
  ['format', null],
  ['from', null],
  ['full', null],
  ['hasPostcodes', null],
  ['include', null],
  ['kinds', 'types'],
  ['lat', null],
  ['level', null],
  ['limit', 'pageSize'],
  ['lng', null],
  ['page', null],
  ['pageSize', 'limit'],
  ['path', null],
  ['place', null],
  ['postcode', 'q'],
  ['radiusKm', null],
  ['recipients', null],
  ['since', null],
  ['types', 'kinds'],
]);

/** Whether any route has a query parameter of this name. */
export function isParameterOfSomeRoute(name: string): boolean {
  return SUBSTITUTES.has(name);
}

/** Finds the name that another one was probably meant to be; undefined for a foreign one. */
export function createMeantFinder(known: readonly string[]): (sent: string) => string | undefined {
  const simplified = known.map((name) => ({ name, simple: simplify(name) }));
  return (sent) => {
    if (!POSSIBLE_NAME.test(sent)) return undefined;
    const simple = simplify(sent);
    const other = OTHER_NAMES.get(simple) ?? SUBSTITUTES.get(sent);
    const meant =
      simplified.find((one) => one.simple === simple) ??
      simplified.find(({ name }) => name === other) ??
      simplified.find((one) => isWithinEdits(one.simple, simple, maxEditsOf(one.simple))) ??
      simplified.find((one) => startsOther(one.simple, simple));
    return meant?.name;
  };
}

function maxEditsOf({ length }: string): number {
  return length >= MIN_TWO_EDITS_LENGTH ? 2 : length >= MIN_ONE_EDIT_LENGTH ? 1 : 0;
}

/** Whether a known name begins with the text or the text with the known name. */
function startsOther(known: string, text: string): boolean {
  if (known.length >= MIN_STARTING_LENGTH && text.startsWith(known)) return true;
  return text.length >= Math.max(MIN_START_LENGTH, known.length / 2) && known.startsWith(text);
}

/** Finds misspelt parameters in a query string: each once, in the order sent. */
type MisspeltFinder = (query: string) => readonly ParameterFault[];

const NONE: readonly ParameterFault[] = [];

/** `own` are the names of a route's query parameters; `inPath`, those in its path, are ignored in a query string. */
export function createMisspeltFinder(own: readonly string[], inPath: readonly string[] = []): MisspeltFinder {
  const known: ReadonlySet<string> = new Set([...own, ...inPath]);
  const findMeant = createMeantFinder(own);
  const taken = own.length === 0 ? 'none' : own.join(', ');

  function faultOf(param: string): ParameterFault | undefined {
    const meant = findMeant(param);
    if (meant !== undefined) {
      return {
        param,
        message: `${param} is not a parameter of this endpoint; did you mean ${meant}?`,
        expected: meant,
      };
    }
    if (!isParameterOfSomeRoute(param)) return undefined;
    return { param, message: `${param} is a parameter of other endpoints; this one takes ${taken}`, expected: taken };
  }

  return (query) => {
    if (hasOnly(known, query)) return NONE;
    const faults = new Map<string, ParameterFault | undefined>();
    let count = 0;
    for (const piece of query.split('&', MAX_PIECES)) {
      const param = queryPieceName(piece);
      if (faults.has(param) || known.has(param)) continue;
      const fault = faultOf(param);
      faults.set(param, fault);
      if (fault !== undefined && ++count === MAX_REPORTED) break;
    }
    return [...faults.values()].filter((fault) => fault !== undefined);
  };
}

/** Whether all names in a query string are known, and none is escaped. */
function hasOnly(known: ReadonlySet<string>, query: string): boolean {
  for (let start = 0; start < query.length; ) {
    let end = query.indexOf('&', start);
    if (end < 0) end = query.length;
    const piece = query.slice(start, end);
    const equalsAt = piece.indexOf('=');
    if (!known.has(equalsAt < 0 ? piece : piece.slice(0, equalsAt))) return false;
    start = end + 1;
  }
  return true;
}

function simplify(name: string): string {
  return name.replaceAll(SEPARATORS, '').toLowerCase();
}
