/**
 * Which rows of a release are recipients and no localities: organisations, post boxes and delivery offices that have a
 * postal code of their own. Each rule names what marks such rows and where that is told; no rule guesses by a name that
 * a town could have. Recipients keep their id and their path.
 */
import { LOCALITY_TYPE } from '../../src/format/place-levels.js';
import type { CollectedPlaces } from '../tree/collecting.js';

interface RecipientRow {
  readonly postalCode: string;
  readonly text: string;
  readonly adminCode: string;
}

interface RecipientRule {
  readonly name: string;
  /** Null: in every country. */
  readonly country: string | null;
  isRecipient(row: RecipientRow): boolean;
  /** Of a rule that holds only beside rows of another kind, which rows these are. */
  isOther?(row: RecipientRow): boolean;
}

const RULES: readonly RecipientRule[] = [
  {
    // La Poste: courrier d'entreprise à distribution exceptionnelle. The name is that of the delivery office's town.
    name: 'CEDEX code',
    country: null,
    isRecipient: ({ postalCode }) => hasCedex(postalCode),
  },
  {
    // Deutsche Post's codes of Großempfänger: GeoNames has the states of these rows by its own codes (02), those of
    // localities by ISO's (BY).
    name: 'large recipient',
    country: 'DE',
    isRecipient: ({ adminCode }) => /^\d+$/.test(adminCode),
    isOther: ({ adminCode }) => /^[A-Z]+$/.test(adminCode),
  },
  {
    // PHLPost's, Canada Post's and Royal Mail's ranges of post boxes, called so in the name.
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
];

export function hasCedex(postalCode: string): boolean {
  return postalCode.includes('CEDEX');
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
    // A release that has one kind of codes throughout marks nothing by them.
    if (isOther !== undefined && otherCount < marked.length) continue;
    for (const place of marked) found.set(place, name);
  }
  return found;
}
