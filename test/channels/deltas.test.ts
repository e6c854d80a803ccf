/**
 * Pulling with deltas. Whatever is wrong with a delta or its base, the pull fetches the part whole, and puts the snapshot
 * in service that was published. What is wrong with a delta is said in one line.
 */
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { joinDelta, ListWriter } from '../../src/channels/delta/delta-layout.js';
import { Bases } from '../../src/channels/delta/find-bases.js';
import { compressPart, sha256Of } from '../../src/channels/part-bytes.js';
import type { PullReport } from '../../src/channels/pull.js';
import type { PartDelta, ReleasePart } from '../../src/channels/release-file.js';
import { answerWith, pourOut, stallAfter } from '../fixtures/file-server.js';
import {
  type ChannelScene,
  createChannelScene,
  failureOf,
  type HttpOptions,
  httpSource,
  type ReleaseName,
} from './channel-scene.js';
import { type HostileHost, startHostileHost } from './hostile-host.js';

const NEVER = new AbortController().signal;
let scene: ChannelScene;
let host: HostileHost;
const inParts = (path: string): string => join(scene.parts, path);
const pathOf = (name: ReleaseName): string => `releases/${scene.nameOf(name)}.json`;
const deltasOf = (name: ReleaseName): PartDelta[] => scene.release(name).parts.flatMap(({ delta }) => delta ?? []);
const fileOf = ({ sha256 }: Pick<PartDelta, 'sha256'>): string => inParts(`parts/${sha256}.br`);
const pullByHttp = (options: HttpOptions = {}) => scene.pull({ source: httpSource(host.url, options) });

beforeAll(async () => {
  scene = await createChannelScene();
  await scene.publish('one');
  await scene.pull();
  await scene.publish('three');
  scene.save();
  host = await startHostileHost(scene.parts);
});
beforeEach(() => {
  scene.restore();
  host.clear();
});
afterAll(async () => {
  await host?.stop();
  scene?.remove();
});

/** The pull brought the release, and none of its parts, or not all of them, by deltas, for a reason like `found`. */
function expectFallback(report: PullReport, found: RegExp): void {
  expect(scene.inService()).toBe('three');
  expect(scene.partials()).toEqual([]);
  expect(report.partsPatched).toBeLessThan(deltasOf('three').length);
  expect(report.deltaFailure).toMatch(/^the delta of [\w-]+ can't be used: [^\n]+$/);
  expect(report.deltaFailure).toMatch(found);
}

/** How many of the scene's snapshots this process has open; other files of the process come and go. */
function openSnapshots(): number {
  const files = ['one', 'two', 'three'].map((name) => scene.source(name as ReleaseName));
  const links = readdirSync('/proc/self/fd').map((fd) => `/proc/self/fd/${fd}`);
  // The folder of the links is open only while it is read.
  return links.filter((link) => existsSync(link) && files.includes(readlinkSync(link))).length;
}

test('snapshots without a base are not kept open: a folder may have more than a process may open', async () => {
  const { parts } = scene.release('three');
  const bases = new Bases();
  for (const name of ['two', 'three'] as const) await bases.add(scene.source(name), parts.slice(0, 1), NEVER);
  expect([openSnapshots(), bases.find(parts[0] as ReleasePart)]).toEqual([0, undefined]);
  await bases.add(scene.source('one'), parts, NEVER);
  expect([openSnapshots(), bases.find(parts[0] as ReleasePart)]).toEqual([1, expect.anything()]);
  bases.close();
  expect(openSnapshots()).toBe(0);
});

describe('pull', () => {
  test('fetches deltas and no whole part that has one', async () => {
    const { parts } = scene.release('three');
    let [total, fetched] = [0, 0];
    const onTransfer = (event: { total: number } | { fetched: number }): void => {
      if ('total' in event) total = event.total;
      else fetched += event.fetched;
    };
    const report = await scene.pull({ source: httpSource(host.url), onTransfer });
    expect(report).toMatchObject({ partsPatched: deltasOf('three').length, deltaFailure: null });
    expect([report.bytesFetched, report.bytesFetched]).toEqual([total, fetched]);
    const asked = new Set(host.requests.map(({ path }) => inParts(path)));
    for (const { delta, ...part } of parts) {
      if (delta !== undefined) expect([asked.has(fileOf(delta)), asked.has(fileOf(part))]).toEqual([true, false]);
    }
    expect(scene.inService()).toBe('three');
  });

  test('of a release without deltas, or into an empty folder, fetches whole parts', async () => {
    rmSync(scene.served, { recursive: true });
    expect(await pullByHttp()).toMatchObject({ partsPatched: 0, deltaFailure: null });
    expect(scene.inService()).toBe('three');
  });

  test('with other snapshots than the deltas are of fetches whole parts, but of those that did not change', async () => {
    await scene.publish('two');
    rmSync(scene.served, { recursive: true });
    await scene.pull();
    await scene.publish('one', 'next');
    // Of three's deltas, that of AD alone is of something that two has.
    await scene.publish('three');
    const report = await pullByHttp();
    expect(report).toMatchObject({ partsPatched: 1, deltaFailure: null });
    expect(report.partsFetched).toBeGreaterThan(1);
    expect(scene.inService()).toBe('three');
  });

  test('where a byte of the base is wrong fetches whole parts', async () => {
    const path = join(scene.served, `${scene.nameOf('one')}.snapshot`);
    const bytes = readFileSync(path);
    const at = bytes.indexOf('Canillo');
    bytes[at] = (bytes[at] as number) ^ 1;
    rmSync(path);
    writeFileSync(path, bytes);
    const report = await pullByHttp();
    expect(report).toMatchObject({ partsPatched: deltasOf('three').length - 1, deltaFailure: null });
    expect(scene.inService()).toBe('three');
  });

  test('goes on where it stopped, with deltas for the rest', async () => {
    host.fault(/^parts\//, answerWith(404), 1000);
    expect((await failureOf(pullByHttp())).code).toBe('HOST_FAILED');
    expect(scene.inService()).toBe('one');
    host.clear();
    expect(await pullByHttp()).toMatchObject({ deltaFailure: null, partsPatched: deltasOf('three').length });
    expect(scene.inService()).toBe('three');
  });
});

describe('a delta', () => {
  test('that is missing', async () => {
    for (const delta of deltasOf('three')) rmSync(fileOf(delta));
    expectFallback(await pullByHttp(), /HOST_FAILED: .* status 404/);
    expect(host.requests.length).toBeLessThan(30);
  });

  test('with a wrong byte', async () => {
    const [delta] = deltasOf('three');
    const path = fileOf(delta as PartDelta);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(path, bytes);
    const report = await pullByHttp();
    expectFallback(report, /PART_DAMAGED: .* other bytes than its name says/);
    expect(report.partsPatched).toBe(deltasOf('three').length - 1);
  });

  test.each([
    ['never comes', stallAfter(0)],
    ['stops half-way', stallAfter(20)],
    ['never ends', pourOut('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1_000))],
    ['is moved to an endless chain', answerWith(302, { location: '/places/x' })],
  ])('that %s', async (_, fault) => {
    const [delta] = deltasOf('three') as [PartDelta];
    host.fault(new RegExp(`^parts/${delta.sha256}`), fault);
    expectFallback(await pullByHttp({ stallMs: 500, retries: 2 }), /HOST_FAILED: /);
  });

  /** Puts these bytes in place of the delta of AD, signed by the publisher. */
  async function replaceDelta(bytes: Buffer, fields: Partial<PartDelta> = {}): Promise<void> {
    const compressed = await compressPart(bytes);
    const delta = { sha256: sha256Of(bytes), bytes: bytes.length, compressedBytes: compressed.length, ...fields };
    writeFileSync(fileOf(delta), compressed);
    scene.sign(pathOf('three'), (file) => {
      const part = (file.parts as { name: string; delta?: PartDelta }[]).find(({ name }) => name === 'AD');
      Object.assign(part?.delta as PartDelta, delta);
    });
  }

  function deltaOf(...steps: number[]): Buffer {
    const list = new ListWriter();
    for (const step of steps) list.writeVarint(step);
    return joinDelta({ steps: list.bytes, corrections: Buffer.alloc(0), literals: Buffer.alloc(0) });
  }

  test.each<[string, () => Buffer, Partial<PartDelta>, RegExp]>([
    ['of nothing', () => Buffer.alloc(0), {}, /DELTA_INVALID/],
    ['of zeros', () => Buffer.alloc(100), {}, /DELTA_INVALID/],
    ['with a copy from behind the base', () => deltaOf(2 * 20, 2 * 2 ** 32, 8 * 20), {}, /DELTA_INVALID/],
    ['that makes more than the part', () => deltaOf(2 * 2 ** 30, 0, 8 * 2 ** 30), {}, /DELTA_INVALID/],
    ['that makes less than the part', () => deltaOf(2 * 20, 0, 8 * 20), {}, /DELTA_INVALID/],
    ['that expands to more than the release says', () => Buffer.alloc(1 << 20), { bytes: 100 }, /PART_DAMAGED/],
    ['that expands to less', () => Buffer.alloc(100), { bytes: 1 << 20 }, /PART_DAMAGED/],
    ['with another digest', () => Buffer.alloc(100), { sha256: '0'.repeat(64) }, /PART_DAMAGED/],
  ])('%s, of a publisher', async (_, bytes, fields, found) => {
    await replaceDelta(bytes(), fields);
    expectFallback(await pullByHttp(), found);
  });

  test('that makes other bytes, of a publisher', async () => {
    const part = scene.release('three').parts.find(({ name }) => name === 'AD');
    const length = part?.ranges.reduce((sum, range) => sum + range.length, 0) as number;
    await replaceDelta(deltaOf(2 * length, 0, 8 * length));
    expectFallback(await pullByHttp(), /DELTA_INVALID: a delta has a result with other bytes than the part/);
  });
});
