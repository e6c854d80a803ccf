/**
 * What a snapshot knows of the releases before it: the lists of changes that lead to it, one for each release. The opener
 * of the snapshot provides them, since they are other files (changes-file.ts). Lists may appear and disappear while the
 * snapshot is served.
 */

import type { ChangesHeader, CountryChanges, EntryKind, PlaceChange } from './changes-file.js';

/** A list of changes: from the release `header.since` to `header.release`. */
export interface ChangesList {
  readonly header: ChangesHeader;
  /** When the file was last written, ISO 8601 in UTC. */
  readonly writtenAt: string;
  /**
   * The changes of a kind in one of the header's countries, from number `start` up to but not including `end`, which
   * must be among its lines (changesFileLinesOf). Undefined if the list turns out to be damaged or gone; then ReleaseChanges no longer has it.
   */
  read(country: CountryChanges, kind: EntryKind, start: number, end: number): readonly PlaceChange[] | undefined;
}

export interface ReleaseChanges {
  /**
   * The lists from the snapshot back: the first one leads to the snapshot's release, and each other to the release
   * where the one before it starts. Empty where none is known.
   */
  lists(): readonly ChangesList[];
}

/** Identifies the lists, which may come and go while a snapshot is served: for the tags of what is made of them. */
export function identifyReleaseChanges(lists: readonly ChangesList[]): string {
  return JSON.stringify(lists.map(({ header, writtenAt }) => [header.snapshot, header.sinceSnapshot, writtenAt]));
}

/** A postal code that an earlier release has and the snapshot lacks. */
export interface WithdrawnPostcode {
  /** In the spelling of the release that has it. */
  readonly postcode: string;
  /** The release that came without the code. */
  readonly release: string;
  readonly countryCode: string;
  /** The first place that the code had, by path, as it was then. */
  readonly placeId: string;
  readonly placeName: string;
  readonly placePath: string;
}

export const NO_CHANGES: ReleaseChanges = { lists: () => [] };
