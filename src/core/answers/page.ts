/** Pages of places: the bounds of a page, and the envelope of items and counts around them. */

import type { ByteString } from '../snapshot/byte-string.js';

export interface PageRequest {
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

/** The positions of a page's places, from `start` up to but not including `end`, and the JSON around the places. */
interface Page {
  readonly start: number;
  readonly end: number;
  readonly before: ByteString;
  readonly after: ByteString;
}

/** A page of `totalCount` places. Any page after the last page is empty. */
export function paginate({ page, pageSize }: PageRequest, totalCount: number): Page {
  const start = Math.min((page - 1) * pageSize, totalCount);
  const end = Math.min(start + pageSize, totalCount);
  const totalPages = Math.ceil(totalCount / pageSize);
  const counts = `"pageNumber":${page},"pageSize":${pageSize},"totalCount":${totalCount},"totalPages":${totalPages}`;
  const neighbours = `"hasPreviousPage":${page > 1 && totalCount > 0},"hasNextPage":${page < totalPages}`;
  return { start, end, before: '{"items":[', after: `],${counts},${neighbours}}` };
}
