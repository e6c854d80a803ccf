/** `list`: the snapshots of a folder. It takes no lock: a concurrent publication is in the list or not. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readHistory } from './publication-history.js';
import { type PublishedSnapshot, parsePublishedName, readCurrent } from './snapshot-folder.js';

export interface ListedSnapshot extends PublishedSnapshot {
  readonly name: string;
  readonly bytes: number;
  /** ISO 8601, UTC; the file's modification time if the history lacks the file. */
  readonly publishedAt: string;
  /** Whether it is in service. */
  readonly current: boolean;
  /** Whether `rollback` would put it in service. */
  readonly previous: boolean;
}

/**
 * First the snapshots that have been in service, latest first, then all others, newest first. Throws what node:fs
 * throws.
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
