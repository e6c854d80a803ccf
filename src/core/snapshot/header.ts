/**
 * The first page of a snapshot: the kind of file, its length and the position of its manifest. The first 48 bytes are
 * used, the rest of the page is zero. The header is written last, so the file of an interrupted build has none.
 *
 *   0         8         12        16        24        32        40          44           48
 *   ├ magic ──┼ version ┼ u32 0 ──┼ u64 ────┼ u64 ────┼ u64 ────┼ u32 ──────┼ u32 ───────┤ zeros to 4096
 *   8 bytes   u32                 file      manifest  manifest  CRC-32 of   CRC-32 of
 *                                 length    offset    length    manifest    bytes 0 to 43
 *
 * The magic is 89 50 50 53 0D 0A 1A 0A ("‰PPS", then line ends and end-of-file): like PNG's, it shows a transfer that
 * changed line ends or cleared the eighth bit.
 */

import { checksumOf } from './checksum.js';
import { describeFileKind } from './file-kind.js';
import { FORMAT_VERSION, PAGE_BYTES } from './sections.js';
import { SnapshotError } from './snapshot-error.js';

export const HEADER_BYTES = PAGE_BYTES;

/**
 * Maximum length of a snapshot in bytes: 4 GiB, the largest buffer of Node 20. A snapshot of the world is a sixth of
 * it.
 */
export const MAX_SNAPSHOT_BYTES = 2 ** 32;
/** Maximum length of a manifest in bytes: 16 MiB, hundreds of times the manifest of the world. */
const MAX_MANIFEST_BYTES = 1 << 24;

const MAGIC = Uint8Array.of(0x89, 0x50, 0x50, 0x53, 0x0d, 0x0a, 0x1a, 0x0a);
const CHECKED_BYTES = 44;
const USED_BYTES = 48;

export interface Header {
  readonly version: number;
  readonly fileLength: number;
  readonly manifestOffset: number;
  readonly manifestLength: number;
  readonly manifestChecksum: number;
}

/** The header page, 4096 bytes. */
export function encodeHeader(header: Omit<Header, 'version'>, version = FORMAT_VERSION): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC);
  view.setUint32(8, version, true);
  view.setBigUint64(16, BigInt(header.fileLength), true);
  view.setBigUint64(24, BigInt(header.manifestOffset), true);
  view.setBigUint64(32, BigInt(header.manifestLength), true);
  view.setUint32(40, header.manifestChecksum, true);
  view.setUint32(CHECKED_BYTES, checksumOf(bytes.subarray(0, CHECKED_BYTES)), true);
  return bytes;
}

/** Whether the bytes at the start of a file say that it is a snapshot, of whatever version, whole or not. */
export function hasSnapshotHeader(start: Uint8Array): boolean {
  return MAGIC.every((byte, index) => start[index] === byte);
}

/**
 * Reads and checks the header page of a file of `fileLength` bytes, of format version `oldestVersion` or later. Throws
 * SnapshotError: FILE_TOO_SHORT, NOT_A_SNAPSHOT, FORMAT_VERSION, HEADER_DAMAGED, PADDING_NOT_ZERO, LENGTH_MISMATCH,
 * FILE_TOO_LONG.
 */
export function decodeHeader(page: Uint8Array, fileLength: number, oldestVersion = FORMAT_VERSION): Header {
  if (fileLength < HEADER_BYTES || page.length < HEADER_BYTES) {
    const kind = hasSnapshotHeader(page) ? '' : `${describeFileKind(page)}, `;
    throw new SnapshotError('FILE_TOO_SHORT', `at least ${HEADER_BYTES} bytes`, `${kind}${fileLength} bytes`);
  }
  if (!hasSnapshotHeader(page)) {
    throw new SnapshotError(
      'NOT_A_SNAPSHOT',
      'a snapshot',
      describeFileKind(page),
      'give a file that postal-places build wrote',
    );
  }
  const view = new DataView(page.buffer, page.byteOffset, HEADER_BYTES);
  // The version is checked before the checksum, because a later version may store the checksum elsewhere.
  const version = view.getUint32(8, true);
  if (version < oldestVersion || version > FORMAT_VERSION) {
    throw new SnapshotError(
      'FORMAT_VERSION',
      `format version ${oldestVersion} to ${FORMAT_VERSION}`,
      `version ${version}`,
      version > FORMAT_VERSION ? 'use a newer release of this program' : 'build the snapshot again',
    );
  }
  const checksum = checksumOf(page.subarray(0, CHECKED_BYTES));
  if (view.getUint32(CHECKED_BYTES, true) !== checksum || view.getUint32(12, true) !== 0) {
    throw new SnapshotError('HEADER_DAMAGED', 'a header that matches its checksum', `checksum ${checksum}`);
  }
  if (page.subarray(USED_BYTES, HEADER_BYTES).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${USED_BYTES} to ${HEADER_BYTES}`, 'other bytes');
  }
  const header: Header = {
    version,
    fileLength: Number(view.getBigUint64(16, true)),
    manifestOffset: Number(view.getBigUint64(24, true)),
    manifestLength: Number(view.getBigUint64(32, true)),
    manifestChecksum: view.getUint32(40, true),
  };
  if (header.fileLength !== fileLength) {
    throw new SnapshotError('LENGTH_MISMATCH', `${header.fileLength} bytes`, `${fileLength} bytes`);
  }
  checkFileLength(fileLength);
  if (
    header.manifestOffset < HEADER_BYTES ||
    header.manifestOffset % PAGE_BYTES !== 0 ||
    header.manifestLength > MAX_MANIFEST_BYTES ||
    header.manifestOffset + header.manifestLength !== fileLength
  ) {
    throw new SnapshotError(
      'HEADER_DAMAGED',
      'a manifest that ends the file',
      `${header.manifestLength} bytes at ${header.manifestOffset}`,
    );
  }
  return header;
}

/** Throws SnapshotError FILE_TOO_LONG for a file longer than MAX_SNAPSHOT_BYTES, which no server could open. */
export function checkFileLength(fileLength: number): void {
  if (fileLength <= MAX_SNAPSHOT_BYTES) return;
  throw new SnapshotError(
    'FILE_TOO_LONG',
    `at most ${MAX_SNAPSHOT_BYTES} bytes`,
    `${fileLength} bytes`,
    'build snapshots of fewer countries',
  );
}
