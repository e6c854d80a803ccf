/** The disk that a pull needs. */
import { statfsSync } from 'node:fs';
import { ChannelError } from './channel-error.js';
import type { ReleasePart } from './release-file.js';
import { lengthOf } from './snapshot-parts.js';

/** Disk to leave free, in bytes: 64 MiB. */
const SPARE_BYTES = 64 << 20;

/** Throws ChannelError NO_SPACE if the disk has no room for the missing parts. */
export function requireSpace(folder: string, missing: readonly ReleasePart[]): void {
  const needed = missing.reduce((sum, { ranges }) => sum + lengthOf(ranges), SPARE_BYTES);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize >= needed) return;
  throw noSpace(`${folder} has ${bavail * bsize} bytes free, and the release needs ${needed}`);
}

/** Something else may have filled the disk, or a quota, since the pull began. */
export function isDiskFull(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function noSpace(found: string): ChannelError {
  return new ChannelError('NO_SPACE', found, 'make room, or keep fewer snapshots');
}
