/**
 * The id of a snapshot's content: the start of the SHA-256 of its manifest, which holds every section's checksum.
 */

import { hash } from 'node:crypto';

const ID_LENGTH = 16;

/** 16 hexadecimal digits, lower case. */
export function snapshotIdOf(manifestBytes: Uint8Array): string {
  return hash('sha256', manifestBytes, 'hex').slice(0, ID_LENGTH);
}

export function isSnapshotId(value: unknown): value is string {
  return typeof value === 'string' && value.length === ID_LENGTH && /^[0-9a-f]+$/.test(value);
}
