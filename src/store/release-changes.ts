/**
 * What a snapshot knows of the releases before it: the lists of changes that lead to it, one for each release. Who opens
 * the snapshot provides them, since they are other files. They may come and go while the snapshot is served.
 */
import type { ChangeKind, ChangesHeader, CountryChanges, PlaceChange } from '../format/release-changes.js';

/** A list of changes: from the release `header.since` to `header.release`. */
export interface ChangesList {
  readonly header: ChangesHeader;
  /** When the file was last written, ISO 8601 in UTC. */
  readonly writtenAt: string;
  /**
   * The changes of a kind in one of the header's countries, from number `start` up to but not including `end`, which
   * must be in the list. Undefined if the list turns out to be damaged or gone; then ReleaseChanges no longer has it.
   */
  read(country: CountryChanges, kind: ChangeKind, start: number, end: number): readonly PlaceChange[] | undefined;
}

export interface ReleaseChanges {
  /**
   * The lists from the snapshot back: the first one leads to the snapshot's release, and each other to the release
   * where the one before it starts. Empty where none is known.
   */
  lists(): readonly ChangesList[];
}

export const NO_CHANGES: ReleaseChanges = { lists: () => [] };
