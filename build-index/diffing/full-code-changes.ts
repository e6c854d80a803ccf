/**
 * Compares full codes: merges the second parts of each first part, which are ascending. A country's 1.7 million codes
 * take a second, and no memory but that of the two lists. A full code is moved if it is over 1 km from its old position,
 * or belongs to another place: not the one that its old place is matched with.
 */

import type { CodeChangeKind } from '../../src/core/snapshot/changes-file.js';
import { codesOfFirstPart, type FullCodes, fullCodeAt, UNITS_PER_DEGREE } from '../../src/core/snapshot/full-codes.js';
import { indexedPostcodePlaces } from '../../src/core/snapshot/postcode-index.js';
import { kmBetween } from '../../src/core/snapshot/sphere.js';
import { type Counts, EXAMPLES_PER_KIND, type Example } from './change-counts.js';
import type { CountryPair } from './compared-country.js';
import { pairPostcodes } from './compared-postcodes.js';
import { type Matches, NONE, type Pair } from './matched-places.js';

/** Distance from which on a full code is moved, in km: that of the least shifts of places. */
const MOVED_KM = 1;

interface FullCodeChange {
  readonly kind: CodeChangeKind;
  /** The numbers of the full code; NONE for the missing one. */
  readonly pair: Pair;
  /** 0 for a code that is in one snapshot only. */
  readonly km: number;
}

/** The changes in the order of codes. `matches` must be complete. */
export function* compareFullCodes({ before, after }: CountryPair, { newOf }: Matches): Generator<FullCodeChange> {
  const [was, is] = [before.fullCodes, after.fullCodes];
  for (const [oldFirst, newFirst] of pairPostcodes(before.postcodes, after.postcodes)) {
    const [old, now] = [secondsOf(was, oldFirst), secondsOf(is, newFirst)];
    let [oldAt, newAt] = [old.start, now.start];
    while (oldAt < old.end || newAt < now.end) {
      const oldSecond = oldAt < old.end ? (was?.seconds[oldAt] as number) : NONE;
      const newSecond = newAt < now.end ? (is?.seconds[newAt] as number) : NONE;
      if (oldSecond < newSecond) yield { kind: 'fullCodeRemoved', pair: [oldAt, NONE], km: 0 };
      if (oldSecond > newSecond) yield { kind: 'fullCodeAdded', pair: [NONE, newAt], km: 0 };
      if (oldSecond === newSecond) {
        const km = kmMoved(was as FullCodes, oldAt, is as FullCodes, newAt);
        const oldPlace = old.places[was?.places[oldAt] as number] as number;
        const isElsewhere = newOf[oldPlace] !== now.places[is?.places[newAt] as number];
        if (isElsewhere || km > MOVED_KM) yield { kind: 'fullCodeMoved', pair: [oldAt, newAt], km };
      }
      if (oldSecond <= newSecond) oldAt++;
      if (newSecond <= oldSecond) newAt++;
    }
  }
}

const NO_SECONDS = { start: 0, end: 0, places: new Uint32Array(0) };

/** The numbers of the full codes of a first part, and its places. */
function secondsOf(codes: FullCodes | undefined, first: number) {
  if (codes === undefined || first === NONE) return NO_SECONDS;
  return { ...codesOfFirstPart(codes, first), places: indexedPostcodePlaces(codes.postcodes, first) };
}

function kmMoved({ positions: old }: FullCodes, oldAt: number, { positions: now }: FullCodes, newAt: number): number {
  const [fromLng, fromLat] = [old[oldAt * 2] as number, old[oldAt * 2 + 1] as number];
  const [toLng, toLat] = [now[newAt * 2] as number, now[newAt * 2 + 1] as number];
  if (fromLng === toLng && fromLat === toLat) return 0;
  const degrees = [fromLat, fromLng, toLat, toLng].map((units) => units / UNITS_PER_DEGREE);
  return kmBetween(...(degrees as [number, number, number, number]));
}

/** How many full codes were added, removed and moved, and the first of each. */
export function countFullCodes(pair: CountryPair, matches: Matches) {
  const counts = { fullCodesAdded: 0, fullCodesRemoved: 0, fullCodesMoved: 0 };
  const examples: Record<keyof typeof counts, Example[]> = {
    fullCodesAdded: [],
    fullCodesRemoved: [],
    fullCodesMoved: [],
  };
  const { code: countryCode, before, after } = pair;
  for (const { kind, pair: numbers } of compareFullCodes(pair, matches)) {
    const counted = COUNT_OF_KIND[kind];
    if (counts[counted]++ >= EXAMPLES_PER_KIND) continue;
    const [codes, number] = numbers[1] === NONE ? [before.fullCodes, numbers[0]] : [after.fullCodes, numbers[1]];
    examples[counted].push({ countryCode, postalCode: fullCodeAt(codes as FullCodes, number).postcode });
  }
  return { counts, examples };
}

const COUNT_OF_KIND = {
  fullCodeAdded: 'fullCodesAdded',
  fullCodeRemoved: 'fullCodesRemoved',
  fullCodeMoved: 'fullCodesMoved',
} as const;

export function hasFullCodeChanges({ fullCodesAdded, fullCodesRemoved, fullCodesMoved }: Counts): boolean {
  return fullCodesAdded + fullCodesRemoved + fullCodesMoved > 0;
}
