/**
 * The endpoints that need a key and are GETs, in the order in which the description of the API has them. A trailing slash
 * is tolerated; another spelling of the fixed parts (`/V1`) is another, unknown, route.
 */

import { contractRoutes } from './contract-routes.js';
import type { Route } from './define-route.js';
import { furtherRoutes } from './further-routes.js';

export const routes: readonly Route[] = [...contractRoutes, ...furtherRoutes];

export function routeOf(id: Route['id']): Route {
  return routes.find((route) => route.id === id) as Route;
}
