/**
 * The first call that a reader is shown: the places of a postal code. It is the description's own example where the
 * served snapshot has it, else a code that the snapshot has, so the call is answered.
 */

import { routeTemplateOf } from '../../api/description/define-route.js';
import type { ExampleValues } from '../../api/description/example-values.js';
import { routeOf } from '../../api/description/routes.js';
import { oncePer } from '../../base/once-per.js';
import type { PlaceResource } from '../../core/snapshot/rendered-places.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { ApiReference } from './api-reference.js';
import { findExample } from './example-answers.js';

export interface FirstCall {
  /** The path of the call. */
  readonly target: string;
  /** `data` of the answer. */
  readonly data: PostcodeData;
}

interface PostcodeData {
  readonly places: readonly PlaceResource[];
}

const OPERATION_ID = 'findPostcode';

/** Undefined where the snapshot has no postal code. */
export const servedFirstCall = oncePer((snapshot: Snapshot): FirstCall | undefined => {
  const route = routeOf(OPERATION_ID);
  const found = findExample(snapshot, route, route.example);
  return found && { target: filledTarget(found.values), data: found.data as PostcodeData };
});

/** The path of the first call; without postal codes, the path of a call that any snapshot answers. */
export function firstTarget(snapshot: Snapshot): string {
  return servedFirstCall(snapshot)?.target ?? '/v1/countries';
}

/** The first call as the documents print it; undefined if the description has no answer to it. */
export function describedFirstCall({ operations }: ApiReference): FirstCall | undefined {
  const data = operations.find(({ id }) => id === OPERATION_ID)?.exampleData;
  return data === undefined
    ? undefined
    : { target: filledTarget(routeOf(OPERATION_ID).example), data: data as PostcodeData };
}

/** The first place of the answer, as the programs of the quickstart print it. */
export function printedPlace({ data }: FirstCall): string {
  const [place] = data.places;
  return place === undefined ? '' : `${place.name} ${place.latitude} ${place.longitude}`;
}

function filledTarget(values: ExampleValues): string {
  return routeTemplateOf(routeOf(OPERATION_ID)).replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] ?? '').replaceAll("'", '%27'),
  );
}
