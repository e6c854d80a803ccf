/**
 * Finds the rows of a release that are recipients instead of localities: organisations, post boxes and delivery offices
 * with a postal code of their own. Each rule cites its source; no rule matches a name that a town could have.
 * Recipients keep their id and path.
 */

import { LOCALITY_TYPE } from '../../src/core/snapshot/place-type.js';
import type { CollectedPlaces } from '../tree/collected-places.js';

interface RecipientRow {
  readonly postalCode: string;
  readonly text: string;
  readonly adminCode: string;
}

interface RecipientRule {
  readonly name: string;
  /** Null for every country. */
  readonly country: string | null;
  isRecipient(row: RecipientRow): boolean;
  /** The contrasting rows; a rule with `isOther` applies only if these are the majority. */
  isOther?(row: RecipientRow): boolean;
}

const RULES: readonly RecipientRule[] = [
  {
    // La Poste: courrier d'entreprise à distribution exceptionnelle, and likewise air bases (16109 AIR), parcel lockers
    // (78078 CITYSSIMO) and offices of the state (75700 SP 07). Rows have the name of the delivery office's town.
    name: 'CEDEX code',
    country: null,
    isRecipient: ({ postalCode }) => hasCedex(postalCode),
  },
  {
    // Deutsche Post's codes of Großempfänger: in these rows GeoNames has its own codes of states (02), in localities
    // ISO's (BY).
    name: 'large recipient',
    country: 'DE',
    isRecipient: ({ adminCode }) => /^\d+$/.test(adminCode),
    isOther: ({ adminCode }) => /^[A-Z]+$/.test(adminCode),
  },
  {
    // PHLPost's, Canada Post's and Royal Mail's ranges of post boxes.
    name: 'post boxes',
    country: null,
    isRecipient: ({ text }) => /\bP\.? ?O\.? ?Box(?:es)?\b/i.test(text),
  },
  {
    // Swiss Post: codes of the bank's processing centres.
    name: 'PostFinance',
    country: 'CH',
    isRecipient: ({ text }) => /\bPostFinance\b/i.test(text),
  },
  {
    // USPS Publication 28, section 225: overseas military and diplomatic addresses.
    name: 'military post',
    country: 'US',
    isRecipient: ({ text }) => /^[ADF]PO A[AEP]$/.test(text),
  },
  {
    // PostNord's own codes: 0960 for mail to other countries, 1513 for central data entry, 0917 for its parcels.
    name: 'mail centre',
    country: 'DK',
    isRecipient: ({ text }) => /^(?:Udland|Centraltastning|Københavns Pakkecent)$/.test(text),
  },
];

const CEDEX = /CEDEX|^\d{5} (?:AIR|CITYSSIMO|SP)\b/;

export function hasCedex(postalCode: string): boolean {
  return CEDEX.test(postalCode);
}

/** The recipients among the leaves, by index, each with the name of its rule. */
export function findRecipients(places: CollectedPlaces, countryCode: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const rules = RULES.filter(({ country }) => country === null || country === countryCode);
  for (const { name, isRecipient, isOther } of rules) {
    const marked: number[] = [];
    let otherCount = 0;
    places.types.forEach((type, place) => {
      if (type !== LOCALITY_TYPE) return;
      const row = {
        postalCode: places.postalCodes[place] as string,
        text: places.texts[place] as string,
        adminCode: (places.releaseCodes[place] as readonly [string, string])[0],
      };
      if (isRecipient(row)) marked.push(place);
      else if (isOther?.(row) === true) otherCount++;
    });
    // A release with only one kind of codes doesn't distinguish recipients by them.
    if (isOther !== undefined && otherCount < marked.length) continue;
    for (const place of marked) found.set(place, name);
  }
  return found;
}
