/** The API's HTTP server: the guarded server with refusals in the API's envelope, and bodies only of bulk requests. */

import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import { type App, createGuardedServer, type GuardedServer } from '../../server/guarded-server.js';
import type { ConnectionLimits } from '../../server/server-connections.js';
import { isBulkTarget } from '../description/bulk-operation.js';
import { refusedRequestError } from './http-errors.js';
import { createRenderer } from './render-response.js';
import type { RequestObserver } from './request-context.js';

export interface HttpServerOptions {
  readonly observer?: Pick<RequestObserver, 'refusedEarly'> | undefined;
  readonly connectionLimits?: ConnectionLimits;
}

/** Makes a server that answers with the app; it does not listen yet. */
export function createHttpServer(app: Express, options: HttpServerOptions = {}): GuardedServer {
  const { observer, connectionLimits } = options;
  const renderer = createRenderer();
  return createGuardedServer(app as unknown as App, {
    connectionLimits,
    readsBody: ({ method, url }) => method === 'POST' && isBulkTarget(url),
    renderRefusal(refusal) {
      const correlationId = randomUUID();
      const rendered = renderer.renderError(refusedRequestError(refusal), { correlationId });
      observer?.refusedEarly(rendered.status, correlationId);
      return rendered;
    },
  });
}
