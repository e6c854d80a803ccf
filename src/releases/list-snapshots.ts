/** `list`: the snapshots of a folder. Takes no lock: the snapshot of a publication under way is listed or not yet. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readHistory } from './publication-history.js';
import { type PublishedSnapshot, parsePublishedName, readCurrent } from './snapshot-folder.js';

export interface ListedSnapshot extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** ISO 8601, UTC; for a file that is not in the history in effect, the time when the file was written. */
  readonly publishedAt: string;
  /** Whether the snapshot is in service. */
  readonly current: boolean;
  /** Whether `rollback` would put the snapshot in service. */
  readonly previous: boolean;
}

/**
 * First the snapshots that have been in service up to now, latest first, then all other snapshots, newest first. Throws
 * what node:fs throws.
 */
export function listSnapshots(folder: string): ListedSnapshot[] {
  const current = readCurrent(folder);
  const history = readHistory(folder, current);
  const files = readdirSync(folder).flatMap((name) => {
    const published = parsePublishedName(name);
    const info = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (published === undefined || !info?.isFile()) return [];
    const position = history.findLastIndex((entry) => entry.name === name);
    const publishedAt = history[position]?.publishedAt ?? info.mtime.toISOString();
    return [{ ...published, name, bytes: info.size, publishedAt, position }];
  });
  files.sort((a, b) => b.position - a.position || (a.publishedAt < b.publishedAt ? 1 : -1));
  const previous = files.find(({ name, position }) => position !== -1 && name !== current)?.name;
  return files.map(({ position: _, ...file }) => ({
    ...file,
    current: file.name === current,
    previous: file.name === previous,
  }));
}
