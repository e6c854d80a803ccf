/**
 * Reading a snapshot piece by piece, so that verifying one takes memory for a piece and not for the file. (The server
 * maps files; here the mapped pages would count as this process's memory.)
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { decodeHeader, HEADER_BYTES, type Header } from '../../src/format/header.js';
import { decodeManifest, type Manifest, type Section } from '../../src/format/manifest.js';
import { SECTIONS, type SectionName } from '../../src/format/sections.js';
import { SnapshotError } from '../../src/format/snapshot-error.js';

/** Opens a file, hands it to `use` and closes it. Throws SnapshotError FILE_UNREADABLE. */
export function withFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openForReading(path);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

function openForReading(path: string): number {
  try {
    // Asked before opening: a named pipe would keep the opener waiting for a writer.
    if (!statSync(path).isFile()) throw new Error('it is no regular file');
    return openSync(path, 'r');
  } catch (error) {
    throw new SnapshotError('FILE_UNREADABLE', `to read ${path}`, (error as Error).message, 'check the path');
  }
}

/** Header and manifest, checked. Throws SnapshotError. */
export function readContents(fd: number): { header: Header; manifest: Manifest } {
  const info = fstatSync(fd);
  const header = decodeHeader(readBytes(fd, 0, Math.min(info.size, HEADER_BYTES)), info.size);
  const bytes = readBytes(fd, header.manifestOffset, header.manifestLength);
  return { header, manifest: decodeManifest(bytes, header) };
}

/** A whole section. */
export function readSection(fd: number, sections: readonly Section[], name: SectionName): Uint8Array {
  const { offset, length } = sections[SECTIONS.indexOf(name)] as Section;
  return readBytes(fd, offset, length);
}

/** Exactly `length` bytes from `offset`, in a buffer of their own. Throws SnapshotError FILE_TOO_SHORT. */
export function readBytes(fd: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  readInto(fd, offset, bytes);
  return bytes;
}

/** Fills `bytes` with what is in the file from `offset`. Throws SnapshotError FILE_TOO_SHORT. */
export function readInto(fd: number, offset: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), offset + done);
    if (count === 0) throw new SnapshotError('FILE_TOO_SHORT', `${bytes.length} bytes at ${offset}`, `${done} bytes`);
    done += count;
  }
}
