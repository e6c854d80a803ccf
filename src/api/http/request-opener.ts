/**
 * The first middleware: gives a request its context, and refuses or answers what needs no route. OPTIONS is answered here:
 * a browser's preflight, or a plain question.
 */

import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { Snapshot } from '../../core/snapshot/snapshot.js';
import type { KeyGate } from '../../keys/decision/key-batcher.js';
import { findRequestFault } from '../../server/refusals.js';
import { toRoutableTarget } from '../../server/request-target.js';
import { BULK_METHODS, isBulkTarget } from '../description/bulk-operation.js';
import { createPreflight } from './fixed-headers.js';
import { ALLOWED_METHODS, refusedRequestError } from './http-errors.js';
import { findKeyOrigin } from './key-check.js';
import type { Renderer } from './render-response.js';
import { contextOf, openContext, type RequestObserver } from './request-context.js';

export interface SnapshotSource {
  current(): Snapshot;
}

export function createRequestOpener(
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
    if (fault !== undefined) throw refusedRequestError(fault);
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
  return (request, response, next) => {
    const context = contextOf(response);
    const isBulk = isBulkTarget(request.url);
    const methods = isBulk ? BULK_METHODS : ALLOWED_METHODS;
    const answer = (origin: string | null | undefined): void => {
      context.readingOrigin = origin;
      setHeaders(response, [...renderer.commonHeaders(context), 'allow', methods]);
      const allowedHeaders = isBulk ? ['x-api-key', 'content-type'] : ['x-api-key'];
      createPreflight(methods, allowedHeaders, origin)(request, response, next);
    };
    const asked = findKeyOrigin(keys, request);
    if (asked === undefined) answer(undefined);
    else void asked.then(answer, next);
  };
}

function setHeaders(response: Response, headers: readonly string[]): void {
  for (let at = 0; at + 1 < headers.length; at += 2) response.setHeader(String(headers[at]), String(headers[at + 1]));
}
