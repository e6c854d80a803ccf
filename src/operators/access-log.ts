/** The access log: a line for a share of the requests, evenly spread: the question, the key's id, and the outcome. */

import { isIP } from 'node:net';
import type { RequestObserver } from '../http/handlers.js';
import { contextOf } from '../http/render.js';
import { redactUrl } from '../keys/api-key.js';
import type { Logger } from '../logger.js';

/** `share` is above 0 and at most 1. */
export function createAccessLog(logger: Logger, share: number): RequestObserver {
  let due = 0;
  const isNext = (): boolean => {
    due += share;
    if (due < 1) return false;
    due -= 1;
    return true;
  };
  return {
    answered(request, response, seconds) {
      if (!isNext()) return;
      const { correlationId, route, keyId, keyOutcome } = contextOf(response);
      logger.info(
        {
          correlationId,
          method: request.method,
          url: redactUrl(request.originalUrl),
          route,
          status: response.writableFinished ? response.statusCode : 'aborted',
          milliseconds: Math.round(seconds * 1e6) / 1e3,
          // Behind a trusted proxy the address is what the client's side wrote, which may be any text.
          client: isIP(request.ip ?? '') === 0 ? undefined : request.ip,
          keyId,
          keyOutcome,
        },
        'request',
      );
    },
    refusedEarly(status, correlationId) {
      if (isNext()) logger.info({ correlationId, status }, 'request that was no HTTP');
    },
  };
}
