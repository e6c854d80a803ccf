/**
 * The places, and on request the full codes, that changed since an earlier release: the entries of the lists of changes
 * from that release to the snapshot's, oldest first, each list in its own order. Costs one look at the counts of each
 * country of each list, and the reading of a page of lines.
 */

import { findCountry } from '../lookup/countries.js';
import { DomainError } from '../lookup/domain-error.js';
import { type ByteString, encodeUtf8 } from '../snapshot/byte-string.js';
import {
  CHANGE_KINDS,
  type CountryChanges,
  changesFileLinesOf,
  ENTRY_KINDS,
  type EntryKind,
  type PlaceChange,
} from '../snapshot/changes-file.js';
import { readNameField, readShownNameField } from '../snapshot/place-fields.js';
import { parsePlaceId } from '../snapshot/place-id.js';
import { findById } from '../snapshot/place-id-index.js';
import type { ChangesList } from '../snapshot/release-changes.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { type PageRequest, paginate } from './page.js';

interface ListChangesRequest extends PageRequest {
  /** The name of a release. */
  readonly since: string;
  readonly country: string | undefined;
  /** Undefined for the kinds of places alone: an older client must not read a full code as a place. */
  readonly change: readonly EntryKind[] | undefined;
}

/** The lines of one kind in one country of a list. */
interface Group {
  readonly list: ChangesList;
  readonly country: CountryChanges;
  readonly kind: EntryKind;
  readonly count: number;
}

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
        const lines = changesFileLinesOf(country, kind);
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
  if (place === undefined || readNameField(structures, place) !== name) return name;
  return readShownNameField(structures, place);
}
