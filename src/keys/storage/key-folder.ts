/**
 * The folder of the embedded key store: created for its owner only, and checked before lmdb maps its file, so that a
 * problem is a KeyStoreError with a remedy instead of a crash.
 */

import { accessSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExpectedError, messageOf } from '../../base/errors.js';
import { FileLock } from '../../base/file-lock.js';
import { makeFolder } from '../../base/make-folder.js';
import { KeyStoreError } from './key-store-error.js';

/*
 * Checks an lmdb data file before lmdb maps it into memory: lmdb trusts the file, and a damaged one ends the process by
 * a signal, without a word, at the first use of what is damaged. The check reads all pages of the trees that the newer
 * meta page names, and requires all that lmdb relies on: that each page says its own number and is used once, that all
 * nodes lie inside their pages, their keys in order, and that no free page is in use. Damage inside a record's text is not
 * found. What the check costs is in docs/keys.md.
 *
 *     page 0                        page 1                   page 2 and on
 *     ┌────────┬───────┬──────      ┌────────┬───────┬──     ┌────────┬─────────┬┈┈┈┈┬───────────────┐
 *     │ header │ meta  │            │ header │ meta  │       │ header │ offsets │    │ nodes         │
 *     └────────┴───────┴──────      └────────┴───────┴──     └────────┴─────────┴┈┈┈┈┴───────────────┘
 *     0        24                   one page                 0        24        lower upper      one page
 *
 *     header    0 page u64   8 transaction u64   18 flags u16   20 lower u16, 22 upper u16, both from byte 24 on, or
 *               20 page count u32 of an overflow page
 *     meta      24 stamp u32   28 version u32   48 tree of free pages   96 main tree   144 last page u64
 *               152 transaction u64
 *     tree      0 page size u32, in the first tree   4 flags u16   6 depth u16   40 root u64
 *     node      0 child's page u48, or 0 value bytes u32, 4 flags u16   6 key bytes u16   8 key, value
 *     overflow  0 page u64   8 transaction u64   16 page count u64: the value of a node whose value is elsewhere
 *
 * The main tree holds the trees of the tables. A value in the tree of free pages is a list of u64: their number, then
 * pages; a negative number n makes the next one a run of -n pages, a zero is nothing. Little-endian throughout. Source:
 * `MDB_meta`, `MDB_page` and `MDB_node` in the mdb.c of the lmdb package.
 */

const HEADER_BYTES = 24;
const META_BYTES = 160;
const STAMP = 0xbeefc0de;
const VERSION = 2;
const [FREE_TREE, MAIN_TREE] = [48, 96];
const NO_ROOT = 0xffff_ffff_ffff_ffffn;
const TREE_BYTES = 48;
const NODE_BYTES = 8;
const OVERFLOW_BYTES = 24;
/** Flags of pages, of which others say nothing about the content. */
const [BRANCH, LEAF, OVERFLOW, PAGE_KINDS] = [1, 2, 4, 0x6f];
/** Flags of nodes: the value is elsewhere, or a tree. */
const [IS_ELSEWHERE, IS_TREE] = [1, 2];
/** The flags of a tree with keys that are numbers; of its other flags, lmdb keeps options of the file in the high byte. */
const [NUMBER_KEYS, TREE_FLAGS] = [8, 0xff];

/** The damage in a few words, or undefined if none was found. An empty file is a new one, unless keys were counted. */
export function findDataFileDamage(path: string): string | undefined {
  const fd = openSync(path, 'r');
  try {
    if (fstatSync(fd).size === 0) return hasCounts(dirname(path)) ? 'it is empty, but keys were counted' : undefined;
    const first = readMeta(fd, 0);
    if (first === undefined) return 'it is no lmdb data file';
    if ((first.readUInt32LE(28) & 0xffff) !== VERSION) return 'another version of lmdb wrote it';
    const pageBytes = first.readUInt32LE(FREE_TREE);
    // A wrong page size shows here too: there is no meta page at that offset.
    const second = pageBytes === 0 ? undefined : readMeta(fd, pageBytes);
    if (second === undefined) return 'its second meta page is missing';
    // lmdb takes both from the newer one.
    const hasOneSize = second.readUInt32LE(FREE_TREE) === pageBytes;
    const hasSameFlags = second.readUInt16LE(FREE_TREE + 4) === first.readUInt16LE(FREE_TREE + 4);
    if (!hasOneSize || !hasSameFlags) return 'its meta pages are not of one file';
    const newer = first.readBigUInt64LE(152) < second.readBigUInt64LE(152) ? second : first;
    new DataFileCheck(fd, pageBytes, newer).run();
    return undefined;
  } catch (error) {
    if (error instanceof Damage) return error.message;
    throw error;
  } finally {
    closeSync(fd);
  }
}

function hasCounts(folder: string): boolean {
  const file = statSync(join(folder, USAGE_FILE), { throwIfNoEntry: false });
  return file !== undefined && file.size > USAGE_HEADER_BYTES;
}

/** The start of the page at `position`; undefined if it is not a meta page. */
function readMeta(fd: number, position: number): Buffer | undefined {
  const bytes = Buffer.alloc(META_BYTES);
  const isWhole = readSync(fd, bytes, 0, META_BYTES, position) === META_BYTES;
  return isWhole && bytes.readUInt32LE(24) === STAMP ? bytes : undefined;
}

class Damage extends Error {}

/** Throws Damage. */
function check(isSound: boolean, found: string): asserts isSound {
  if (!isSound) throw new Damage(found);
}

/** A node of a leaf. */
interface Leaf {
  readonly key: Buffer;
  readonly flags: number;
  /** The bytes of the value, or undefined where it is on overflow pages. */
  readonly value: Buffer | undefined;
  /** The first overflow page, and the value's length, in bytes. */
  readonly overflowPage: number;
  readonly valueBytes: number;
}

/** Whether `key` may follow `earlier`. */
type KeyOrder = (earlier: Buffer, key: Buffer, mayEqual: boolean) => boolean;

class DataFileCheck {
  /** Of the whole file. */
  readonly #pageCount: number;
  /** The number of pages that the meta page counts; the file lacks the last ones if these are free. */
  readonly #knownCount: number;
  readonly #transaction: bigint;
  /** 1 for each page in use. */
  readonly #used: Uint8Array;

  constructor(
    private readonly fd: number,
    private readonly pageBytes: number,
    private readonly meta: Buffer,
  ) {
    // The size is read after the meta pages: the pages that they name were written before them.
    this.#pageCount = Math.floor(fstatSync(fd).size / pageBytes);
    this.#knownCount = Number(meta.readBigUInt64LE(144)) + 1;
    this.#transaction = meta.readBigUInt64LE(152);
    this.#used = new Uint8Array(this.#pageCount).fill(1, 0, 2);
  }

  run(): void {
    this.#checkTree(this.meta.subarray(MAIN_TREE, MAIN_TREE + TREE_BYTES), 0, inBytes, ({ flags, value }) => {
      if ((flags & IS_TREE) === 0) return;
      check(value?.length === TREE_BYTES, 'a table in it is no tree');
      this.#checkTree(value, 0, inBytes, ({ flags }) => check((flags & IS_TREE) === 0, 'a record in it is a tree'));
    });
    const lists: Buffer[] = [];
    const freeTree = this.meta.subarray(FREE_TREE, FREE_TREE + TREE_BYTES);
    this.#checkTree(freeTree, NUMBER_KEYS, inNumbers, (leaf) => {
      check(leaf.key.length === 8 && leaf.key.readBigUInt64LE() <= this.#transaction, 'its free pages are damaged');
      lists.push(leaf.value === undefined ? this.#readOverflow(leaf) : Buffer.from(leaf.value));
    });
    const freeCount = lists.reduce((sum, list) => sum + this.#checkFreePages(list), 0);
    check(this.#knownCount <= this.#pageCount + freeCount, 'it was cut short');
  }

  /** Visits the records whose nodes have flags, and all records of the tree of free pages. */
  #checkTree(tree: Buffer, flags: number, order: KeyOrder, visit: (leaf: Leaf) => void): void {
    check((tree.readUInt16LE(4) & TREE_FLAGS) === flags, 'a tree in it is of another kind');
    const root = tree.readBigUInt64LE(40);
    if (root === NO_ROOT) return;
    let earlier: Buffer | undefined;
    let mayEqual = false;
    const follow = (key: Buffer, isBranch: boolean): void => {
      check(earlier === undefined || order(earlier, key, mayEqual), 'its keys are not in order');
      earlier = key;
      // The key of a branch is at most the first one of its leaves.
      mayEqual = isBranch;
    };
    const descend = (page: number, depth: number): void => {
      const isLeaf = depth === 1;
      const bytes = this.#readPage(page, isLeaf ? LEAF : BRANCH);
      const offsets = this.#nodesOf(bytes, page);
      // The buffer of a branch is needed until all pages below have been read.
      for (const [index, offset] of offsets.entries()) {
        const keyBytes = bytes.readUInt16LE(offset + 6);
        const key = bytes.subarray(offset + NODE_BYTES, offset + NODE_BYTES + keyBytes);
        if (isLeaf) {
          check(keyBytes > 0, `page ${page} is damaged`);
          follow(key, false);
          if (flags === NUMBER_KEYS || bytes.readUInt16LE(offset + 4) !== 0) visit(this.#readLeaf(bytes, offset, key));
        } else {
          if (index > 0) follow(key, true);
          descend(bytes.readUIntLE(offset, 6), depth - 1);
        }
      }
    };
    descend(Number(root), Math.min(tree.readUInt16LE(6), MOST_LEVELS + 1));
  }

  /** The bytes of a page, which must be of this kind and not have been read before. */
  #readPage(page: number, kind: number): Buffer {
    this.#use(page, 1);
    const bytes = Buffer.allocUnsafe(this.pageBytes);
    readSync(this.fd, bytes, 0, this.pageBytes, page * this.pageBytes);
    this.#checkHeader(bytes, page, kind);
    return bytes;
  }

  /** Throws Damage where one of the pages lies outside of the file or is in use. */
  #use(page: number, count: number): void {
    check(page + count <= Math.min(this.#pageCount, this.#knownCount), 'it was cut short');
    for (let used = page; used < page + count; used++) {
      check(this.#used[used] === 0, `page ${used} is used twice`);
      this.#used[used] = 1;
    }
  }

  /** A page of a later transaction would be written to where it is mapped for reading only. */
  #checkHeader(header: Buffer, page: number, kind: number): void {
    const isSound =
      header.readBigUInt64LE() === BigInt(page) &&
      header.readBigUInt64LE(8) <= this.#transaction &&
      (header.readUInt16LE(18) & PAGE_KINDS) === kind;
    check(isSound, `page ${page} is damaged`);
  }

  /** Where the nodes of the page begin. Each node lies inside the page, and they fill it to its end. */
  #nodesOf(bytes: Buffer, page: number): number[] {
    const [lower, upper] = [HEADER_BYTES + bytes.readUInt16LE(20), HEADER_BYTES + bytes.readUInt16LE(22)];
    check(lower <= upper && upper <= bytes.length && lower % 2 === 0, `page ${page} is damaged`);
    const isLeaf = (bytes.readUInt16LE(18) & LEAF) !== 0;
    const offsets: number[] = [];
    let filled = upper;
    for (let at = HEADER_BYTES; at < lower; at += 2) {
      const offset = HEADER_BYTES + bytes.readUInt16LE(at);
      check(offset >= upper && offset % 2 === 0 && offset + NODE_BYTES <= bytes.length, `page ${page} is damaged`);
      const nodeBytes = NODE_BYTES + bytes.readUInt16LE(offset + 6) + (isLeaf ? inPlaceBytes(bytes, offset) : 0);
      check(offset + nodeBytes <= bytes.length, `page ${page} is damaged`);
      filled += nodeBytes + (nodeBytes % 2);
      offsets.push(offset);
    }
    check(offsets.length > 0 && filled === bytes.length, `page ${page} is damaged`);
    return offsets;
  }

  #readLeaf(bytes: Buffer, offset: number, key: Buffer): Leaf {
    const [valueBytes, flags] = [bytes.readUInt32LE(offset), bytes.readUInt16LE(offset + 4)];
    check((flags & ~(IS_ELSEWHERE | IS_TREE)) === 0, 'a record in it is of another kind');
    const start = offset + NODE_BYTES + key.length;
    if ((flags & IS_ELSEWHERE) === 0) {
      return { key, flags, value: bytes.subarray(start, start + valueBytes), overflowPage: 0, valueBytes };
    }
    const page = Number(bytes.readBigUInt64LE(start));
    const count = Number(bytes.readBigUInt64LE(start + 16));
    check(bytes.readBigUInt64LE(start + 8) <= this.#transaction, `page ${page} is damaged`);
    check(count * this.pageBytes >= HEADER_BYTES + valueBytes, `page ${page} is damaged`);
    this.#use(page, count);
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(this.fd, header, 0, HEADER_BYTES, page * this.pageBytes);
    this.#checkHeader(header, page, OVERFLOW);
    check(header.readUInt32LE(20) === count, `page ${page} is damaged`);
    return { key, flags, value: undefined, overflowPage: page, valueBytes };
  }

  #readOverflow({ overflowPage, valueBytes }: Leaf): Buffer {
    const bytes = Buffer.alloc(valueBytes);
    readSync(this.fd, bytes, 0, valueBytes, overflowPage * this.pageBytes + HEADER_BYTES);
    return bytes;
  }

  /** Returns the number of free pages in a list. */
  #checkFreePages(list: Buffer): number {
    const length = list.length % 8 === 0 && list.length > 0 ? Number(list.readBigUInt64LE()) : Number.NaN;
    check(8 * (length + 1) <= list.length, 'its free pages are damaged');
    let total = 0;
    for (let index = 1; index <= length; index++) {
      let page = Number(list.readBigInt64LE(8 * index));
      let count = 1;
      if (page < 0) {
        count = -page;
        // The length of a run may be the last number: the next list has its page.
        page = index < length ? Number(list.readBigInt64LE(8 * ++index)) : 0;
      }
      if (page === 0) continue;
      check(page > 1 && page + count <= this.#knownCount, 'its free pages are damaged');
      for (let free = page; free < Math.min(page + count, this.#pageCount); free++) {
        check(this.#used[free] === 0, `page ${free} is free and in use`);
      }
      total += count;
    }
    return total;
  }
}

/** Number of levels of a tree that lmdb can walk. */
const MOST_LEVELS = 32;

/** The bytes of a leaf's node behind its key. */
function inPlaceBytes(bytes: Buffer, offset: number): number {
  return (bytes.readUInt16LE(offset + 4) & IS_ELSEWHERE) === 0 ? bytes.readUInt32LE(offset) : OVERFLOW_BYTES;
}

function inBytes(earlier: Buffer, key: Buffer, mayEqual: boolean): boolean {
  const order = earlier.compare(key);
  return order < 0 || (mayEqual && order === 0);
}

function inNumbers(earlier: Buffer, key: Buffer, mayEqual: boolean): boolean {
  if (earlier.length !== 8 || key.length !== 8) return false;
  const [before, after] = [earlier.readBigUInt64LE(), key.readBigUInt64LE()];
  return before < after || (mayEqual && before === after);
}

/** API keys and all other records, kept by lmdb; a change is on disk before it is confirmed. */
export const RECORDS_FILE = 'keys.mdb';
/** The requests counted of each key; on disk within a second. */
export const USAGE_FILE = 'usage.bin';
/** Of the file of counts without a key. */
export const USAGE_HEADER_BYTES = 64;
/** The visitors of publishable keys; made by the first request of such a key, and worth no backup. */
export const VISITORS_FILE = 'visitors.bin';
/** Empty: its lock is the lock of the folder. */
const LOCK_FILE = 'turn.lock';

/** Creates the folder, unless it must exist, and checks that its files may be used. Throws KeyStoreError. */
export function prepareKeyFolder(path: string, mustExist: boolean): void {
  if (mustExist && !existsSync(join(path, RECORDS_FILE))) {
    const remedy = 'keys create makes one; look at KEYS_DIR and --store';
    throw new KeyStoreError('KEY_STORE_INACCESSIBLE', `there is no key store in ${path}`, remedy);
  }
  orInaccessible(path, () => {
    makeFolder(dirname(path));
    makeFolder(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const file of [RECORDS_FILE, `${RECORDS_FILE}-lock`, USAGE_FILE, VISITORS_FILE, LOCK_FILE]) {
      if (existsSync(join(path, file))) accessSync(join(path, file), constants.R_OK | constants.W_OK);
    }
  });
}

/**
 * Checks the file of the records before lmdb maps it. Another process may change the file meanwhile, which can look like
 * damage: only what is found under the lock is. Rejects with KeyStoreError.
 */
export async function requireSoundRecords(path: string, lock: FileLock, limitMs: number): Promise<void> {
  const file = join(path, RECORDS_FILE);
  const findDamage = (): string | undefined => {
    return existsSync(file) ? orInaccessible(file, () => findDataFileDamage(file)) : undefined;
  };
  const found = findDamage() && (await lock.hold(limitMs, findDamage));
  if (found === undefined) return;
  const remedy = `stop its servers, move the folder away, and bring back your last export: postal-places keys import --store ${path} FILE`;
  throw new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${file} can't be used, ${found}`, remedy);
}

/**
 * The lock of a key folder. Processes that share the folder hold it for each read, count and change: microseconds, or
 * one write to disk. lmdb's own lock is not enough: a process that opens lmdb's files while another process writes
 * resets the number of the last transaction, and the next write replaces an earlier one. On Windows a key folder must
 * not be shared. What lmdb and node:fs throw under the lock becomes a KeyStoreError.
 */
export class FolderLock extends FileLock {
  /** For openFolderLock. */
  constructor(private readonly folder: string) {
    super(join(folder, LOCK_FILE), 0o600, (why) => {
      if (why === 'held') {
        const remedy = 'look for a process that was stopped while it used the store';
        return new KeyStoreError('KEY_STORE_FAILED', `${join(folder, LOCK_FILE)} is locked by another process`, remedy);
      }
      const remedy = 'KEYS_DIR must be a folder on a disk of this machine';
      return new KeyStoreError('KEY_STORE_INACCESSIBLE', `the file system of ${folder} can't lock files`, remedy);
    });
  }

  override hold<T>(limitMs: number, work: () => T): Promise<T> {
    return super.hold(limitMs, () => orFailed(this.folder, work));
  }
}

/** Throws KeyStoreError. */
export function openFolderLock(path: string): FolderLock {
  return orInaccessible(path, () => new FolderLock(path));
}

/** Runs calls of lmdb or node:fs. Their errors, except ExpectedErrors, become KeyStoreErrors. */
export function orFailed<T>(path: string, call: () => T): T {
  return guard(call, (cause) => failure(path, cause));
}

/** A call of lmdb or node:fs failed. */
export function failure(path: string, cause: unknown): KeyStoreError {
  const remedy = 'look for a full disk or a failing device, then try again';
  return new KeyStoreError('KEY_STORE_FAILED', `the key store ${path} failed (${messageOf(cause)})`, remedy, cause);
}

/** The same for calls that open something of the folder. */
export function orInaccessible<T>(path: string, call: () => T): T {
  const remedy = 'KEYS_DIR must be a folder that the user of this process, the same as the server, may write';
  return guard(call, (cause) => {
    const found = `the key store ${path} is not accessible (${messageOf(cause)})`;
    return new KeyStoreError('KEY_STORE_INACCESSIBLE', found, remedy, cause);
  });
}

/** The store at `path` contains damaged data. */
export function damagedEntry(path: string, found: string, cause?: unknown): KeyStoreError {
  const remedy = 'put a copy from your backup in its place, or move it away to start without keys';
  return new KeyStoreError('KEY_STORE_DAMAGED', `the key store ${path} holds ${found}`, remedy, cause);
}

function guard<T>(call: () => T, wrap: (cause: unknown) => KeyStoreError): T {
  try {
    return call();
  } catch (error) {
    if (error instanceof ExpectedError) throw error;
    throw wrap(error);
  }
}
