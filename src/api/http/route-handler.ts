/** The GET handler of one route: the format of its answer, its parameters, its use case. */

import type { RequestHandler } from 'express';
import { queryOf } from '../../base/query-string.js';
import { identifyReleaseChanges } from '../../core/snapshot/release-changes.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { createFormatReader, FORMAT, formatsOf } from '../description/answer-formats.js';
import type { Route } from '../description/define-route.js';
import { findRateCost } from '../description/rate-costs.js';
import { createCountryWithoutDataForm } from './country-without-data.js';
import { createKeyedHandler, type HandlerDependencies } from './keyed-handler.js';
import { createNegotiatedForm, prefersGeoJson } from './negotiation.js';
import { KEYED_HEADERS, VARY_ACCEPT } from './render-response.js';
import { contextOf } from './request-context.js';

/** The routes whose answers come from lists of changes too, which appear beside a snapshot that is in service already. */
const ROUTES_OF_LISTS: ReadonlySet<Route['id']> = new Set(['checkPostcode', 'listChanges']);

const NEGOTIATED_HEADERS: readonly string[] = [...KEYED_HEADERS, ...VARY_ACCEPT];

/** Names the lists that lead to the snapshot; empty without lists. */
function describeLists({ changes }: Snapshot): string {
  const lists = changes.lists();
  return lists.length === 0 ? '' : identifyReleaseChanges(lists);
}

export function createRouteHandler(route: Route, dependencies: HandlerDependencies): RequestHandler {
  const { service, renderer } = dependencies;
  const answer = route.bind(service);
  const readsLists = ROUTES_OF_LISTS.has(route.id);
  const readFormat = createFormatReader(route);
  const hasGeoJson = formatsOf(route).includes('geojson');
  const costOf = findRateCost(route.id);
  const tellAbsence = route.id === 'autocomplete' ? createCountryWithoutDataForm(route) : undefined;
  return createKeyedHandler(route.path, route.id, dependencies, (request, response) => {
    const sent = queryOf(request.url);
    const asked = sent === '' ? undefined : readFormat(sent);
    const isNegotiated = hasGeoJson && asked === undefined;
    const isGeoJson = isNegotiated && prefersGeoJson(request.headers.accept);
    // A format that Accept asks for is read as if the URL asked for it.
    const query = isGeoJson ? `${sent}&${FORMAT}=geojson` : sent;
    const format = isGeoJson ? 'geojson' : asked;
    return {
      rateCost: costOf?.(query) ?? 1,
      respond() {
        const { snapshot } = contextOf(response);
        const target = { path: request.params, query };
        const form =
          format === undefined || format === 'json' ? undefined : createNegotiatedForm(route, format, query, request);
        renderer.sendData(request, response, () => answer(snapshot, target), {
          own: isNegotiated ? NEGOTIATED_HEADERS : KEYED_HEADERS,
          source: readsLists ? describeLists(snapshot) : isGeoJson ? 'geojson' : '',
          form: tellAbsence?.(form, snapshot, query) ?? form,
        });
      },
    };
  });
}
