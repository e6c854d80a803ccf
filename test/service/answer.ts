/** Answers in a form to compare: a use case's as its client would read it, suggestions as paths. */
import { foldQuery } from '../../src/format/fold-text.js';
import { type JsonPieces, joinPieces } from '../../src/service/json-pieces.js';
import { suggest } from '../../src/service/suggest.js';
import { pathBytes } from '../../src/store/place-answers.js';
import type { CountryStructures, Snapshot } from '../../src/store/snapshot.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export function parseAnswer(pieces: JsonPieces): any {
  for (const piece of pieces) {
    // Strings are promised to be ASCII, so that their length is that of their bytes.
    if (typeof piece === 'string' && Buffer.byteLength(piece) !== piece.length) throw new Error(`not ASCII: ${piece}`);
  }
  return JSON.parse(joinPieces(pieces));
}

/** Country and path of each suggestion; of the world where no country is given. */
export function suggestedPaths(from: Snapshot, query: string, country?: string, limit = 10): string[] {
  const only = country === undefined ? undefined : from.countryByCode.get(country);
  return suggest(from, foldQuery(query), only, limit).map(({ country: { entry, structures }, place }) => {
    const path = Buffer.from(pathBytes((structures as CountryStructures).answers, place)).toString('latin1');
    return entry.code + path;
  });
}
