/**
 * Finds the place of the postal code that an address line has: the first suggestion for the line, if it has a code of the
 * line. A search for suggestions also completes codes and corrects names, which here is work for nothing: so the codes of
 * the line are searched alone, and the whole search decides only where another place may come first, or where a code may
 * be hidden.
 */

import { structuresOf } from '../lookup/countries.js';
import type { FoundPlace } from '../lookup/found-place.js';
import { bytesOf } from '../snapshot/byte-string.js';
import { isRecipient, readListFields } from '../snapshot/place-fields.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import type { LineWithCode } from './address-line.js';
import { CodeSearch } from './code-search.js';
import { listCodeSuggestions } from './code-suggestions.js';
import { MAX_DISTRICT_DIGITS } from './district-codes.js';
import { sortByCities } from './merged-suggestions.js';
import type { NameQuery } from './name-query.js';
import { searchNames } from './name-search.js';
import { listSuggestedItems, type SuggestedItem } from './suggested-items.js';

/** A place with a code that a line may mean. */
export interface Candidate {
  readonly country: Country;
  readonly code: string;
  readonly found: FoundPlace;
  /** Whether the line names the country and no town of the code, so that another town may contradict it. */
  readonly isByCountry?: boolean;
}

/** The place of a code of `line`, whose parts are `parsed`; `isMeant` tells whether the line means a candidate. */
export function findCode(
  snapshot: Snapshot,
  names: NameQuery,
  line: string,
  parsed: LineWithCode,
  isMeant: (candidate: Candidate) => boolean,
): Candidate | undefined {
  const countries = sortByCities(snapshot).filter((country) => names.hasCountry(country));
  const matches = new CodeSearch(snapshot, countries, names, names.isOneCountry).find(parsed.codes);
  const ifMeant = (item: SuggestedItem | undefined): Candidate | undefined => {
    const candidate = item && candidateOf(item);
    return candidate !== undefined && isMeant(candidate) ? candidate : undefined;
  };
  const [entire] = listCodeSuggestions(names, [matches.whole, matches.oddForm], 1);
  if (entire !== undefined) return ifMeant({ kind: 'postcode', ...entire });
  const [inTown] = matches.town;
  const first = inTown ?? matches.code[0];
  const likeliest = first && ifMeant({ kind: 'place', ...first });
  if (likeliest === undefined && !mayHideCode(parsed)) return undefined;
  if (likeliest !== undefined) {
    if (inTown === undefined) return { ...likeliest, isByCountry: true };
    const isOffice = isRecipient(structuresOf(inTown.country), inTown.place);
    if (!isOffice && !mayBeName(names, parsed, matches.text.foldings)) return likeliest;
  }
  const { scope, work } = names;
  // The whole search would read as much for the same codes again.
  if (work.isHalfSpent) return likeliest;
  const request = { query: line, scope, limit: 1, work: work.another() };
  const [item] = listSuggestedItems(snapshot, { ...request, kinds: ['place', 'postcode'] });
  return ifMeant(item);
}

/** Whether a line, or its words `rest` beside the code, may be the name of another place than one of the code. */
function mayBeName(names: NameQuery, { codes, foldings }: LineWithCode, rest: readonly string[]): boolean {
  if (codes[0].code.length <= MAX_DISTRICT_DIGITS) return true;
  if (foldings.some((folded) => names.findName(bytesOf(folded)) !== undefined)) return true;
  return searchNames(names, rest, 1, 'within').places.length > 0;
}

/** A number and letters in one word: "80030San". */
const WRITTEN_TOGETHER = /\d{4}[A-Z]|[A-Z]\d{4}/;
/** A word that may be a code: four digits, or letters and digits. */
const LIKE_CODE = /\d{4}|^(?=.*\d)(?=.*[A-Z]).{3}/;

/** Whether a word may have a code that is no text of the line: written together with another, or one text too many. */
function mayHideCode({ codes }: LineWithCode): boolean {
  const texts = new Set(codes.map(({ code }) => code));
  const words = codes.flatMap(({ code, rest }) => [...code.split(' '), ...rest.map((word) => word.toUpperCase())]);
  return words.some((word) => WRITTEN_TOGETHER.test(word) || (LIKE_CODE.test(word) && !texts.has(word)));
}

function candidateOf(item: SuggestedItem): Candidate | undefined {
  const { country } = item;
  if (item.kind === 'country') return undefined;
  const structures = structuresOf(country);
  if (item.kind === 'postcode') {
    const { postcode, mainPlace, places, fullCode } = item;
    return { country, code: postcode, found: { structures, place: mainPlace, placeCount: places.length, fullCode } };
  }
  const { place, fullCode } = item;
  const code = fullCode?.postcode ?? readListFields(structures, place).postalCode;
  return code === null ? undefined : { country, code, found: { structures, place, fullCode } };
}
