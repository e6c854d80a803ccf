/**
 * The data of any use case as rows, from which CSV and GeoJSON are made. JSON has no syntax beyond ASCII, so a ByteString
 * is parsed and written as it is: its texts are ByteStrings, and JSON.stringify writes the same bytes again.
 */

import { parseJson } from '../snapshot/parse-json.js';
import { type ResponseData, responseText } from './response-data.js';

export type Row = Readonly<Record<string, unknown>>;

/** The counts of a page, as far as they are told beside a table. */
export interface PageCounts {
  readonly pageNumber: number;
  readonly totalCount: number;
  readonly hasNextPage: boolean;
}

interface Rows {
  readonly rows: readonly Row[];
  /** What stands beside a list: the counts of a page, the country and the code of places. Undefined for a single row. */
  readonly members: Row | undefined;
}

/** By the shapes that data have: a list, a page, a code with its places, or one object. */
export function rowsOf(data: ResponseData): Rows {
  const parsed = parseJson(responseText(data)) as Row | Row[];
  if (Array.isArray(parsed)) return { rows: parsed.flatMap(listParts), members: {} };
  const { items, places, ...members } = parsed;
  const list = items ?? places;
  return Array.isArray(list) ? { rows: list, members } : { rows: listParts(parsed), members: undefined };
}

/** An entry of a list as rows: a place with its distance is one object, a code in one country has several places. */
function listParts(entry: Row): readonly Row[] {
  const { place, places, ...rest } = entry;
  if (Array.isArray(places)) return places;
  return [typeof place === 'object' ? { ...place, ...rest } : entry];
}
