/** Places as aligned lines for people: country, code, name, the units around the place, position, distance. */
import type { PlaceDetail, Suggestion } from '../../clients/typescript/src/types.js';

/** The cells of a line; those of one column are made equally wide. */
type Row = readonly string[];

/** A place, and its distance where there is one. */
export function placeRow({ countryCode, postalCode, name, ancestors, latitude, longitude }: PlaceDetail): Row {
  return [countryCode, postalCode ?? '-', name, unitsOf(ancestors), position(latitude, longitude)];
}

export function suggestionRow({ countryCode, postalCode, name, context, latitude, longitude }: Suggestion): Row {
  return [countryCode, postalCode ?? '-', name, unitsOf(context ?? []), position(latitude, longitude)];
}

export function distanceCell(distanceKm: number): string {
  return `${distanceKm.toFixed(1)} km`;
}

export function position(latitude: number | null | undefined, longitude: number | null | undefined): string {
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

export function alignRows(rows: readonly Row[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** In characters: names are in Latin letters. */
function widthOf(cell: string): number {
  return [...cell].length;
}
