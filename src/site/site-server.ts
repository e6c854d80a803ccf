/** The site's server: the guarded server with refusals as plain text, and bodies only of the forms of accounts. */

import type { Express } from 'express';
import { type App, createGuardedServer, type GuardedServer } from '../server/guarded-server.js';
import type { ConnectionLimits } from '../server/server-connections.js';
import { hasForm } from './account/form-body.js';
import { refusalText } from './http/refusals.js';
import { PAGE_HEADERS, PLAIN_TEXT } from './http/responses.js';

const REFUSAL_HEADERS = [...PAGE_HEADERS, 'cache-control', 'no-store', 'content-type', PLAIN_TEXT];

export interface SiteServerOptions {
  readonly connectionLimits?: ConnectionLimits;
}

/** Makes a server that answers with the app; it does not listen yet. */
export function createSiteServer(app: Express, options: SiteServerOptions = {}): GuardedServer {
  return createGuardedServer(app as unknown as App, {
    ...options,
    readsBody: (request) => request.url?.startsWith('/account/') === true && hasForm(request),
    renderRefusal(refusal) {
      const { status, text } = refusalText(refusal);
      return { status, headers: REFUSAL_HEADERS, body: text };
    },
  });
}
