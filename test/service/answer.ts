/** Answers in a form to compare: a use case's as its client would read it, suggestions as paths. */
import { foldQuery } from '../../src/format/fold-text.js';
import { type JsonAnswer, readAnswer } from '../../src/service/json-answer.js';
import { suggest } from '../../src/service/suggest.js';
import { pathOf } from '../../src/store/place-answers.js';
import type { CountryStructures, Snapshot } from '../../src/store/snapshot.js';
import { WorkBudget } from '../../src/store/work-budget.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export function parseAnswer(answer: JsonAnswer): any {
  const texts = typeof answer === 'string' ? [answer] : [answer.before, answer.after];
  for (const text of texts) {
    // A character is promised to be a byte, so that the length of a text is that of its bytes.
    if (Buffer.byteLength(text, 'latin1') !== text.length || /[^\0-\u00ff]/.test(text))
      throw new Error(`no bytes: ${text}`);
  }
  return JSON.parse(readAnswer(answer));
}

/** Country and path of each suggestion; of the world where no country is given. */
export function suggestedPaths(
  from: Snapshot,
  query: string,
  country?: string,
  limit = 10,
  work = new WorkBudget(),
): string[] {
  const only = country === undefined ? undefined : from.countryByCode.get(country);
  return suggest(from, foldQuery(query), only, limit, work).map(({ country: { entry, structures }, place }) => {
    return entry.code + pathOf((structures as CountryStructures).answers, place);
  });
}
