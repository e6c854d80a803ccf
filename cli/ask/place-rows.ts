/** Places as aligned lines for people: country, code, name, the units around the place, position, distance. */

import type { PlaceDetail, Suggestion } from '../../clients/typescript/src/types.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';

/** The cells of a line; those of one column are made equally wide. */
type Row = readonly string[];

/** A place, and its distance where there is one. */
export function placeRow({ countryCode, postalCode, name, ancestors, latitude, longitude }: PlaceDetail): Row {
  return [countryCode, postalCode ?? '-', name, unitsOf(ancestors), formatRowPosition(latitude, longitude)];
}

/** A suggestion that includes its place. The name of a postal code is the code: its main place says more. */
export function suggestionRow(suggestion: Suggestion): Row {
  const { countryCode, postalCode, name, placeName = name, context = [], latitude, longitude } = suggestion;
  return [countryCode, postalCode ?? '-', placeName, unitsOf(context), formatRowPosition(latitude, longitude)];
}

export function formatRowDistance(distanceKm: number): string {
  return `${distanceKm.toFixed(1)} km`;
}

export function formatRowPosition(latitude: number | null | undefined, longitude: number | null | undefined): string {
  return latitude == null || longitude == null ? '-' : `${latitude}, ${longitude}`;
}

/** The nearest unit first, as in an address. */
function unitsOf(ancestors: readonly { readonly name: string }[]): string {
  return (
    ancestors
      .map(({ name }) => name)
      .reverse()
      .join(', ') || '-'
  );
}

/** Lines whose cells stand below each other. Names come from a file: what could move the cursor is escaped. */
export function alignRows(rows: readonly Row[]): string[] {
  const printable = rows.map((row) => row.map(escapeUnprintable));
  const widths = (printable[0] ?? []).map((_, column) => Math.max(...printable.map((row) => widthOf(row[column]))));
  return printable.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** In characters: names are in Latin letters. */
function widthOf(cell = ''): number {
  return [...cell].length;
}
