/**
 * The Express application: fixed headers, the routes with a key, those that need no key, and one place where errors become
 * answers. It never listens, so tests and the server use the same application. Serve it through http-server.ts, which
 * makes Express as fast as it can be; under any other server it answers the same, slower.
 */

import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import express from 'express';
import type { Logger } from '../../base/logger.js';
import type { Service } from '../../core/answers/service.js';
import type { KeyGate } from '../../keys/decision/key-batcher.js';
import { trustProxies } from '../../server/client-address.js';
import { FairQueue } from '../../server/fair-queue.js';
import { BULK_METHODS, BULK_PATH } from '../description/bulk-operation.js';
import { routes } from '../description/routes.js';
import { createBulkHandler } from './bulk-handler.js';
import { ALLOWED_METHODS, methodNotAllowedError, routeNotFoundError } from './http-errors.js';
import { createKeylessGate } from './keyless.js';
import { addPhotonRoutes } from './photon-routes.js';
import { createPublicRoutes } from './public-routes.js';
import { createRenderer } from './render-response.js';
import type { RequestObserver } from './request-context.js';
import { createRequestOpener, type SnapshotSource } from './request-opener.js';
import { createRouteHandler } from './route-handler.js';
import { createErrorSender } from './send-error.js';

export interface AppDependencies {
  readonly service: Service;
  /** What its answers depend on beside the snapshot: part of every ETag. */
  readonly tagSuffix?: string;
  readonly snapshots: SnapshotSource;
  readonly keys: KeyGate;
  /** The OpenAPI document, which is served without a key. */
  readonly description: string;
  readonly logger: Logger;
  readonly observer?: RequestObserver | undefined;
  /** Called for each answer that fails by a defect of the service or a damaged snapshot. */
  readonly onFailure?: () => void;
  /** Addresses and subnets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies?: readonly string[];
  /** Addresses and subnets of clients that need no key. */
  readonly keylessNetworks?: readonly string[];
  /** Whether to serve Photon's protocol too. */
  readonly photon?: boolean;
}

export function createApp({
  service,
  tagSuffix,
  snapshots,
  keys,
  description,
  logger,
  observer,
  onFailure = () => {},
  trustedProxies = [],
  keylessNetworks = [],
  photon = false,
}: AppDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  // One spelling for each resource; a trailing slash is still tolerated.
  app.enable('case sensitive routing');
  trustProxies(app, trustedProxies);
  const renderer = createRenderer(tagSuffix);
  const sendError = createErrorSender(renderer, logger, onFailure);
  const keyless = createKeylessGate(keylessNetworks);
  const dependencies = { service, keys, keyless, renderer, sendError, queue: new FairQueue() };

  app.use(createRequestOpener(snapshots, keys, renderer, observer));
  for (const route of routes) {
    app.route(route.path).get(createRouteHandler(route, dependencies)).all(refuseMethod());
  }
  app
    .route(BULK_PATH)
    .post(createBulkHandler({ ...dependencies, logger, onFailure }))
    .all(refuseMethod(BULK_METHODS));
  if (photon) addPhotonRoutes(app, dependencies, logger, onFailure);
  // Behind the endpoints, whose requests pass every route before their own.
  for (const [path, handle] of Object.entries(createPublicRoutes(description, renderer))) {
    app.route(path).get(handle).all(refuseMethod());
  }
  app.use(() => {
    throw routeNotFoundError();
  });
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) =>
    sendError(thrown, request, response),
  );
  return app;
}

function refuseMethod(methods = ALLOWED_METHODS): RequestHandler {
  return () => {
    throw methodNotAllowedError(methods);
  };
}
