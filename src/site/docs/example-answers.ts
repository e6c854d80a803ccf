/**
 * An example of each operation that the served snapshot answers: the description's own values where the snapshot has
 * what they name, else those of a place that it has, found on the way from a country with data to a postal code. The
 * answers come from the service in this process. All examples of the world take some 15 ms, once for each snapshot.
 */

import type { Route } from '../../api/description/define-route.js';
import { routeTargetOf } from '../../api/description/define-route.js';
import { type ExampleValues, hasFound, listExampleValues, substitute } from '../../api/description/example-values.js';
import { routes } from '../../api/description/routes.js';
import { describeRelease } from '../../core/answers/release.js';
import { type ResponseData, readResponseData } from '../../core/answers/response-data.js';
import { service } from '../../core/answers/service.js';
import { DomainError } from '../../core/lookup/domain-error.js';
import { parseJson } from '../../core/snapshot/parse-json.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { isCovered } from '../reading/covered-country.js';
import type { Operation } from './api-reference.js';

export interface ExampleCall {
  /** By names of parameters; none if the served snapshot answers no call of the operation. */
  readonly values: ExampleValues;
  /** Undefined where the operation takes no body. */
  readonly body: unknown;
  /** `data` of the answer; undefined if there is no answer to show. */
  readonly data: unknown;
  /** Whether the served snapshot gave the answer; otherwise it is the description's, which the starter dataset gave. */
  readonly isServed: boolean;
}

/** Maximum number of countries from which substitutes for values that the snapshot lacks are taken. */
const TRIED_COUNTRIES = 5;

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
  return found === undefined
    ? { ...described, values: {}, data: undefined }
    : { ...described, ...found, isServed: true };
}

/** The first values whose answer shows something; undefined if none has such an answer. */
export function findExample(
  snapshot: Snapshot,
  route: Route,
  values: ExampleValues,
): Pick<ExampleCall, 'values' | 'data'> | undefined {
  const useCase = route.bind(service);
  for (const substitutes of listSubstitutes(snapshot)) {
    const tried = substitute(values, substitutes);
    try {
      const data = parse(useCase(snapshot, routeTargetOf(route, tried)));
      if (hasFound(data)) return { values: tried, data };
    } catch (error) {
      // The snapshot lacks what the values name.
      if (!(error instanceof DomainError)) throw error;
    }
  }
  return undefined;
}

function parse(data: ResponseData): unknown {
  return parseJson(readResponseData(data));
}

/** First no substitutes at all, then the release of a served list of changes, then places of the snapshot. */
function* listSubstitutes(snapshot: Snapshot): Generator<ExampleValues> {
  yield {};
  for (const { header } of snapshot.changes.lists().slice(0, 1)) yield { since: header.since };
  for (const { structures } of snapshot.countries.filter(isCovered).slice(0, TRIED_COUNTRIES)) {
    yield* listExampleValues(structures, 'first');
  }
}
