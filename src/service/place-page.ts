/** Pages of places: the bounds of a page, and the envelope of items and counts around them. */
import type { JsonPieces } from './json-pieces.js';

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/**
 * A page of `totalCount` places. `appendItems` appends those at the positions from `start` to, without, `end`, with
 * commas between them. A page behind the last one is empty, however far behind.
 */
export function renderPage(
  { page, pageSize }: PageRequest,
  totalCount: number,
  appendItems: (pieces: JsonPieces, start: number, end: number) => void,
): JsonPieces {
  const start = Math.min((page - 1) * pageSize, totalCount);
  const end = Math.min(start + pageSize, totalCount);
  const totalPages = Math.ceil(totalCount / pageSize);
  const pieces: JsonPieces = ['{"items":['];
  appendItems(pieces, start, end);
  pieces.push(
    `],"pageNumber":${page},"pageSize":${pageSize},"totalCount":${totalCount},"totalPages":${totalPages}` +
      `,"hasPreviousPage":${page > 1 && totalCount > 0},"hasNextPage":${page < totalPages}}`,
  );
  return pieces;
}
