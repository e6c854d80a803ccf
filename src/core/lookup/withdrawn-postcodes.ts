/**
 * Postal codes that an earlier release has and the snapshot lacks. A code that lost its last place has that place among the
 * removed places of a list of changes, and a full code is among the removed full codes. The first lookup in a country of a
 * list reads these lines and keeps 300 bytes of each code, later ones cost a microsecond.
 */

import { oncePer } from '../../base/once-per.js';
import { type CountryChanges, changesFileLinesOf, type EntryKind } from '../snapshot/changes-file.js';
import { compactPostcode, plainPostcode } from '../snapshot/postcode-spelling.js';
import type { ChangesList, WithdrawnPostcode } from '../snapshot/release-changes.js';
import type { Country, Snapshot } from '../snapshot/snapshot.js';
import { TERRITORIES, withoutNationalSign } from './national-postcodes.js';

/** Maximum number of lists that are looked through: a year of monthly releases. */
const MAX_LISTS_SEARCHED = 12;
/** Maximum number of lines of all these lists and all countries: half a second of reading, 30 MB. */
const MAX_LINES_SEARCHED = 100_000;
/** Number of lines that are read at once: a thousand, some hundred kilobytes. */
const LINES_AT_ONCE = 1000;

/** The lines of one country in a list with codes that are gone. */
interface RemovedCodes {
  readonly list: ChangesList;
  readonly country: CountryChanges;
  readonly removed: number;
  readonly fullCodeRemoved: number;
}

interface SearchedLists {
  readonly lists: readonly ChangesList[];
  /** By country, the newest list first: what is read when a code of the country is asked for. */
  readonly byCountry: ReadonlyMap<string, readonly RemovedCodes[]>;
}

type WithdrawnByCode = ReadonlyMap<string, WithdrawnPostcode>;

/** By the newest list: what was chosen for it and those before it. */
const chosen = new WeakMap<ChangesList, SearchedLists>();
/** By what is read: its codes; undefined where a line is damaged. */
const codesOf = oncePer(readWithdrawn);

/**
 * Chooses by the counts alone, so that an answer does not depend on what was asked before: the newest lists first, in a
 * list the countries with the fewest lines. In a country with more lines than are left, no code is known to be withdrawn
 * by that list or one before it: what an older list says may be over.
 */
function searchedLists(lists: readonly ChangesList[]): SearchedLists {
  const [newest] = lists;
  const known = newest && chosen.get(newest);
  if (known?.lists.length === lists.length && lists.every((list, at) => list === known.lists[at])) return known;
  const byCountry = new Map<string, RemovedCodes[]>();
  const closed = new Set<string>();
  let linesLeft = MAX_LINES_SEARCHED;
  for (const list of lists.slice(0, MAX_LISTS_SEARCHED)) {
    const entries = list.header.countries.map((country) => removedCodesOf(list, country));
    for (const entry of entries.sort((a, b) => lineCountOf(a) - lineCountOf(b))) {
      const { code } = entry.country;
      const count = lineCountOf(entry);
      if (count === 0 || closed.has(code)) continue;
      if (count > linesLeft || !isListed(entry)) {
        closed.add(code);
        continue;
      }
      linesLeft -= count;
      byCountry.set(code, [...(byCountry.get(code) ?? []), entry]);
    }
  }
  const searched = { lists, byCountry };
  if (newest !== undefined) chosen.set(newest, searched);
  return searched;
}

function removedCodesOf(list: ChangesList, country: CountryChanges): RemovedCodes {
  // Where every code has kept a place, there is none to find among the removed places.
  const removed = country.codesRemoved > 0 ? country.removed : 0;
  return { list, country, removed, fullCodeRemoved: country.fullCodes?.fullCodeRemoved ?? 0 };
}

function lineCountOf({ removed, fullCodeRemoved }: RemovedCodes): number {
  return removed + fullCodeRemoved;
}

/** Whether the lines are in the list, and not counted only. */
function isListed({ country, removed, fullCodeRemoved }: RemovedCodes): boolean {
  return (
    (removed === 0 || changesFileLinesOf(country, 'removed') !== null) &&
    (fullCodeRemoved === 0 || changesFileLinesOf(country, 'fullCodeRemoved') !== null)
  );
}

/** Finds a code in compact form, which the snapshot must lack; the newest list that has it counts. */
function findWithdrawn(
  lists: readonly ChangesList[],
  countryCode: string,
  compact: string,
): WithdrawnPostcode | undefined {
  for (const entry of searchedLists(lists).byCountry.get(countryCode) ?? []) {
    const codes = codesOf(entry);
    const found = codes?.get(compact);
    if (codes === undefined || found !== undefined) return found;
  }
  return undefined;
}

function readWithdrawn({ list, country, removed, fullCodeRemoved }: RemovedCodes): WithdrawnByCode | undefined {
  const byCode = new Map<string, WithdrawnPostcode>();
  for (const [kind, count] of Object.entries({ removed, fullCodeRemoved }) as [EntryKind, number][]) {
    for (let start = 0; start < count; start += LINES_AT_ONCE) {
      const changes = list.read(country, kind, start, Math.min(count, start + LINES_AT_ONCE));
      if (changes === undefined) return undefined;
      for (const { countryCode, postalCode: postcode, id: placeId, name: placeName, path: placePath } of changes) {
        if (postcode === null || byCode.has(compactPostcode(postcode))) continue;
        const place = { placeId, placeName, placePath };
        byCode.set(compactPostcode(postcode), { postcode, release: list.header.release, countryCode, ...place });
      }
    }
  }
  return byCode;
}

/** Finds a code in normal form, which the snapshot lacks in these countries, in the lists of changes that lead to it. */
export function listWithdrawn(
  snapshot: Snapshot,
  countries: readonly Country[],
  postcode: string,
): WithdrawnPostcode[] {
  // Most snapshots come with one or two lists. Asking for these looks at their files, so once for all countries.
  const lists = snapshot.changes.lists();
  if (lists.length === 0) return [];
  const compact = compactPostcode(plainPostcode(postcode));
  // Of a territory and its country both may be among the countries.
  const found = new Map<string, WithdrawnPostcode>();
  for (const country of countries) {
    for (const owner of [country.entry.code, ...(TERRITORIES[country.entry.code] ?? [])]) {
      for (const code of [compact, ...withoutNationalSign(country.entry.code, compact)]) {
        const withdrawn = found.has(owner) ? undefined : findWithdrawn(lists, owner, code);
        if (withdrawn !== undefined) found.set(owner, withdrawn);
      }
    }
  }
  return [...found.values()];
}
