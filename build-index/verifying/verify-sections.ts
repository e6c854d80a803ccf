/** Checks a snapshot as a file: the checksum of every section, and zeros between sections and between slices. */
import type { Manifest } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS } from '../../src/format/sections.js';
import { checkPadding, checkSections } from '../../src/store/section-checksums.js';
import { withFile } from '../../src/store/snapshot-reading.js';
import type { Task } from '../pool/pool.js';

export interface VerifySectionsTask extends Task<undefined> {
  readonly kind: 'verify-sections';
  readonly path: string;
}

/** Throws SnapshotError, see checkSections. */
export function verifySections({ path }: VerifySectionsTask): void {
  withFile(path, (fd) => checkGaps(fd, checkSections(fd).manifest));
}

/** Checks that the bytes between the slices of each section are zero. */
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
