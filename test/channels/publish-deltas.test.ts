/** Publishing deltas: which parts have deltas, what prevents deltas, and what removes them. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pruneParts } from '../../build-index/publishing/prune-parts.js';
import { type PartsReport, publishParts } from '../../build-index/publishing/publish-parts.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { promote, rollBackChannel } from '../../build-index/publishing/write-channel.js';
import { DeltaDecoder } from '../../src/channels/delta/decode-delta.js';
import { encodeDelta } from '../../src/channels/delta/encode-delta.js';
import { readRanges, sha256OfRanges } from '../../src/channels/part-bytes.js';
import type { PartDelta, ReleasePart } from '../../src/channels/release-file.js';
import { type PlannedPart, planUncut } from '../../src/channels/snapshot-parts.js';
import { readContents, withFile } from '../../src/store/snapshot-reading.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { type ChannelScene, createChannelScene, failureOf, type ReleaseName } from './channel-scene.js';

let scene: ChannelScene;
const inParts = (path: string): string => join(scene.parts, path);
const pathOf = (name: ReleaseName): string => `releases/${scene.nameOf(name)}.json`;
const deltasOf = (name: ReleaseName): PartDelta[] => scene.release(name).parts.flatMap(({ delta }) => delta ?? []);
const fileOf = ({ sha256 }: Pick<PartDelta, 'sha256'>): string => inParts(`parts/${sha256}.br`);

/** Whether there are deltas, all against that release. */
const isComparedWith = (parts: readonly ReleasePart[], base: ReleaseName): boolean =>
  withFile(scene.source(base), (fd) => {
    const { header, manifest } = readContents(fd);
    const digests = planUncut(header, manifest).map(({ ranges }) => sha256OfRanges(fd, ranges));
    const deltas = parts.flatMap(({ delta }) => delta ?? []);
    return deltas.length > 0 && deltas.every((delta) => digests.includes(delta.base));
  });

beforeAll(async () => {
  scene = await createChannelScene();
  await scene.publish('one');
  await scene.pull();
  await scene.publish('three');
  scene.save();
});
beforeEach(() => scene.restore());
afterAll(() => scene?.remove());

describe('publish --parts', () => {
  test('writes deltas of parts that the release before has otherwise, each shorter than half its part', async () => {
    const { parts } = scene.release('three');
    const before = new Set(scene.release('one').parts.map(({ sha256 }) => sha256));
    expect(parts.filter(({ delta }) => delta !== undefined).length).toBeGreaterThan(3);
    for (const { sha256, compressedBytes, delta } of parts) {
      if (delta === undefined) continue;
      expect(before.has(sha256)).toBe(false);
      expect(delta.compressedBytes).toBe(statSync(fileOf(delta)).size);
      expect(delta.compressedBytes).toBeLessThanOrEqual(compressedBytes / 2);
    }
    expect(scene.release('one').parts.some(({ delta }) => delta !== undefined)).toBe(false);
  });

  test('to a new channel compares with the newest release, whichever channel names it', async () => {
    await scene.publish('two', 'next', true);
    const { parts, changes } = scene.release('two');
    expect(changes?.since).toBe(scene.nameOf('three'));
    expect(isComparedWith(parts, 'three')).toBe(true);
  });

  test('to a channel compares with the release that it names, also after a rollback', async () => {
    await rollBackChannel(scene.parts, 'stable', scene.key);
    await scene.publish('two', 'stable', true);
    const { parts, changes } = scene.release('two');
    expect(changes?.since).toBe(scene.nameOf('one'));
    expect(isComparedWith(parts, 'one')).toBe(true);
    // What a release has of deltas and changes stays as it is in every other channel.
    await promote(scene.parts, scene.nameOf('three'), 'next', scene.key);
    await scene.publish('two', 'next', true);
    expect(scene.release('two')).toEqual({ ...scene.release('two'), parts, changes });
  });

  test('a release twice writes nothing', async () => {
    const times = (): string[] =>
      readdirSync(scene.parts, { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(?:br|json|minisig)$/.test(name))
        .map((name) => `${name} ${statSync(inParts(name), { bigint: true }).ctimeNs}`);
    const before = times();
    expect(await scene.publish('three')).toMatchObject({ partsWritten: 0, deltasWritten: 0, deltaProblem: null });
    expect(times()).toEqual(before);
  });

  test.each<[string, () => string, RegExp]>([
    ['part', () => fileOf(scene.release('three').parts[0] as { sha256: string }), /HOST_FAILED: /],
    ['signature', () => inParts(`${pathOf('three')}.minisig`), /SIGNATURE_INVALID: /],
  ])('a damaged %s of the release before prevents only deltas and a list of changes', async (_, path, found) => {
    writeFileSync(path(), 'damaged');
    const error = await failureOf(scene.publish('two', 'stable', true));
    expect(error.message).toMatch(found);
    const report = await scene.publish('two');
    expect(report).toMatchObject({ changed: true, deltasWritten: 0 });
    expect(report.deltaProblem).toMatch(/^can't compare with three-/);
    expect(report.deltaProblem).toMatch(found);
    expect(deltasOf('two')).toEqual([]);
    await scene.pull();
    expect(scene.inService()).toBe('two');
  });

  /** Publishes "two" where writing deltas ends with the error that this code of the system stands for. */
  async function publishWith(code: string): Promise<PartsReport> {
    const fail = (step: string): void => {
      if (step === 'writing deltas') throw Object.assign(new Error(`${code}: write`), { code });
    };
    const options = { source: scene.source('two'), folder: scene.parts, channel: 'stable', key: scene.key };
    const check = checksumCheck(silentProgress);
    return await publishParts({ ...options, withChanges: false }, check, { ...silentProgress, start: fail });
  }

  test('a disk that is full prevents only deltas, and leaves no partial file', async () => {
    expect(await failureOf(publishWith('EIO'))).toMatchObject({ code: 'EIO' });
    const report = await publishWith('ENOSPC');
    expect(report).toMatchObject({ changed: true, deltaProblem: expect.stringMatching(/: ENOSPC: write$/) });
    const names = readdirSync(scene.parts, { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  test('prune removes the deltas of the releases that it removes, and no others', async () => {
    const earlier = deltasOf('three');
    await scene.publish('two');
    await scene.publish('one');
    await pruneParts(scene.parts, 1);
    expect(existsSync(inParts(pathOf('three')))).toBe(false);
    const kept = deltasOf('two');
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every((delta) => existsSync(fileOf(delta)))).toBe(true);
    const names = new Set(kept.map(({ sha256 }) => sha256));
    const gone = earlier.filter(({ sha256 }) => !names.has(sha256));
    expect(gone.length).toBeGreaterThan(0);
    expect(gone.some((delta) => existsSync(fileOf(delta)))).toBe(false);
  });
});

test('a part that is cut within its arrays has deltas, too', () => {
  withFile(scene.source('one'), (baseFd) =>
    withFile(scene.source('three'), (fd) => {
      const uncut = (file: number): Map<string, PlannedPart> => {
        const { header, manifest } = readContents(file);
        return new Map(planUncut(header, manifest).map((part) => [part.name, part]));
      };
      const decoder = new DeltaDecoder();
      const bases = uncut(baseFd);
      for (const part of uncut(fd).values()) {
        const base = bases.get(part.name) as PlannedPart;
        const bytes = readRanges(fd, part.ranges);
        for (let offset = 0; offset < bytes.length; offset += 1_000) {
          const length = Math.min(1_000, bytes.length - offset);
          const delta = encodeDelta({ ...part, fd }, { offset, length }, { ...base, fd: baseFd }) as Buffer;
          const made = Array.from(decoder.decode(delta, baseFd, base.ranges, length), (piece) => Buffer.from(piece));
          expect(Buffer.concat(made).equals(bytes.subarray(offset, offset + length))).toBe(true);
        }
      }
    }),
  );
});
