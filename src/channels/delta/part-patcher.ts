/**
 * Fetches deltas, and makes parts from them in their places. A part whose delta fails is fetched whole, over what the
 * delta made of it; the first failure is reported. Memory: the deltas that are being fetched, and one decoder.
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
import { DeltaDecoder, deltaInvalid } from './decode-delta.js';
import type { Base, Bases } from './find-bases.js';

/** Number of failures after which no delta is fetched any more: a host without them would be asked for each. */
const MAX_FAILURES = 3;

export class PartPatcher {
  readonly #decoder = new DeltaDecoder();
  #failures = 0;
  #firstFailure: string | undefined;
  /** Resolves when no part is being made. */
  #lastMade: Promise<unknown> = Promise.resolve();

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

  /**
   * Makes a part in its place in `fd` from its delta. False where it must be fetched whole. Throws the reason of the
   * signal, and what node:fs throws.
   */
  async patch(part: ReleasePart, fd: number): Promise<boolean> {
    const base = this.bases.find(part);
    if (base === undefined || part.delta === undefined || this.#failures >= MAX_FAILURES) return false;
    try {
      const delta = await this.#fetch(part.delta);
      await this.#runAlone(() => this.#make(delta, base, part, fd));
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
    const pieces = this.source.readInPieces(partPath(sha256), compressedBytes);
    if ((await expandPart(pieces, target)) === sha256) return delta;
    const found = `${partPath(sha256)} of ${this.source.name} has other bytes than its name says`;
    throw new ChannelError('PART_DAMAGED', found, 'copy it to the host again');
  }

  /** The decoder makes one part at a time. */
  async #runAlone(work: () => Promise<void>): Promise<void> {
    const made = this.#lastMade.then(work);
    this.#lastMade = made.catch(() => {});
    await made;
  }

  async #make(delta: Buffer, base: Base, { ranges, sha256 }: ReleasePart, fd: number): Promise<void> {
    const digest = createHash('sha256');
    const writer = new RangeWriter(fd, ranges);
    for (const piece of this.#decoder.decode(delta, base.fd, base.ranges, lengthOf(ranges))) {
      digest.update(piece);
      writer.write(piece);
      await nextRound(undefined, { signal: this.signal });
    }
    if (digest.digest('hex') !== sha256) throw deltaInvalid('a result with other bytes than the part');
  }
}
