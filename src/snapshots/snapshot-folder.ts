/**
 * A folder of published snapshots, as `postal-places publish` makes it and a server follows it: whole, read-only files
 * named `<release>-<id>.snapshot`, and `current`, a symbolic link to one of them that is only ever replaced in one
 * step. A server ignores every other file of the folder.
 */
import { readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

export interface PublishedSnapshot {
  readonly release: string;
  /** The id of the content, see Snapshot. */
  readonly id: string;
}

export const CURRENT = 'current';

const PUBLISHED_NAME = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})-([0-9a-f]{16})\.snapshot$/;

/**
 * The file name of a published snapshot; undefined if the name of its release can't be part of a file name.
 */
export function publishedName({ release, id }: PublishedSnapshot): string | undefined {
  const name = `${release}-${id}.snapshot`;
  return PUBLISHED_NAME.test(name) ? name : undefined;
}

/** The release and id in a file name; undefined if it is not the name of a published snapshot. */
export function parsePublishedName(name: string): PublishedSnapshot | undefined {
  const [, release, id] = PUBLISHED_NAME.exec(name) ?? [];
  return release === undefined || id === undefined ? undefined : { release, id };
}

/**
 * The file name that `current` points to; undefined if there is no such link, or if it points to something else than a
 * snapshot of this folder. Throws the error of node:fs if the folder can't be read.
 */
export function readCurrent(folder: string): string | undefined {
  try {
    const path = resolve(folder, readlinkSync(join(folder, CURRENT)));
    const name = basename(path);
    return dirname(path) === resolve(folder) && parsePublishedName(name) !== undefined ? name : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EINVAL: `current` is no link.
    if (code === 'ENOENT' || code === 'EINVAL') return undefined;
    throw error;
  }
}
