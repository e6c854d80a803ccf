/** The pages whose addresses the snapshot has: countries, places, postal codes. Another spelling is moved to the page's own. */
import { findMeaning, type Meaning } from './addresses.js';
import { isKnown, moveTo, type Visit } from './app.js';
import type { Page } from './page.js';
import { countryPage } from './pages/country-page.js';
import { placePage } from './pages/place-page.js';
import { postcodePage } from './pages/postcode-page.js';

/** False where there is no such page. */
export function findPage(visit: Visit): boolean {
  const listNumber = pageNumber(visit.query);
  const meaning = findMeaning(visit.data, visit.path);
  if (meaning === undefined || listNumber === undefined) return false;
  if (meaning.path !== visit.path) return moveTo(visit, meaning.path);
  // A client that sends our tag has had the page from this snapshot.
  if (isKnown(visit)) return true;
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

/** Of a list on the page, from 1; undefined where it is no number. */
function pageNumber(query: URLSearchParams): number | undefined {
  const text = query.get('page') ?? '1';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}
