/**
 * Writes a snapshot file from front to back: the sections, then the manifest, and the header last. Keeps only the
 * manifest's entries in memory. The caller opens, names and closes the file. An incomplete file has no header, so no
 * reader accepts it. Every method throws SnapshotError FILE_TOO_LONG before the file gets longer than a server can
 * open.
 */

import { syncFile, writeWhole } from '../../src/base/durable-files.js';
import { alignUp } from '../../src/core/snapshot/array-bundle.js';
import { checksumOf } from '../../src/core/snapshot/checksum.js';
import { checkFileLength, encodeHeader, HEADER_BYTES } from '../../src/core/snapshot/header.js';
import { encodeManifest, type Manifest, type Section, type Slice } from '../../src/core/snapshot/manifest.js';
import { PAGE_BYTES, SECTIONS, type SectionName, SLICE_ALIGNMENT } from '../../src/core/snapshot/sections.js';

export class SnapshotWriter {
  private readonly sections: Section[] = [];
  private offset = 0;

  /** Writes to an empty file. */
  constructor(private readonly fd: number) {
    this.write(new Uint8Array(HEADER_BYTES));
  }

  /**
   * Starts the next section in the order of SECTIONS. `append` writes a slice, given in chunks, one after the
   * other (a chunk may use the memory of the one before), and returns its position in the section; `end` closes the section.
   */
  beginSection(name: SectionName): { append(chunks: Iterable<Uint8Array>): Slice; end(): void } {
    if (SECTIONS[this.sections.length] !== name) throw new Error(`${name} is not the next section`);
    this.padTo(PAGE_BYTES);
    const start = this.offset;
    let checksum = 0;
    const put = (bytes: Uint8Array): void => {
      this.write(bytes);
      checksum = checksumOf(bytes, checksum);
    };
    const append = (chunks: Iterable<Uint8Array>): Slice => {
      put(new Uint8Array(alignUp(this.offset - start, SLICE_ALIGNMENT) - (this.offset - start)));
      const offset = this.offset - start;
      for (const chunk of chunks) put(chunk);
      return { offset, length: this.offset - start - offset };
    };
    const end = (): void => {
      this.sections.push({ name, offset: start, length: this.offset - start, checksum });
    };
    return { append, end };
  }

  /** The sections written so far. */
  get writtenSections(): readonly Section[] {
    return this.sections;
  }

  /** Writes manifest and header. Returns the file's length in bytes. */
  finish(manifest: Omit<Manifest, 'sections'>): number {
    this.padTo(PAGE_BYTES);
    const manifestOffset = this.offset;
    const manifestBytes = encodeManifest({ ...manifest, sections: this.sections });
    this.write(manifestBytes);
    const header = encodeHeader({
      fileLength: this.offset,
      manifestOffset,
      manifestLength: manifestBytes.length,
      manifestChecksum: checksumOf(manifestBytes),
    });
    writeWhole(this.fd, header, 0);
    return this.offset;
  }

  /** Flushes the file to disk. */
  async sync(): Promise<void> {
    await syncFile(this.fd);
  }

  private padTo(alignment: number): void {
    this.write(new Uint8Array(alignUp(this.offset, alignment) - this.offset));
  }

  private write(bytes: Uint8Array): void {
    checkFileLength(this.offset + bytes.length);
    writeWhole(this.fd, bytes, this.offset);
    this.offset += bytes.length;
  }
}
