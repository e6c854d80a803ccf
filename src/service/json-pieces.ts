/**
 * An answer's `data` as JSON text in pieces, in order. A `Uint8Array` is UTF-8 taken straight from the snapshot
 * (usually memory-mapped: copy it, never keep or change it); a string is pure ASCII punctuation and numbers.
 * Nothing is joined until `src/http/render.ts` knows the total length, so each byte is copied once.
 */
export type JsonPieces = (Uint8Array | string)[];

/** The pieces as one text, for a caller that reads an answer instead of sending it. */
export function joinPieces(pieces: JsonPieces): string {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  ).toString();
}
