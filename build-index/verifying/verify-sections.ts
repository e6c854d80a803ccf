/** Checks what holds of a snapshot as a file: every section's checksum, and zeros wherever nothing lies. */
import { checksumOf } from '../../src/format/checksum.js';
import { HEADER_BYTES, type Header } from '../../src/format/header.js';
import type { Manifest } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS } from '../../src/format/sections.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';
import { readInto } from '../../src/store/open-file.js';
import { readBytes, readContents, withFile } from './snapshot-reading.js';

export interface VerifySectionsTask {
  readonly kind: 'verify-sections';
  readonly path: string;
}

const CHUNK_BYTES = 1 << 20;

/** Throws SnapshotError SECTION_DAMAGED or PADDING_NOT_ZERO. */
export function verifySections({ path }: VerifySectionsTask): void {
  withFile(path, (fd) => {
    const { header, manifest } = readContents(fd);
    checkChecksums(fd, header, manifest);
    checkGaps(fd, manifest);
  });
}

function checkChecksums(fd: number, header: Header, manifest: Manifest): void {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let end = HEADER_BYTES;
  for (const section of manifest.sections) {
    checkPadding(fd, end, section.offset);
    end = section.offset + section.length;
    let checksum = 0;
    for (let offset = section.offset; offset < end; offset += CHUNK_BYTES) {
      const part = chunk.subarray(0, Math.min(CHUNK_BYTES, end - offset));
      readInto(fd, offset, part);
      checksum = checksumOf(part, checksum);
    }
    if (checksum !== section.checksum) {
      throw new SnapshotError('SECTION_DAMAGED', `${section.name} with checksum ${section.checksum}`, `${checksum}`);
    }
  }
  checkPadding(fd, end, header.manifestOffset);
}

/** Zeros between the slices of each section. */
function checkGaps(fd: number, manifest: Manifest): void {
  COUNTRY_SECTIONS.forEach((_, index) => {
    const sectionStart = manifest.sections[index]?.offset ?? 0;
    let sliceEnd = 0;
    for (const { slices } of manifest.countries) {
      const slice = slices[index];
      if (slice === undefined) continue;
      checkPadding(fd, sectionStart + sliceEnd, sectionStart + slice.offset);
      sliceEnd = slice.offset + slice.length;
    }
  });
}

function checkPadding(fd: number, start: number, end: number): void {
  if (end - start >= HEADER_BYTES) {
    throw new SnapshotError('SECTION_TABLE_INVALID', 'less than a page between sections', `${end - start} bytes`);
  }
  if (readBytes(fd, start, end - start).some((byte) => byte !== 0)) {
    throw new SnapshotError('PADDING_NOT_ZERO', `zeros from byte ${start} to ${end}`, 'other bytes');
  }
}
