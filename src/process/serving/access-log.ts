/** The access log: one line for an evenly spread share of the requests, with URL, key id and outcome. */

import type { RequestObserver } from '../../api/http/request-context.js';
import { contextOf } from '../../api/http/request-context.js';
import type { Logger } from '../../base/logger.js';
import { redactApiKeysInUrl } from '../../keys/key/key-redaction.js';
import { clientAddress } from '../../server/client-address.js';

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
      const { correlationId, route, keyId, keyOutcome, lookupCount } = contextOf(response);
      logger.info(
        {
          correlationId,
          method: request.method,
          url: redactApiKeysInUrl(request.originalUrl),
          route,
          status: response.writableFinished ? response.statusCode : 'aborted',
          milliseconds: Math.round(seconds * 1e6) / 1e3,
          client: clientAddress(request),
          keyId,
          keyOutcome,
          lookupCount,
        },
        'request',
      );
    },
    refusedEarly(status, correlationId) {
      if (isNext()) logger.info({ correlationId, status }, 'request that was no HTTP');
    },
  };
}
