/** A use case's answer as its client would read it. */
import type { JsonPieces } from '../../src/service/json-pieces.js';

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the tests are about
export function parseAnswer(pieces: JsonPieces): any {
  for (const piece of pieces) {
    // Strings are promised to be ASCII, so that their length is that of their bytes.
    if (typeof piece === 'string' && Buffer.byteLength(piece) !== piece.length) throw new Error(`not ASCII: ${piece}`);
  }
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece));
  return JSON.parse(Buffer.concat(bytes).toString('utf8'));
}
