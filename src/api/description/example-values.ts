/**
 * Values for the parameters of examples, taken from a place that a snapshot has: the description's own values name places
 * of the starter dataset, which another snapshot may lack.
 */

import { isRecipient, readListFields, readPlace } from '../../core/snapshot/place-fields.js';
import { levelOf, levelRange, listAncestors } from '../../core/snapshot/place-tree.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { CountryStructures } from '../../core/snapshot/snapshot.js';
import type { Route } from './define-route.js';

/** By names of parameters. */
export type ExampleValues = Route['example'];

/** Which leaf of the deepest level of a country. */
export type LeafEnd = 'first' | 'last';

/** Maximum number of leaves of a country that are read until one has a postal code and is shown by every answer. */
const TRIED_LEAVES = 1_000;

/** Replaces each value that has a substitute. */
export function substitute(values: ExampleValues, substitutes: ExampleValues): ExampleValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, substitutes[name] ?? value]));
}

/** Values of a leaf, then of each unit that the leaf is in, the smallest first. */
export function* listExampleValues(structures: CountryStructures, end: LeafEnd): Generator<ExampleValues> {
  const leaf = findLeaf(structures, end);
  const other = findLeaf(structures, end === 'first' ? 'last' : 'first');
  if (leaf === undefined || other === undefined) return;
  const codeOf = (place: number): string => readListFields(structures, place).postalCode ?? '';
  const codes = { own: codeOf(leaf), other: codeOf(other) };
  for (const place of [leaf, ...listAncestors(structures.tree, leaf).reverse()])
    yield valuesOf(readPlace(structures, place), codes);
}

/** The first or the last place of the deepest level that has a postal code and is no recipient: many answers leave these out. */
function findLeaf(structures: CountryStructures, end: LeafEnd): number | undefined {
  const { tree } = structures;
  const last = tree.placeCount - 1;
  const { start } = levelRange(tree, levelOf(tree, last));
  for (let tried = 0; tried < Math.min(tree.placeCount - start, TRIED_LEAVES); tried++) {
    const place = end === 'first' ? start + tried : last - tried;
    if (readListFields(structures, place).postalCode !== null && !isRecipient(structures, place)) return place;
  }
  return undefined;
}

/** The own code is the code of the place, or of a place in it. */
function valuesOf(
  { countryCode, id, path, name, latitude, longitude }: PlaceResource,
  { own, other }: { readonly own: string; readonly other: string },
): ExampleValues {
  return {
    ...{ country: countryCode, countries: countryCode, id, place: id, path, postcode: own, q: name },
    address: `${own} ${name}`,
    ...{ lat: latitude, lng: longitude, from: `${countryCode}:${own}`, to: `${countryCode}:${other}` },
  };
}

/** Whether an answer shows something: it is no empty list or page, and no unknown code. */
export function hasFound(data: unknown): boolean {
  if (Array.isArray(data)) return data.length > 0;
  const { items, match } = data as { readonly items?: unknown; readonly match?: unknown };
  return !(Array.isArray(items) && items.length === 0) && match !== 'none';
}
