/**
 * The pages whose addresses the snapshot has: countries, places, postal codes. Another spelling is moved to the page's
 * own.
 */
import { type ResolvedRoute, resolveRoute } from './addresses.js';
import type { Page } from './page.js';
import { countryPage } from './pages/country-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';
import { codesByPrefixPage, codesOfPlacePage } from './pages/postcodes-page.js';
import { moveTo, type RequestContext } from './request-context.js';
import { sendUnchanged } from './responses.js';

/** False if there is no such page. */
export function findPage(context: RequestContext): boolean {
  const { request, response, path, listNumber } = context;
  const route = resolveRoute(context.data, path);
  if (route === undefined || listNumber === undefined) return false;
  if (route.path !== path) return moveTo(context, route.path);
  const address = listNumber === 1 ? path : `${path}?page=${listNumber}`;
  if (sendUnchanged(request, response, context.tagOf(address))) return true;
  const page = render(context, route, listNumber);
  if (page !== undefined) context.send(page);
  return page !== undefined;
}

function render(context: RequestContext, route: ResolvedRoute, listNumber: number): Page | undefined {
  switch (route.kind) {
    case 'country':
      return countryPage(context, route.country, listNumber);
    case 'place':
      return placePage(context, route.country, route.place, listNumber);
    case 'postcode':
      return postcodePage(context, route.country, route.match);
    case 'codes by prefix':
      return listNumber === 1 ? codesByPrefixPage(context, route.country, route.prefix) : undefined;
    case 'codes of a place':
      return codesOfPlacePage(context, route.country, route.place, listNumber);
  }
}
