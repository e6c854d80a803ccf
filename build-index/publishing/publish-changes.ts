/**
 * The list of changes that `publish` puts beside a snapshot once it is in service: what it changes against the snapshot
 * of another release that was in service last. So neither the comparison nor a disk that it fills delays or prevents a
 * publication. A server finds the list as soon as it is there.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/expected-error.js';
import { type ChangeCounts, type ChangesHeader, sumChanges } from '../../src/format/release-changes.js';
import { readHistory } from '../../src/snapshots/publication-history.js';
import { changesFileOf, parsePublishedName, readCurrent } from '../../src/snapshots/snapshot-folder.js';
import { writeChanges } from '../diffing/write-changes.js';
import type { Progress } from '../reporting/progress.js';

export type ChangesReport =
  | (ChangeCounts & { readonly name: string; readonly since: string })
  /** The reason why there is no list. */
  | { readonly problem: string };

/** The name of the snapshot of another release than that of `name` that was in service last. */
export function findReleaseBefore(folder: string, name: string): string | undefined {
  const releaseOf = (file: string): string | undefined => parsePublishedName(file)?.release;
  return readHistory(folder, readCurrent(folder)).findLast((entry) => releaseOf(entry.name) !== releaseOf(name))?.name;
}

/** Writes what the snapshot `name` of the folder changes against `before`. Null where the list is there already. */
export async function publishChanges(
  folder: string,
  name: string,
  before: string,
  progress: Progress,
): Promise<ChangesReport | null> {
  const listName = changesFileOf(name);
  if (existsSync(join(folder, listName))) return null;
  try {
    const [oldPath, newPath] = [join(folder, before), join(folder, name)];
    const { header } = await writeChanges(oldPath, newPath, join(folder, listName), progress);
    return describe(listName, header);
  } catch (error) {
    // Any error: the contents of a snapshot that was damaged since its publication are not checked before.
    return { problem: `can't compare with ${before}: ${messageOf(error)}` };
  }
}

function describe(name: string, header: ChangesHeader): ChangesReport {
  return { name, since: header.since, ...sumChanges(header.countries) };
}
