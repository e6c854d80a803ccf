/**
 * Looks at an lmdb data file before lmdb does, because lmdb maps it into memory and trusts it: a file that is
 * something else, or that was cut short, would end the process with a signal instead of an error. What is checked is
 * each meta page's stamp and version, the page size, and that the roots of both trees lie within the file; a healthy
 * file never fails this, even while another process writes it, since a file never shrinks and a root is written
 * before the meta page that names it. Damage deeper in the trees is not looked for. It costs four small reads.
 *
 *     page 0                                  page 1
 *     ┌────────┬───────┬────────┬───────┐     ┌────────┬───────┬────
 *     │ header │ meta  │ header │ meta  │     │ header │ meta  │
 *     └────────┴───────┴────────┴───────┘     └────────┴───────┴────
 *     0        24      half a page            one page
 *
 *     byte of a header and its meta   24 stamp u32   28 version u32   48 page size u32   88, 136 tree roots u64
 *
 * Little-endian throughout. The meta page in the middle of page 0 is there only in some files. Source: `MDB_meta` in
 * the mdb.c that the lmdb package brings with it.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const META_BYTES = 144;
const STAMP = 0xbeefc0de;
const VERSION = 2;
const ROOT_OFFSETS = [88, 136];
const NO_ROOT = 0xffff_ffff_ffff_ffffn;
const SMALLEST_PAGE_BYTES = 256;
const LARGEST_PAGE_BYTES = 65_536;

/** What is wrong with the file, in a few words, or undefined where nothing was found; an empty file is a new one. */
export function findDataFileDamage(path: string): string | undefined {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size === 0) return undefined;
    const first = readMeta(file, 0);
    if (first === undefined || !isStamped(first)) return 'it is no lmdb data file';
    if ((first.readUInt32LE(28) & 0xffff) !== VERSION) return 'another version of lmdb wrote it';
    const pageBytes = first.readUInt32LE(48);
    if (pageBytes < SMALLEST_PAGE_BYTES || pageBytes > LARGEST_PAGE_BYTES || (pageBytes & (pageBytes - 1)) !== 0) {
      return `its page size is ${pageBytes}`;
    }
    const last = readMeta(file, pageBytes);
    if (last === undefined || !isStamped(last)) return 'its second meta page is missing';
    const middle = readMeta(file, pageBytes / 2);
    const metas = middle !== undefined && isStamped(middle) ? [first, middle, last] : [first, last];
    // The size is taken after the metas: what they name was written before them.
    const pageCount = BigInt(Math.floor(fstatSync(file).size / pageBytes));
    const isCut = metas.some((meta) => ROOT_OFFSETS.some((offset) => liesBeyond(meta, offset, pageCount)));
    return isCut ? 'it was cut short' : undefined;
  } finally {
    closeSync(file);
  }
}

function readMeta(file: number, position: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  return readSync(file, bytes, 0, META_BYTES, position) === META_BYTES ? bytes : undefined;
}

function isStamped(meta: Buffer): boolean {
  return meta.readUInt32LE(24) === STAMP;
}

function liesBeyond(meta: Buffer, rootOffset: number, pageCount: bigint): boolean {
  const root = meta.readBigUInt64LE(rootOffset);
  return root !== NO_ROOT && root >= pageCount;
}
