/**
 * Checks an lmdb data file before lmdb maps it into memory: lmdb trusts the file, and a foreign or truncated file ends
 * the process with SIGSEGV, SIGBUS or SIGFPE instead of an error. The check needs both meta pages, their version, and
 * the roots of both trees inside the file. A healthy file always passes, even while another process writes it, since a
 * file never shrinks and a root is written before the meta page that names it. Damage deeper in the trees is not found.
 * The check costs three small reads.
 *
 *     page 0                        page 1
 *     ┌────────┬───────┬──────      ┌────────┬───────┬──────
 *     │ header │ meta  │            │ header │ meta  │
 *     └────────┴───────┴──────      └────────┴───────┴──────
 *     0        24                   one page
 *
 *     byte of a page   24 stamp u32   28 version u32   48 page size u32   88, 136 tree roots u64
 *
 * Little-endian throughout. Source: `MDB_meta` in the mdb.c of the lmdb package.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const META_BYTES = 144;
const STAMP = 0xbeefc0de;
const VERSION = 2;
const ROOT_OFFSETS = [88, 136];
const NO_ROOT = 0xffff_ffff_ffff_ffffn;

/** The damage in a few words, or undefined if none was found. An empty file is a new one. */
export function findDataFileDamage(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size === 0) return undefined;
    const first = readMeta(file, 0);
    if (first === undefined) return 'it is no lmdb data file';
    if ((first.readUInt32LE(28) & 0xffff) !== VERSION) return 'another version of lmdb wrote it';
    const pageBytes = first.readUInt32LE(48);
    // A wrong page size shows here too: there is no meta page at that offset.
    const second = pageBytes === 0 ? undefined : readMeta(file, pageBytes);
    if (second === undefined) return 'its second meta page is missing';
    // The size is read after the meta pages: the roots that they name were written before them.
    const pageCount = BigInt(Math.floor(fstatSync(file).size / pageBytes));
    const roots = [first, second].flatMap((meta) => ROOT_OFFSETS.map((offset) => meta.readBigUInt64LE(offset)));
    return roots.some((root) => root !== NO_ROOT && root >= pageCount) ? 'it was cut short' : undefined;
  } finally {
    closeSync(file);
  }
}

/** The start of the page at `position`; undefined if it is not a meta page. */
function readMeta(file: number, position: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  const isWhole = readSync(file, bytes, 0, META_BYTES, position) === META_BYTES;
  return isWhole && bytes.readUInt32LE(24) === STAMP ? bytes : undefined;
}
