/**
 * An example of each operation that the served snapshot answers: the description's own values where the snapshot has
 * what they name, else those of a place that it has, found on the way from a country with data to a postal code. The
 * answers come from the service in this process. All examples of the world take some 15 ms, once for each snapshot.
 */

import type { Route } from '../../api/description/define-route.js';
import { routeTargetOf } from '../../api/description/define-route.js';
import { routes } from '../../api/description/routes.js';
import { describeRelease } from '../../core/answers/release.js';
import { type ResponseData, readResponseData } from '../../core/answers/response-data.js';
import { service } from '../../core/answers/service.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import { readListFields, readPlace } from '../../core/snapshot/place-fields.js';
import { listAncestors } from '../../core/snapshot/place-tree.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { type CoveredCountry, isCovered } from '../reading/covered-country.js';
import type { ExampleValue, Operation } from './api-reference.js';

export interface ExampleCall {
  /** By names of parameters. */
  readonly values: ExampleValues;
  /** Undefined where the operation takes no body. */
  readonly body: unknown;
  /** `data` of the answer; undefined if there is no answer to show. */
  readonly data: unknown;
  /** Whether the served snapshot gave the answer; otherwise it is the description's, which the starter dataset gave. */
  readonly isServed: boolean;
}

export type ExampleValues = Readonly<Record<string, ExampleValue>>;

/** Maximum number of countries from which substitutes for values that the snapshot lacks are taken. */
const TRIED_COUNTRIES = 5;
/** Maximum number of places of a country that are read until one has a postal code. */
const TRIED_PLACES = 1_000;

/** Operations outside of the table of routes that this process can answer. */
const PUBLIC_ANSWERS: Readonly<Record<string, (snapshot: Snapshot) => ResponseData>> = { getRelease: describeRelease };

export function exampleCall(snapshot: Snapshot, operation: Operation): ExampleCall {
  const values = Object.fromEntries(
    operation.parameters.flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  );
  const described = { values, body: operation.body?.example, data: operation.exampleData, isServed: false };
  const route = operation.body === undefined ? routes.find(({ id }) => id === operation.id) : undefined;
  if (route === undefined) {
    const answer = PUBLIC_ANSWERS[operation.id];
    return answer === undefined ? described : { ...described, data: parse(answer(snapshot)), isServed: true };
  }
  const found = findExample(snapshot, route, values);
  return found === undefined ? { ...described, data: undefined } : { ...described, ...found, isServed: true };
}

/** The first values with an answer that shows something, else the first with an answer; undefined if none has one. */
export function findExample(
  snapshot: Snapshot,
  route: Route,
  values: ExampleValues,
): Pick<ExampleCall, 'values' | 'data'> | undefined {
  const useCase = route.bind(service);
  let first: Pick<ExampleCall, 'values' | 'data'> | undefined;
  for (const substitutes of listSubstitutes(snapshot)) {
    const tried = substitute(values, substitutes);
    try {
      const data = parse(useCase(snapshot, routeTargetOf(route, tried)));
      if (hasFound(data)) return { values: tried, data };
      first ??= { values: tried, data };
    } catch (error) {
      // The snapshot lacks what the values name.
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return first;
}

function parse(data: ResponseData): unknown {
  return parseJson(readResponseData(data));
}

/** First no substitutes at all, then the release before, then places of the snapshot. */
function* listSubstitutes(snapshot: Snapshot): Generator<ExampleValues> {
  yield {};
  yield { since: snapshot.changes.lists()[0]?.header.since ?? snapshot.release };
  for (const country of snapshot.countries.filter(isCovered).slice(0, TRIED_COUNTRIES)) {
    const [first, last] = [findLeaf(country, 'first'), findLeaf(country, 'last')];
    if (first === undefined || last === undefined) continue;
    const { structures } = country;
    const codeOf = (leaf: number): string => readListFields(structures, leaf).postalCode ?? '';
    const codes = { first: codeOf(first), last: codeOf(last) };
    for (const place of [first, ...listAncestors(structures.tree, first).reverse()])
      yield valuesOf(readPlace(structures, place), codes);
  }
}

/** The first or the last place with a postal code. */
function findLeaf({ structures }: CoveredCountry, end: 'first' | 'last'): number | undefined {
  const { placeCount } = structures.tree;
  for (let tried = 0; tried < Math.min(placeCount, TRIED_PLACES); tried++) {
    const place = end === 'first' ? tried : placeCount - 1 - tried;
    if (readListFields(structures, place).postalCode !== null) return place;
  }
  return undefined;
}

/** By names of parameters; the first code is the code of the place, or of a place in it. */
function valuesOf(
  { countryCode, id, path, name, latitude, longitude }: PlaceResource,
  { first, last }: { readonly first: string; readonly last: string },
): ExampleValues {
  return {
    ...{ country: countryCode, countries: countryCode, id, place: id, path, postcode: first, q: name },
    ...{ lat: latitude, lng: longitude, from: `${countryCode}:${first}`, to: `${countryCode}:${last}` },
  };
}

/** Replaces each value that has a substitute. */
function substitute(values: ExampleValues, substitutes: ExampleValues): ExampleValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, substitutes[name] ?? value]));
}

/** Whether an answer shows something: it is no empty list or page, and no unknown code. */
function hasFound(data: unknown): boolean {
  if (Array.isArray(data)) return data.length > 0;
  const { items, match } = data as { readonly items?: unknown; readonly match?: unknown };
  return !(Array.isArray(items) && items.length === 0) && match !== 'none';
}
