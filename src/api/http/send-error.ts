/** Answers a request with whatever was thrown, and logs faults of the service. */

import type { Request, Response } from 'express';
import type { Logger } from '../../base/logger.js';
import { redactApiKeysInUrl } from '../../keys/key/key-redaction.js';
import { type ErrorCode, statusOfCode } from '../description/error-codes.js';
import { errorBody, toClientVisible } from './http-errors.js';
import type { Renderer } from './render-response.js';
import { contextOf } from './request-context.js';
import { send } from './send-response.js';

/** Answers with what was thrown. */
export type ErrorSender = (thrown: unknown, request: Request, response: Response) => void;

/**
 * A DomainError or HttpError is answered as it is; anything else is logged with the correlation id and answered as
 * INTERNAL_ERROR, so that no stack trace and no detail of ours leaves the process. One failed key check a second is
 * logged, with the number of those before it: in an outage of the key store every request may fail its check. `onFailure`
 * is called for each INTERNAL_ERROR; `renderBody` is the form of the body.
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
      const url = redactApiKeysInUrl(request.originalUrl);
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
