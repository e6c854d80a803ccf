/**
 * Photon's protocol over HTTP: `/reverse`, `/api` and `/structured` with a key as every endpoint, and `/status` without.
 * Answers have no envelope, and errors are `{"message": "…"}`. Where a request names no language, names are in those of
 * Accept-Language.
 */

import type { Express, RequestHandler } from 'express';
import type { Logger } from '../../base/logger.js';
import { queryOf } from '../../base/query-string.js';
import { renderPhotonStatus } from '../../core/answers/photon.js';
import { bodyAround } from '../../core/answers/response-data.js';
import { encodeUtf8 } from '../../core/snapshot/byte-string.js';
import { inLanguages } from '../../core/snapshot/in-languages.js';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import { type PhotonOperation, photonOperations, photonStatus } from '../description/photon-operations.js';
import { findRateCost } from '../description/rate-costs.js';
import { type ClientVisibleError, methodNotAllowedError } from './http-errors.js';
import { KEY_PARAMETER } from './key-check.js';
import { createKeyedHandler, type HandlerDependencies } from './keyed-handler.js';
import { preferredLanguages } from './negotiation.js';
import { type AnswerForm, CONTENT_TYPE, KEYED_HEADERS, NO_CACHE_CONTROL } from './render-response.js';
import { contextOf } from './request-context.js';
import { createErrorSender } from './send-error.js';

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
        sendError(methodNotAllowedError(), request, response);
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
  const costOf = findRateCost(id);
  return createKeyedHandler(path, keyOperation, dependencies, (request, response) => {
    const query = queryOf(request.url);
    return {
      rateCost: costOf?.(query) ?? 1,
      respond() {
        const { snapshot } = contextOf(response);
        const { lang, answer } = read(query, [KEY_PARAMETER]);
        const languages = lang ?? preferredLanguages(request.headers['accept-language']);
        const inThese = (): Snapshot => (languages === '' ? snapshot : inLanguages(snapshot, languages));
        dependencies.renderer.sendData(request, response, () => answer(inThese()), {
          own: lang === undefined ? NEGOTIATED_HEADERS : KEYED_HEADERS,
          source: lang === undefined ? languages : '',
          form: PLAIN_FORM,
        });
      },
    };
  });
}
