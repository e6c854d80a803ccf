/** Places as aligned lines for people: country, code, name and city, the units around the place, position, distance. */

import type { AddressMatch, City, PlaceDetail, Suggestion } from '../../clients/typescript/src/types.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';

/** The cells of a line; those of one column are made equally wide. */
type Row = readonly string[];

/** A place that includes its city. */
export function placeRow({ countryCode, postalCode, name, city, ancestors, latitude, longitude }: PlaceDetail): Row {
  const position = formatRowPosition(latitude, longitude);
  return [countryCode, postalCode ?? '-', withCity(name, city), unitsOf(ancestors), position];
}

/** The row of the place that an address leads to, with its match; none where there is no place. */
export function matchRow({ place, postcode, city, match }: AddressMatch): readonly Row[] {
  return place === null ? [] : [[...placeRow({ ...place, postalCode: postcode, city }), match]];
}

/** A suggestion that includes its place. The name of a postal code is the code: its main place says more. */
export function suggestionRow(suggestion: Suggestion): Row {
  const { countryCode, postalCode, name, placeName = name, city, context = [], latitude, longitude } = suggestion;
  const position = formatRowPosition(latitude, longitude);
  return [countryCode, postalCode ?? '-', withCity(placeName, city), unitsOf(context), position];
}

/** The name, and the city if it has another name, as the label of a suggestion has them. */
function withCity(name: string, city: City | null | undefined): string {
  return city == null || city.name === name ? name : `${name}, ${city.name}`;
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
