/**
 * Photon's protocol over HTTP: `/reverse`, `/api` and `/structured` with a key as every endpoint, and `/status` without.
 * Answers have no envelope, and errors are `{"message": "…"}`. Where a request names no language, names are in those of
 * Accept-Language.
 */

import type { Express, Request, RequestHandler } from 'express';
import type { Logger } from '../../base/logger.js';
import { queryOf } from '../../base/query-string.js';
import { encodeUtf8 } from '../../core/snapshot/byte-string.js';
import { inLanguages } from '../../core/snapshot/in-languages.js';
import { renderPhotonStatus } from '../../core/use-cases/photon.js';
import { bodyAround } from '../../core/use-cases/response-data.js';
import { languageTags } from '../description/parameter-rules.js';
import { type PhotonOperation, photonOperations, photonStatus } from '../description/photon-operations.js';
import { rateCostOf } from '../description/rate-costs.js';
import { type ClientVisibleError, methodNotAllowed } from './http-errors.js';
import { KEY_PARAMETER } from './key-check.js';
import { type AnswerForm, CONTENT_TYPE, contextOf, KEYED_HEADERS, NO_CACHE_CONTROL } from './render.js';
import { createErrorSender, createKeyedHandler, type HandlerDependencies } from './route-handler.js';

const PLAIN_FORM: AnswerForm = { contentType: CONTENT_TYPE, render: (data) => bodyAround('', data, '') };
const NEGOTIATED_HEADERS: readonly string[] = [...KEYED_HEADERS, 'vary', 'Accept-Language'];
const STATUS_HEADERS: readonly string[] = ['cache-control', NO_CACHE_CONTROL];

export function addPhotonRoutes(
  app: Express,
  dependencies: HandlerDependencies,
  logger: Logger,
  onFailure: () => void,
): void {
  const { renderer } = dependencies;
  const renderError = ({ message }: ClientVisibleError): string => encodeUtf8(JSON.stringify({ message }));
  const sendError = createErrorSender(renderer, logger, onFailure, renderError);
  const add = (path: string, handle: RequestHandler): void => {
    app
      .route(path)
      .get(handle)
      .all((request, response) => {
        contextOf(response).route = path;
        sendError(methodNotAllowed(), request, response);
      });
  };
  for (const operation of photonOperations)
    add(operation.path, createPhotonHandler(operation, { ...dependencies, sendError }));
  add(photonStatus.path, (request, response) => {
    const context = contextOf(response);
    context.route = photonStatus.path;
    const options = { own: STATUS_HEADERS, form: PLAIN_FORM };
    renderer.sendData(request, response, () => renderPhotonStatus(context.snapshot), options);
  });
}

function createPhotonHandler(operation: PhotonOperation, dependencies: HandlerDependencies): RequestHandler {
  const { id, path, keyOperation, read } = operation;
  const rateCost = (request: Request): number => rateCostOf(id, queryOf(request.url));
  return createKeyedHandler(path, keyOperation, rateCost, dependencies, (request, response) => {
    const { snapshot } = contextOf(response);
    const { lang, answer } = read(queryOf(request.url), [KEY_PARAMETER]);
    const languages = lang ?? languagesOf(request);
    dependencies.renderer.sendData(
      request,
      response,
      () => answer(languages === '' ? snapshot : inLanguages(snapshot, languages)),
      {
        own: lang === undefined ? NEGOTIATED_HEADERS : KEYED_HEADERS,
        source: lang === undefined ? languages : '',
        form: PLAIN_FORM,
      },
    );
  });
}

/** Maximum number of languages of a header that are looked at, and of those that names are in. */
const MAX_RANGES = 20;
const MAX_LANGUAGES = 3;
const RANGE = /^\s*([a-z\d-]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i;

/** The languages of Accept-Language (RFC 9110, 12.5.4), the preferred first, separated by commas; empty for none. */
function languagesOf({ headers }: Request): string {
  const ranges = (headers['accept-language'] ?? '').split(',', MAX_RANGES).flatMap((text) => {
    const [, tag = '', quality = '1'] = RANGE.exec(text) ?? [];
    return languageTags.parse(tag) === undefined || Number(quality) === 0 ? [] : [{ tag, quality: Number(quality) }];
  });
  ranges.sort((a, b) => b.quality - a.quality);
  return ranges
    .slice(0, MAX_LANGUAGES)
    .map(({ tag }) => tag)
    .join();
}
