/** The pages whose addresses the snapshot has: countries, places, postal codes. Another spelling is moved to the page's own. */
import { findMeaning, type Meaning } from './addresses.js';
import { sendUnchanged } from './answers.js';
import type { Page } from './page.js';
import { countryPage } from './pages/country-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';
import { moveTo, type Visit } from './visit.js';

/** False where there is no such page. */
export function findPage(visit: Visit): boolean {
  const { request, response, path, listNumber } = visit;
  const meaning = findMeaning(visit.data, path);
  if (meaning === undefined || listNumber === undefined) return false;
  if (meaning.path !== path) return moveTo(visit, meaning.path);
  const address = listNumber === 1 ? path : `${path}?page=${listNumber}`;
  if (sendUnchanged(request, response, visit.tagOf(address))) return true;
  const page = render(visit, meaning, listNumber);
  if (page !== undefined) visit.send(page);
  return page !== undefined;
}

function render(visit: Visit, meaning: Meaning, listNumber: number): Page | undefined {
  switch (meaning.kind) {
    case 'country':
      return countryPage(visit, meaning.country, listNumber);
    case 'place':
      return placePage(visit, meaning.country, meaning.place, listNumber);
    case 'postcode':
      return postcodePage(visit, meaning.country, meaning.match);
  }
}
