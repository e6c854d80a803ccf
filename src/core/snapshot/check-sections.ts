/**
 * Checks every section of a snapshot file against its checksum in the manifest, and that the padding is zero.
 */

import { runCooperatively, runSync, type Steps } from '../../base/cooperative.js';
import { checksumOf } from './checksum.js';
import { HEADER_BYTES } from './header.js';
import { SnapshotError } from './snapshot-error.js';
import { readFileBytes, readInto, readSnapshotContents, type SnapshotContents } from './snapshot-file.js';

/**
 * `length` bytes of zeros, page-aligned. A large buffer from malloc starts 16 bytes after the start of a page, and reading a
 * file from the page cache into such a buffer takes five times as long on an AMD EPYC.
 */
export function allocatePageAligned(length: number): Uint8Array {
  // V8 allocates a resizable buffer from the system directly, in pages. This buffer never grows. The compiler's types
  // lack the option, hence Reflect.construct.
  const buffer: ArrayBuffer = Reflect.construct(ArrayBuffer, [length, { maxByteLength: length }]);
  return new Uint8Array(buffer, 0, length);
}

/** The number of bytes read at once: 256 KiB, which stays in the core's own cache until its checksum is computed. */
const CHUNK_BYTES = 1 << 18;

/**
 * Reads a whole file, open as `fd`; returns its header and manifest. Throws SnapshotError SECTION_DAMAGED,
 * SECTION_TABLE_INVALID or PADDING_NOT_ZERO, and whatever readSnapshotContents throws.
 */
export function checkSections(fd: number): SnapshotContents {
  return runSync(checkInSteps(fd));
}

/**
 * The same, pausing between chunks, so that the process still handles signals. `read` reads and checks header and
 * manifest.
 */
export function checkSectionsCooperatively(fd: number, read = readSnapshotContents): Promise<SnapshotContents> {
  return runCooperatively(checkInSteps(fd, read));
}

function* checkInSteps(fd: number, read = readSnapshotContents): Steps<SnapshotContents> {
  const contents = read(fd);
  const { header, manifest } = contents;
  const chunk = allocatePageAligned(CHUNK_BYTES);
  let end = HEADER_BYTES;
  for (const section of manifest.sections) {
    checkPadding(fd, end, section.offset);
    end = section.offset + section.length;
    let checksum = 0;
    for (let offset = section.offset; offset < end; offset += CHUNK_BYTES) {
      const part = chunk.subarray(0, Math.min(CHUNK_BYTES, end - offset));
      readInto(fd, offset, part);
      checksum = checksumOf(part, checksum);
      yield;
    }
    if (checksum !== section.checksum) {
      throw new SnapshotError('SECTION_DAMAGED', `${section.name} with checksum ${section.checksum}`, `${checksum}`);
    }
  }
  checkPadding(fd, end, header.manifestOffset);
  return contents;
}

/**
 * Throws SnapshotError SECTION_TABLE_INVALID if the padding from `start` to `end` is a page or longer, PADDING_NOT_ZERO
 * if a byte isn't zero, FILE_TOO_SHORT if the file ends earlier.
 */
export function checkPadding(fd: number, start: number, end: number): void {
  if (end - start >= HEADER_BYTES) {
    throw new SnapshotError('SECTION_TABLE_INVALID', 'less than a page between sections', `${end - start} bytes`);
  }
  if (readFileBytes(fd, start, end - start).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${start} to ${end}`, 'other bytes');
  }
}
