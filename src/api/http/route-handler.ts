/**
 * What happens to a request inside Express, in this order: it is opened (context, target checked and made routable),
 * routed, its key is checked, its parameters are read, the use case runs and the answer is sent. A gate that answers at
 * once keeps the whole request in one turn of the event loop; only a gate that must ask a store costs a promise, and a
 * request that waits for its client's turn. What
 * ends an endpoint's request becomes an answer at once: to go on through Express' routes to its error handler would
 * cost a third of the answer.
 */

import { randomUUID } from 'node:crypto';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../base/logger.js';
import { queryOf } from '../../base/query-string.js';
import { identifyLists } from '../../core/snapshot/release-changes.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { findAbsentCountry } from '../../core/suggest/country-suggestions.js';
import type { Service } from '../../core/use-cases/service.js';
import { redactUrl } from '../../keys/api-key.js';
import type { KeyGate } from '../../keys/key-batcher.js';
import type { KeyDecision } from '../../keys/key-decision.js';
import type { FairQueue } from '../../server/body.js';
import { findRequestFault } from '../../server/guarded-server.js';
import { toRoutableTarget } from '../../server/request-target.js';
import { BULK_METHODS, isBulkTarget } from '../description/bulk-operation.js';
import { type ErrorCode, statusOfCode } from '../description/error-codes.js';
import { createFormatReader, FORMAT, formatsOf } from '../description/formats.js';
import { rateCostOf } from '../description/rate-costs.js';
import type { Route } from '../description/route.js';
import { createPreflight, pushCountryWithoutData } from './fixed-headers.js';
import {
  ALLOWED_METHODS,
  errorBody,
  keyCheckFailed,
  methodNotAllowed,
  refusedRequest,
  routeNotFound,
  toClientVisible,
} from './http-errors.js';
import {
  checkKey,
  clientOf,
  findPreflightOrigin,
  hasPublishableKey,
  KEYLESS,
  type KeyGates,
  takeDecision,
} from './key-check.js';
import { createForm, prefersGeoJson } from './negotiation.js';
import {
  type AnswerForm,
  contextOf,
  JSON_FORM,
  KEYED_HEADERS,
  openContext,
  type Renderer,
  send,
  VARY_ACCEPT,
} from './render.js';

/** Told of every request once its answer is out, or its connection gone: for metrics and access logs. */
export interface RequestObserver {
  /** `seconds` since it arrived. `contextOf(response)` holds what became of it. */
  answered(request: Request, response: Response, seconds: number): void;
  /** Of what was refused before there was a request: bad syntax, too much of it, too slow. */
  refusedEarly(status: number, correlationId: string): void;
}

/** What every endpoint needs. */
export interface HandlerDependencies extends KeyGates {
  readonly service: Service;
  readonly renderer: Renderer;
  readonly sendError: ErrorSender;
  /** The turns of clients whose requests take long. */
  readonly queue: FairQueue;
}

export interface SnapshotSource {
  current(): Snapshot;
}

/** The first middleware: gives the request its context, and answers what needs no route. */
export function createOpener(
  snapshots: SnapshotSource,
  keys: KeyGate,
  renderer: Renderer,
  observer: RequestObserver | undefined,
): RequestHandler {
  const answerPreflight = createPreflightHandler(keys, renderer);
  return (request, response, next) => {
    if (observer !== undefined) {
      const startedMs = performance.now();
      response.once('close', () => observer.answered(request, response, (performance.now() - startedMs) / 1000));
    }
    openContext(response, randomUUID(), snapshots.current());
    const fault = findRequestFault(request);
    if (fault !== undefined) throw refusedRequest(fault);
    if (request.method === 'OPTIONS') {
      answerPreflight(request, response, next);
      return;
    }
    request.url = toRoutableTarget(request.url);
    next();
  };
}

/** Only a preflight with a publishable key in its URL asks the gate. */
function createPreflightHandler(keys: KeyGate, renderer: Renderer): RequestHandler {
  const allowedHeaders = (isBulk: boolean) => (isBulk ? ['x-api-key', 'content-type'] : ['x-api-key']);
  const [forGet, forBulk] = [
    createPreflight(ALLOWED_METHODS, allowedHeaders(false)),
    createPreflight(BULK_METHODS, allowedHeaders(true)),
  ];
  return (request, response, next) => {
    const context = contextOf(response);
    const isBulk = isBulkTarget(request.url);
    const methods = isBulk ? BULK_METHODS : ALLOWED_METHODS;
    const answer = (origin: string | null | undefined): void => {
      context.readingOrigin = origin;
      setHeaders(response, [...renderer.commonHeaders(context), 'allow', methods]);
      const open = isBulk ? forBulk : forGet;
      const handle = origin === undefined ? open : createPreflight(methods, allowedHeaders(isBulk), origin);
      handle(request, response, next);
    };
    if (hasPublishableKey(request)) void findPreflightOrigin(keys, request).then(answer, next);
    else answer(undefined);
  };
}

/** The routes whose answers come from lists of changes too, which appear beside a snapshot that is in service already. */
const ROUTES_OF_LISTS: ReadonlySet<Route['id']> = new Set(['checkPostcode', 'listChanges']);

const NEGOTIATED_HEADERS: readonly string[] = [...KEYED_HEADERS, ...VARY_ACCEPT];

/** Names the lists that lead to the snapshot; empty without lists. */
function describeLists({ changes }: Snapshot): string {
  const lists = changes.lists();
  return lists.length === 0 ? '' : identifyLists(lists);
}

/** The GET handler of one route. */
export function createHandler(route: Route, dependencies: HandlerDependencies): RequestHandler {
  const { service, renderer } = dependencies;
  const answer = route.bind(service);
  const readsLists = ROUTES_OF_LISTS.has(route.id);
  const readFormat = createFormatReader(route);
  const hasGeoJson = formatsOf(route).includes('geojson');
  const tellAbsence = route.id === 'autocomplete' ? createAbsenceForm(route) : undefined;
  const negotiate = (request: Request) => {
    const query = queryOf(request.url);
    const asked = readFormat(query);
    const isNegotiated = hasGeoJson && asked === undefined;
    const isGeoJson = isNegotiated && prefersGeoJson(request.headers.accept);
    // From here on an answer that Accept asks for is that of the same URL with the parameter.
    return { asked, isNegotiated, isGeoJson, query: isGeoJson ? `${query}&${FORMAT}=geojson` : query };
  };
  const rateCost = (request: Request): number => rateCostOf(route.id, negotiate(request).query);
  return createKeyedHandler(route.path, route.id, rateCost, dependencies, (request, response) => {
    const { snapshot } = contextOf(response);
    const { asked, isNegotiated, isGeoJson, query } = negotiate(request);
    const target = { path: request.params, query };
    const format = isGeoJson ? 'geojson' : asked;
    const form =
      format === undefined || format === 'json' ? undefined : createForm(route, format, target.query, request);
    renderer.sendData(request, response, () => answer(snapshot, target), {
      own: isNegotiated ? NEGOTIATED_HEADERS : KEYED_HEADERS,
      source: readsLists ? describeLists(snapshot) : isGeoJson ? 'geojson' : '',
      form: tellAbsence?.(form, snapshot, query) ?? form,
    });
  });
}

/**
 * Makes the form of a list of suggestions: where nothing is found in any country, a header names the country without data
 * that the text is a name or a big city of.
 */
function createAbsenceForm({ parameters }: Route) {
  const [text, country] = ['q', 'country'].map((name) => parameters.find((one) => one.name === name));
  return (form = JSON_FORM, snapshot: Snapshot, query: string): AnswerForm => ({
    ...form,
    render(data, correlationId, headers) {
      const target = { path: {}, query };
      if (data === '[]' && country?.read(target) === undefined) {
        const absent = findAbsentCountry(snapshot, String(text?.read(target)), false);
        if (absent !== undefined) pushCountryWithoutData(headers, absent.country.entry.code);
      }
      return form.render(data, correlationId, headers);
    },
  });
}

/**
 * Checks the key of a request, then responds. `operation` is what a publishable key must be good for; what `respond`
 * throws becomes an answer. Requests that take long, and all without a key, which may be a thousand at once, wait for the
 * client's turn, so that their bursts delay no other client.
 */
export function createKeyedHandler(
  path: string,
  operation: Route['id'],
  readRateCost: (request: Request) => number,
  { sendError, queue, ...gates }: KeyGates & Pick<HandlerDependencies, 'sendError' | 'queue'>,
  respond: (request: Request, response: Response) => void,
): RequestHandler {
  return (request, response) => {
    const context = contextOf(response);
    context.route = path;
    const rateCost = readRateCost(request);
    const orFail = (run: () => void): void => {
      try {
        run();
      } catch (error) {
        sendError(error, request, response);
      }
    };
    const answer = (): void => {
      if (!response.destroyed) orFail(() => respond(request, response));
    };
    const respondOrFail = (decision: KeyDecision): void =>
      orFail(() => {
        takeDecision(context, decision, request);
        if (rateCost === 1 && context.keyId !== KEYLESS) respond(request, response);
        else void queue.enter(clientOf(context, request)).then(answer);
      });
    // Whatever goes wrong inside a gate, at once or later, is a failed check and not a fault of the request.
    const fail = (cause: unknown): void => sendError(keyCheckFailed(cause), request, response);
    let decision: KeyDecision | Promise<KeyDecision>;
    try {
      decision = checkKey(gates, request, operation, 1, rateCost);
    } catch (cause) {
      fail(cause);
      return;
    }
    if ('then' in decision) void decision.then(respondOrFail, fail);
    else respondOrFail(decision);
  };
}

/** Refuses what a path does not answer. */
export function refuseMethod(methods = ALLOWED_METHODS): RequestHandler {
  return () => {
    throw methodNotAllowed(methods);
  };
}

export const refuseRoute: RequestHandler = () => {
  throw routeNotFound();
};

/** Answers with what was thrown. */
export type ErrorSender = (thrown: unknown, request: Request, response: Response) => void;

/**
 * Turns whatever was thrown into an answer. A DomainError or HttpError is told as it is; anything else is logged with
 * the correlation id and told as INTERNAL_ERROR, so that no stack trace and no detail of ours leaves the process. Of
 * failed key checks one a second is logged, with how many there were: in an outage of the key store every request may
 * be one. `onFailure` is told of each INTERNAL_ERROR; `renderBody` is the form of the body.
 */
export function createErrorSender(
  renderer: Renderer,
  logger: Logger,
  onFailure: () => void,
  renderBody = errorBody,
): ErrorSender {
  let quietUntilMs = 0;
  let unloggedCount = 0;

  function log(code: ErrorCode, fields: object): void {
    if (code !== 'SERVICE_UNAVAILABLE') {
      logger.error(fields, code);
    } else if (performance.now() < quietUntilMs) {
      unloggedCount++;
    } else {
      logger.error({ ...fields, unloggedCount }, code);
      quietUntilMs = performance.now() + 1_000;
      unloggedCount = 0;
    }
  }

  return (thrown, request, response) => {
    const error = toClientVisible(thrown);
    if (error.code === 'INTERNAL_ERROR') onFailure();
    if (error.code === 'SERVICE_UNAVAILABLE') contextOf(response).keyOutcome ??= 'unavailable';
    if (statusOfCode[error.code] >= 500) {
      const { correlationId } = contextOf(response);
      const url = redactUrl(request.originalUrl);
      log(error.code, { err: thrown, correlationId, method: request.method, url });
    }
    // The head of another answer is already out: a cut connection is the only honest signal left.
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    try {
      const { status, headers, body } = renderer.renderError(error, contextOf(response), renderBody);
      send(response, status, headers, body);
    } catch (failure) {
      // Nothing more can be said.
      request.socket.destroy();
      throw failure;
    }
  };
}

/** The same for what is thrown on the way to an endpoint, or where there is none. */
export function createErrorHandler(sendError: ErrorSender): ErrorRequestHandler {
  return (thrown: unknown, request, response, _next) => sendError(thrown, request, response);
}

function setHeaders(response: Response, headers: readonly string[]): void {
  for (let at = 0; at + 1 < headers.length; at += 2) response.setHeader(String(headers[at]), String(headers[at + 1]));
}
