/**
 * Results in a form to compare: the data of a use case as its client parses them, codes of errors, suggestions as
 * paths.
 */

import { bodyAround, type ResponseData, readResponseData } from '../../src/core/answers/response-data.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { renderedPathOf } from '../../src/core/snapshot/rendered-places.js';
import type { Country, CountryStructures, Snapshot } from '../../src/core/snapshot/snapshot.js';
import { WorkBudget } from '../../src/core/snapshot/work-budget.js';
import { findSuggestions } from '../../src/core/suggest/suggest.js';
import type { SearchScope } from '../../src/core/suggest/suggestion.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export function parseAnswer(answer: ResponseData): any {
  const body = bodyAround('', answer, '');
  const texts = typeof body === 'string' ? [body] : [body.before, body.after];
  for (const text of texts) {
    // A character is promised to be a byte, so that the length of a text is that of its bytes.
    if (Buffer.byteLength(text, 'latin1') !== text.length || /[^\0-\u00ff]/.test(text))
      throw new Error(`no bytes: ${text}`);
  }
  return JSON.parse(readResponseData(answer));
}

/** The code of the domain error that `ask` throws; whatever else it throws goes on. */
export function codeOf(ask: () => unknown): string {
  try {
    ask();
  } catch (error) {
    if (error instanceof DomainError && error.message !== '') return error.code;
    throw error;
  }
  return 'no error';
}

/** Country and path of each suggestion; of the world where no country is given. `more` is the rest of the scope. */
export function suggestedPaths(
  from: Snapshot,
  query: string,
  country?: string | readonly string[],
  limit = 10,
  work = new WorkBudget(),
  more: SearchScope = {},
): string[] {
  const countries = country === undefined ? undefined : [country].flat().map((code) => countryOf(from, code));
  return findSuggestions(from, query, { ...more, countries }, limit, work).places.map(
    ({ country: { entry, structures }, place }) => {
      return entry.code + renderedPathOf((structures as CountryStructures).renderedPlaces, place);
    },
  );
}

function countryOf({ countryByCode }: Snapshot, code: string): Country {
  const country = countryByCode.get(code);
  if (country === undefined) throw new Error(`no country ${code}`);
  return country;
}
