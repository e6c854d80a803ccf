/**
 * A release as a static host has it, "releases/<name>.json": what its snapshot consists of, so that a machine fetches
 * only the parts that it lacks. Immutable and signed.
 */
import { MAX_SNAPSHOT_BYTES } from '../format/header.js';
import { MAX_CHANGES_BYTES, MAX_HEADER_BYTES } from '../format/release-changes.js';
import { parsePublishedName, publishedName } from '../snapshots/snapshot-folder.js';
import { ChannelError } from './channel-error.js';
import { MAX_DELTA_BYTES } from './delta/delta-layout.js';
import { MAX_PART_BYTES, type PlannedPart, type Range } from './snapshot-parts.js';

export interface ReleasePart extends PlannedPart {
  /** SHA-256 of the bytes before compression, hexadecimal; the name of the part's file. */
  readonly sha256: string;
  /** Length of the part's file, in bytes. */
  readonly compressedBytes: number;
  /** For machines with an earlier release: a file that is shorter than the part's. Undefined where there is none. */
  readonly delta?: PartDelta;
}

/** A file of the folder of parts from which the part is made, see delta-layout.ts. */
export interface PartDelta {
  /** SHA-256 of the delta before compression, hexadecimal; the name of its file. */
  readonly sha256: string;
  /** Length of the delta before compression, and of its file. */
  readonly bytes: number;
  readonly compressedBytes: number;
  /** SHA-256 of the delta's base: all parts of the same name of an earlier release, one behind the other. */
  readonly base: string;
}

/** The list of what changed since the release before, "releases/<name>.changes.ndjson". */
export interface ReleaseChanges {
  /** The name of the release before. */
  readonly since: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Of this file: its ranges are offsets in the list. */
  readonly parts: readonly ReleasePart[];
}

export interface ReleaseFile {
  /** The snapshot's file name without its ending: "2026-03-7289fc5e39d3cc7e". */
  readonly name: string;
  readonly release: string;
  /** See Snapshot. */
  readonly id: string;
  readonly formatVersion: number;
  /** The newest date of the data, "2026-03-01"; null if the snapshot has none. */
  readonly sourceDate: string | null;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
  readonly counts: { readonly countries: number; readonly places: number; readonly postcodes: number };
  /** Length of the snapshot and SHA-256 of its bytes. */
  readonly bytes: number;
  readonly sha256: string;
  readonly changes: ReleaseChanges | null;
  /** In the order in which they are written. Bytes in no part are zero. */
  readonly parts: readonly ReleasePart[];
}

/** Maximum length of a release's file in bytes: 4 MiB, thirty times that of the world. */
export const MAX_RELEASE_FILE_BYTES = 4 << 20;
/** Maximum length of a part's file in bytes. */
const MAX_COMPRESSED_BYTES = 16_000_000;
/** Maximum length of a list of changes in bytes. */
const MAX_CHANGES_FILE_BYTES = MAX_HEADER_BYTES + MAX_CHANGES_BYTES;
const MAX_PARTS = 10_000;
const MAX_RANGES = 1_000;

const ENDING = '.snapshot';

/** The name of a release; undefined if the name that it was built with can't be part of a file name. */
export function releaseName(release: string, id: string): string | undefined {
  return publishedName({ release, id })?.slice(0, -ENDING.length);
}

/** The name of the snapshot's file. */
export function snapshotName(name: string): string {
  return name + ENDING;
}

export function isPublishedRelease(name: unknown): name is string {
  return typeof name === 'string' && parsePublishedName(snapshotName(name)) !== undefined;
}

export function encodeReleaseFile(file: ReleaseFile): string {
  const { changes, parts } = file;
  const encoded = changes && { ...changes, parts: changes.parts.map(encodePart) };
  return `${JSON.stringify({ ...file, changes: encoded, parts: parts.map(encodePart) }, null, 1)}\n`;
}

/** Ranges as pairs of numbers: they are half of the file. */
function encodePart({ ranges, ...part }: ReleasePart): object {
  return { ...part, ranges: ranges.map(({ offset, length }) => [offset, length]).join(' ') };
}

/**
 * Reads and checks a release's file: whoever follows it writes within the snapshot's length, and nothing twice. Fields
 * that this version does not know are ignored. Throws ChannelError FILE_INVALID.
 */
export function parseReleaseFile(text: string, name: string): ReleaseFile {
  const file = parseObject(text, `releases/${name}.json`) as Record<keyof ReleaseFile, unknown>;
  const fault = findFault(file, name);
  if (fault !== undefined) throw fileInvalid(`releases/${name}.json`, fault);
  const { changes } = file as { changes: { parts: unknown } | null };
  const checked = {
    ...file,
    changes: changes && { ...changes, parts: decodeParts(changes.parts) },
    parts: decodeParts(file.parts),
  } as unknown as ReleaseFile;
  const misplaced = findMisplaced(checked) ?? (checked.changes === null ? undefined : findMisplaced(checked.changes));
  if (misplaced !== undefined) throw fileInvalid(`releases/${name}.json`, misplaced);
  return checked;
}

/** Of parts that isPart has checked. */
function decodeParts(parts: unknown): ReleasePart[] {
  return (parts as readonly Record<string, unknown>[]).map((part) => {
    return { ...part, ranges: parseRanges(part.ranges) ?? [] } as unknown as ReleasePart;
  });
}

function findFault(file: Record<keyof ReleaseFile, unknown>, name: string): string | undefined {
  const published = parsePublishedName(snapshotName(name));
  const hasName = file.name === name && file.release === published?.release && file.id === published?.id;
  if (!hasName) return 'it is of another release';
  if (!isCount(file.formatVersion, 1_000)) return 'formatVersion';
  if (file.sourceDate !== null && !isText(file.sourceDate, 40)) return 'sourceDate';
  if (!isText(file.publishedAt, 40) || Number.isNaN(Date.parse(file.publishedAt))) return 'publishedAt';
  if (!isCount(file.bytes, MAX_SNAPSHOT_BYTES)) return 'bytes';
  if (!isDigest(file.sha256)) return 'sha256';
  if (file.changes !== null && !isChanges(file.changes)) return 'changes';
  if (!isCounts(file.counts)) return 'counts';
  return findBadPart(file.parts);
}

function findBadPart(parts: unknown): string | undefined {
  if (!Array.isArray(parts) || parts.length > MAX_PARTS) return 'parts';
  const bad = parts.findIndex((part) => !isPart(part));
  return bad === -1 ? undefined : `part ${bad}`;
}

function isCounts(value: unknown): boolean {
  const { countries, places, postcodes } = (value ?? {}) as Record<string, unknown>;
  return [countries, places, postcodes].every((count) => isCount(count, 2 ** 32));
}

function isChanges(value: unknown): boolean {
  const { since, sha256, bytes, parts } = (value ?? {}) as Record<string, unknown>;
  return (
    isPublishedRelease(since) &&
    isDigest(sha256) &&
    isCount(bytes, MAX_CHANGES_FILE_BYTES) &&
    findBadPart(parts) === undefined
  );
}

function isPart(value: unknown): boolean {
  const { name, sha256, compressedBytes, ranges, delta } = (value ?? {}) as Record<string, unknown>;
  const parsed = parseRanges(ranges);
  return (
    isText(name, 40) &&
    (delta === undefined || isDelta(delta)) &&
    isDigest(sha256) &&
    isCount(compressedBytes, MAX_COMPRESSED_BYTES) &&
    parsed !== undefined &&
    parsed.reduce((sum, { length }) => sum + length, 0) <= MAX_PART_BYTES
  );
}

function isDelta(value: unknown): boolean {
  const { sha256, bytes, compressedBytes, base } = (value ?? {}) as Record<string, unknown>;
  return (
    isDigest(sha256) &&
    isCount(bytes, MAX_DELTA_BYTES) &&
    isCount(compressedBytes, MAX_COMPRESSED_BYTES) &&
    isDigest(base)
  );
}

/** "0,4096 8192,100"; undefined for anything else. */
function parseRanges(text: unknown): Range[] | undefined {
  if (typeof text !== 'string' || !/^\d{1,10},\d{1,10}(?: \d{1,10},\d{1,10})*$/.test(text)) return undefined;
  const ranges = text.split(' ').map((pair) => {
    const [offset, length] = pair.split(',').map(Number) as [number, number];
    return { offset, length };
  });
  return ranges.length <= MAX_RANGES ? ranges : undefined;
}

/** Ranges outside the snapshot, or over one another. */
function findMisplaced({ parts, bytes }: Pick<ReleaseFile, 'parts' | 'bytes'>): string | undefined {
  const ranges = parts.flatMap((part) => part.ranges).sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const { offset, length } of ranges) {
    if (length === 0 || offset < end || offset + length > bytes) return `the range ${offset},${length}`;
    end = offset + length;
  }
  return undefined;
}

export function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

export function isCount(value: unknown, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}

export function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value.length <= maxLength;
}

/** Throws ChannelError FILE_INVALID unless `text` is an object of JSON. */
export function parseObject(text: string, path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fileInvalid(path, 'no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fileInvalid(path, 'no object of JSON');
  return value;
}

export function fileInvalid(path: string, found: string): ChannelError {
  return new ChannelError('FILE_INVALID', `${path} is not as it must be: ${found}`, 'publish the release again');
}
