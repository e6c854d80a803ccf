/**
 * The places, and on request the full codes, that changed since an earlier release: the entries of the lists of changes
 * from that release to the snapshot's, oldest first, each list in its own order. Costs one look at the counts of each
 * country of each list, and the reading of a page of lines. Also finds in these lists the codes that are gone.
 */

import { oncePer } from '../../base/once-per.js';
import { findCountry } from '../lookup/countries.js';
import { DomainError } from '../lookup/domain-error.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import {
  CHANGE_KINDS,
  type CountryChanges,
  ENTRY_KINDS,
  type EntryKind,
  linesOf,
  type PlaceChange,
} from '../snapshot/changes-file.js';
import { readName, readShownName } from '../snapshot/place-fields.js';
import { findById, parsePlaceId } from '../snapshot/place-id.js';
import { compactPostcode } from '../snapshot/postcode-spelling.js';
import type { ChangesList, WithdrawnPostcode } from '../snapshot/release-changes.js';
import { formatVersionOf } from '../snapshot/sections.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { type PageRequest, paginate } from './places.js';

interface ListChangesRequest extends PageRequest {
  /** The name of a release. */
  readonly since: string;
  readonly country: string | undefined;
  /** Those of places if undefined: a client that knows only these must not read a full code as a place. */
  readonly change: readonly EntryKind[] | undefined;
}

/** The lines of one kind in one country of a list. */
interface Group {
  readonly list: ChangesList;
  readonly country: CountryChanges;
  readonly kind: EntryKind;
  readonly count: number;
}

/** Throws DomainError RELEASE_NOT_FOUND or COUNTRY_NOT_FOUND. */
export function listChanges(snapshot: Snapshot, request: ListChangesRequest): ByteString {
  if (request.country !== undefined) findCountry(snapshot, request.country);
  for (;;) {
    const lists = listsSince(snapshot, request.since);
    const page = renderPage(snapshot, request, lists);
    // Otherwise a list was found to be damaged: there is one less now.
    if (page !== undefined) return page;
  }
}

/** The lists from a release to the snapshot's, oldest first; none for the snapshot's own. */
function listsSince(snapshot: Snapshot, since: string): ChangesList[] {
  if (since === snapshot.release) return [];
  const lists = snapshot.changes.lists();
  const oldest = lists.findIndex(({ header }) => header.since === since);
  if (oldest !== -1) return lists.slice(0, oldest + 1).reverse();
  const known = lists.map(({ header }) => header.since).reverse();
  const message =
    known.length === 0
      ? `No list says what changed before release ${snapshot.release}, which is served`
      : `No list starts at release ${since}. There are changes since ${known.join(', ')}; ${snapshot.release} is served`;
  throw new DomainError('RELEASE_NOT_FOUND', message);
}

/** Undefined if a list is damaged. */
function renderPage(
  snapshot: Snapshot,
  request: ListChangesRequest,
  lists: readonly ChangesList[],
): ByteString | undefined {
  const asked: readonly EntryKind[] = request.change ?? CHANGE_KINDS;
  const kinds = ENTRY_KINDS.filter((kind) => asked.includes(kind));
  const notListed = new Set<string>();
  const groups: Group[] = [];
  for (const list of lists) {
    for (const country of list.header.countries) {
      if (request.country !== undefined && request.country !== country.code) continue;
      for (const kind of kinds) {
        const lines = linesOf(country, kind);
        if (lines === null) notListed.add(country.code);
        else groups.push({ list, country, kind, count: lines.count });
      }
    }
  }
  const totalCount = groups.reduce((sum, { count }) => sum + count, 0);
  const { start, end, before, after } = paginate(request, totalCount);
  const items = readItems(snapshot, groups, start, end);
  if (items === undefined) return undefined;
  const names = { since: request.since, release: snapshot.release, countriesNotListed: [...notListed].sort() };
  const head = `${JSON.stringify(names).slice(0, -1)},${before.slice(1)}`;
  return encodeUtf8(head + items.join() + after);
}

/** The entries from `start` up to but not including `end` of all groups, as JSON; undefined if a list is damaged. */
function readItems(snapshot: Snapshot, groups: readonly Group[], start: number, end: number): string[] | undefined {
  const items: string[] = [];
  let position = 0;
  for (const { list, country, kind, count } of groups) {
    const [from, to] = [Math.max(start - position, 0), Math.min(end - position, count)];
    position += count;
    if (from >= to) continue;
    const changes = list.read(country, kind, from, to);
    if (changes === undefined) return undefined;
    for (const change of changes) items.push(renderItem(snapshot, list, change));
  }
  return items;
}

function renderItem(snapshot: Snapshot, { header }: ChangesList, change: PlaceChange): string {
  return JSON.stringify({ release: header.release, ...change, name: shownNameOf(snapshot, change) });
}

/** The name that the place's object has, if that stands for the name of the change: a later release may have another. */
function shownNameOf({ countryByCode }: Snapshot, { countryCode, id, name }: PlaceChange): string {
  const structures = countryByCode.get(countryCode)?.structures;
  if (structures?.renderedPlaces.otherNames === undefined) return name;
  const place = findById(structures.ids, structures.tree, parsePlaceId(id) as Uint8Array);
  if (place === undefined || readName(structures, place) !== name) return name;
  return readShownName(structures, place);
}

/*
 * Codes that an earlier release has and the snapshot lacks. A code that lost its last place has that place among the
 * removed places of a list, and a full code is among the removed full codes. The first lookup in a country of a list reads
 * these lines and keeps 300 bytes of each code, later ones cost a microsecond.
 */

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
    (removed === 0 || linesOf(country, 'removed') !== null) &&
    (fullCodeRemoved === 0 || linesOf(country, 'fullCodeRemoved') !== null)
  );
}

/** Finds a code in compact form, which the snapshot must lack, in the lists from the snapshot back: the newest counts. */
export function findWithdrawn(
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

/* What is served: the release, its countries with data and the versions of its snapshot; about 50 µs. */

export function describeRelease({ release, manifest }: Snapshot): ByteString {
  const countries = manifest.countries
    .filter(({ slices }) => slices.length > 0)
    .map(({ code, levelCounts, distinctPostcodes }) => ({ code, totalPlaces: sum(levelCounts), distinctPostcodes }));
  const description = {
    name: release,
    sourceDate: manifest.sourceDate,
    previousRelease: manifest.previousRelease,
    totalPlaces: sum(countries.map(({ totalPlaces }) => totalPlaces)),
    distinctPostcodes: sum(countries.map(({ distinctPostcodes }) => distinctPostcodes)),
    countries,
    formatVersion: formatVersionOf(manifest.sections),
    foldingVersion: manifest.foldingVersion,
    builderVersion: manifest.builderVersion,
    ...(manifest.sources.length > 0 && { sources: manifest.sources }),
  };
  return encodeUtf8(JSON.stringify(description));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
