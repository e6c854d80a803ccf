/**
 * Fetches deltas, and makes parts of them in their places. What fails is told once, and such parts are fetched whole: a
 * part that was half made is written over. Memory: the deltas that are being fetched, and one decoder.
 */
import { createHash } from 'node:crypto';
import { setImmediate as nextRound } from 'node:timers/promises';
import { SnapshotError } from '../../format/snapshot-error.js';
import { ChannelError } from '../channel-error.js';
import { partPath } from '../channel-paths.js';
import type { ChannelSource } from '../channel-source.js';
import { expandPart, RangeWriter } from '../part-bytes.js';
import type { PartDelta, ReleasePart } from '../release-file.js';
import { lengthOf } from '../snapshot-parts.js';
import { DeltaDecoder } from './decode-delta.js';
import type { Base, Bases } from './find-bases.js';

/** Number of failures after which no delta is fetched any more: a host without them would be asked for each. */
const MAX_FAILURES = 3;

export class PartPatcher {
  readonly #decoder = new DeltaDecoder();
  #failures = 0;
  #firstFailure: string | undefined;
  #lastTurn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly source: ChannelSource,
    private readonly bases: Bases,
    private readonly signal: AbortSignal,
  ) {}

  /** Why the first delta could not be used; null where all could. */
  get failure(): string | null {
    return this.#firstFailure ?? null;
  }

  /** The number of bytes that the part will take: those of its delta, or its own. */
  bytesToFetch(part: ReleasePart): number {
    return this.bases.find(part) === undefined ? part.compressedBytes : (part.delta?.compressedBytes as number);
  }

  /** Makes a part in its place in `fd` from its delta. False where it must be fetched whole. */
  async patch(part: ReleasePart, fd: number): Promise<boolean> {
    const base = this.bases.find(part);
    if (base === undefined || part.delta === undefined || this.#failures >= MAX_FAILURES) return false;
    try {
      const delta = await this.#fetch(part.delta);
      await this.#inTurn(() => this.#make(delta, base, part, fd));
      return true;
    } catch (error) {
      // A full disk, for one, ends the whole part too.
      if (!(error instanceof ChannelError || error instanceof SnapshotError)) throw error;
      this.signal.throwIfAborted();
      this.#failures++;
      this.#firstFailure ??= `the delta of ${part.name} can't be used: ${error.message.replace(/\s+/g, ' ')}`;
      return false;
    }
  }

  async #fetch({ sha256, bytes, compressedBytes }: PartDelta): Promise<Buffer> {
    const delta = Buffer.allocUnsafe(bytes);
    let length = 0;
    const target = {
      write(piece: Uint8Array): boolean {
        if (length + piece.length > bytes) return false;
        delta.set(piece, length);
        length += piece.length;
        return true;
      },
      get isFull(): boolean {
        return length === bytes;
      },
    };
    const found = await expandPart(this.source.readInPieces(partPath(sha256), compressedBytes), target);
    if (found === sha256) return delta;
    throw damaged(`${partPath(sha256)} of ${this.source.name} has other bytes than its name says`);
  }

  /** One after the other: the decoder makes one part at a time. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => {});
    await turn;
  }

  async #make(delta: Buffer, base: Base, { ranges, sha256 }: ReleasePart, fd: number): Promise<void> {
    const digest = createHash('sha256');
    const writer = new RangeWriter(fd, ranges);
    for (const piece of this.#decoder.decode(delta, base.fd, base.ranges, lengthOf(ranges))) {
      digest.update(piece);
      writer.write(piece);
      await nextRound(undefined, { signal: this.signal });
    }
    if (digest.digest('hex') !== sha256) throw damaged('it makes other bytes than the part has');
  }
}

function damaged(found: string): ChannelError {
  return new ChannelError('PART_DAMAGED', found, 'copy the file to the host again');
}
