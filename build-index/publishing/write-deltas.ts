/**
 * Writes deltas of the parts of a snapshot that an earlier release does not have, so that machines with that release
 * fetch what changed in them. Memory: a part, its delta, and two arrays of its country for each processor.
 */
import { availableParallelism } from 'node:os';
import { encodeDelta, type UncutPart } from '../../src/channels/delta/encode-delta.js';
import { forEachConcurrently } from '../../src/channels/for-each-concurrently.js';
import { sha256OfRanges } from '../../src/channels/part-bytes.js';
import type { PartDelta, ReleaseFile, ReleasePart } from '../../src/channels/release-file.js';
import { lengthOf, planUncut, type Range } from '../../src/channels/snapshot-parts.js';
import { readContents } from '../../src/store/snapshot-reading.js';
import type { Progress } from '../reporting/progress.js';
import type { PartsWriter } from './parts-writer.js';

/** Maximum length of a delta as a share of the part's file: with a longer one a pull transfers hardly less. */
const MAX_SHARE = 0.5;

/** An open snapshot and its release. */
interface Snapshot {
  readonly fd: number;
  readonly parts: readonly ReleasePart[];
}

/**
 * The parts of a snapshot, with deltas of what an earlier snapshot has of them. Throws SnapshotError, or what node:fs
 * throws.
 */
export async function writeDeltas(
  { fd, parts }: Snapshot,
  earlier: Snapshot,
  writer: PartsWriter,
  progress: Progress,
): Promise<ReleasePart[]> {
  const there = new Set(earlier.parts.map(({ sha256 }) => sha256));
  const targets = uncutParts(fd);
  const bases = uncutParts(earlier.fd);
  const digests = new Map<string, string>();
  const digestOf = (base: UncutPart): string => {
    const digest = digests.get(base.name) ?? sha256OfRanges(base.fd, base.ranges);
    digests.set(base.name, digest);
    return digest;
  };
  const spans = spansOf(parts);
  const deltas = new Map<ReleasePart, PartDelta>();
  const changed = parts.filter(({ name, sha256 }) => !there.has(sha256) && bases.has(name));
  progress.start('writing deltas', changed.length);
  await forEachConcurrently(changed, availableParallelism(), async (part) => {
    const base = bases.get(part.name) as UncutPart;
    const delta = encodeDelta(targets.get(part.name) as UncutPart, spans.get(part) as Range, base);
    const written = delta && (await writer.writeDelta(delta, MAX_SHARE * part.compressedBytes));
    if (written !== undefined) deltas.set(part, { ...written, base: digestOf(base) });
    progress.step(part.name);
  });
  writer.sync();
  return withDeltas(parts, (part) => deltas.get(part));
}

/** The parts with the deltas that a file of the same release has: those are never made again. */
export function keepDeltas(parts: readonly ReleasePart[], published: ReleaseFile): ReleasePart[] {
  const deltas = new Map(published.parts.map(({ sha256, delta }) => [sha256, delta]));
  return withDeltas(parts, ({ sha256 }) => deltas.get(sha256));
}

function withDeltas(
  parts: readonly ReleasePart[],
  deltaOf: (part: ReleasePart) => PartDelta | undefined,
): ReleasePart[] {
  return parts.map((part) => {
    const delta = deltaOf(part);
    return delta === undefined ? part : { ...part, delta };
  });
}

function uncutParts(fd: number): Map<string, UncutPart> {
  const { header, manifest } = readContents(fd);
  return new Map(planUncut(header, manifest).map((part) => [part.name, { ...part, fd }]));
}

/** Where each part lies in the uncut part of its name. */
function spansOf(parts: readonly ReleasePart[]): Map<ReleasePart, Range> {
  const ends = new Map<string, number>();
  return new Map(
    parts.map((part) => {
      const span = { offset: ends.get(part.name) ?? 0, length: lengthOf(part.ranges) };
      ends.set(part.name, span.offset + span.length);
      return [part, span];
    }),
  );
}
