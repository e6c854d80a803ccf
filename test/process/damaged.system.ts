/** What is served turns out to be damaged, or is damaged while it is served: real servers, alone and with workers. */
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { damageStructure, manifestOf } from '../fixtures/damage.js';
import { waitUntil } from '../fixtures/wait-until.js';
import { createScene, publishDamaged, type Scene, type Server } from './server-scene.js';

/** One page: what lies behind it ends the process that reads it from its mapping. */
const TRUNCATED_BYTES = 4_096;

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
beforeEach(() => scene.flip(scene.one));
afterEach(() => scene?.stopAll());
afterAll(() => scene?.cleanup());

const pathOf = (name: string): string => join(scene.folder, name);

/** A published snapshot that opens and answers every question, with a byte between its sections that is not zero. */
function publishRotten(): string {
  const bytes = readFileSync(pathOf(scene.one));
  const [first] = manifestOf(bytes).sections;
  bytes.writeUInt8(1, (first?.offset ?? 0) + (first?.length ?? 0));
  const name = 'bad-00000000deadbeef.snapshot';
  writeFileSync(pathOf(name), bytes);
  return name;
}

/** A snapshot that agrees with its checksums and does not open. */
function withoutPostcodes(bytes: Uint8Array): Uint8Array {
  return damageStructure(bytes, 'postcode-index', 'LI', (arrays) => {
    for (const array of Object.values(arrays)) array.fill(0);
  });
}

/** What the damage of a name leaves: no JSON. */
const RAW_BYTES = '~~RAW~BYTES';

/** Damages the name of the only place, as a failing disk does: nothing tells of a write. */
function damageUnseen(file: string, modified: Date): void {
  const name = '"Vaduz two"';
  const at = readFileSync(file).indexOf(name);
  const fd = openSync(file, 'r+');
  writeSync(fd, RAW_BYTES.padEnd(name.length, '~'), at);
  closeSync(fd);
  utimesSync(file, modified, modified);
}

async function statusOf({ port }: Server, query = ''): Promise<number> {
  const headers = { 'x-api-key': scene.key, connection: 'close' };
  // A connection that is on its way to a worker when that dies is never answered.
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`http://127.0.0.1:${port}/v1/countries/LI/postcodes/9490${query}`, { headers, signal });
  await response.arrayBuffer();
  return response.status;
}

/** Asks until all workers have met what is not there any more. */
async function untilNobodyServes(server: Server): Promise<void> {
  await waitUntil('nobody to serve', async () => {
    await statusOf(server).catch(() => {});
    return (await server.admin('/readyz')).status === 503;
  });
}

describe.each(['1', '2'])('a server of WORKERS %s', (workers) => {
  test('that starts on a damaged one goes to the newest whole one, says so, and refuses one that does not open', async () => {
    const bad = publishRotten();
    scene.flip(bad);
    const server = await scene.start({ WORKERS: workers });
    const report = await server.untilReady(({ refused }) => refused !== null);
    expect(report).toMatchObject({ status: 'degraded', damaged: null, refused: { path: pathOf(bad) } });
    expect(report.refused?.reason).toMatch(/zeros/);
    expect(['one', 'two']).toContain(report.snapshot?.release);
    expect((await server.admin('/readyz')).status).toBe(200);
    await server.program.waitFor(/the snapshot in service is damaged/);
    expect(server.program.stdout().match(/the snapshot in service is damaged/g)).toHaveLength(1);
    scene.flip(scene.two);
    await server.untilReady(({ status, snapshot }) => status === 'ready' && snapshot?.release === 'two');
    rmSync(pathOf(bad));

    // Whole, as its checksums say: nothing changes, and no worker ends.
    const shut = 'shut-00000000deadbeef.snapshot';
    writeFileSync(pathOf(shut), withoutPostcodes(readFileSync(pathOf(scene.two))));
    scene.flip(shut);
    const next = await server.untilReady(({ refused }) => refused?.path === pathOf(shut));
    expect(next).toMatchObject({ status: 'degraded', snapshot: { release: 'two' } });
    expect(next.refused?.reason).toMatch(/^STRUCTURE_INVALID/);
    const metrics = (await server.admin('/metrics')).text;
    expect(metrics).toContain('postal_places_worker_restarts_total 0\n');
    expect(metrics).toContain('postal_places_snapshot_refused 1\n');
    // The log may come a little later than the answer.
    await server.program.waitFor(/shut-.*the snapshot was refused/);
    expect(server.program.stdout().match(/shut-.*the snapshot was refused/g)).toHaveLength(1);
    expect(await statusOf(server)).toBe(200);
    rmSync(pathOf(shut));

    const flipped = publishDamaged(scene, readFileSync(pathOf(scene.two)));
    scene.flip(flipped);
    const last = await server.untilReady(({ refused }) => refused?.path === pathOf(flipped));
    expect(last.refused?.reason).toMatch(/checksum/);
    rmSync(pathOf(flipped));
  });

  test('without another snapshot, keeps serving the damaged one and logs it; an answer that fails has the next one checked', async () => {
    const file = join(scene.folder, '..', 'rotten.snapshot');
    const modified = new Date('2026-01-01T00:00:00Z');
    renameSync(pathOf(publishRotten()), file);
    const server = await scene.start({ WORKERS: workers, SNAPSHOT: file });
    const report = await server.untilReady(({ damaged }) => damaged !== null);
    expect(report).toMatchObject({ status: 'degraded', refused: null, damaged: { path: file } });
    expect((await server.admin('/readyz')).status).toBe(200);
    expect((await server.admin('/metrics')).text).toContain('postal_places_snapshot_damaged 1\n');
    expect(await statusOf(server)).toBe(200);
    await server.program.waitFor(/the snapshot in service is damaged/);
    expect(server.program.stdout().match(/the snapshot in service is damaged/g)).toHaveLength(1);
    // A file that is swapped in has been checked before.
    copyFileSync(pathOf(scene.two), `${file}.new`);
    utimesSync(`${file}.new`, modified, modified);
    renameSync(`${file}.new`, file);
    await server.untilReady(({ status, damaged }) => status === 'ready' && damaged === null);
    expect((await server.admin('/metrics')).text).toContain('postal_places_snapshot_damaged 0\n');

    damageUnseen(file, modified);
    expect(await statusOf(server)).toBe(200);
    expect(JSON.parse((await server.admin('/readyz')).text)).toMatchObject({ status: 'ready', damaged: null });
    expect(await statusOf(server, '?format=csv')).toBe(500);
    const { status, damaged } = await server.untilReady(({ damaged }) => damaged !== null);
    await waitUntil(
      'the second line',
      () => server.program.stdout().match(/the snapshot in service is damaged/g)?.length === 2,
    );
    const told = new RegExp(
      `^damaged or wrong: postal-places verify ${file} says where; SECTION_DAMAGED.*; fetch or build`,
    );
    expect([status, damaged]).toEqual(['degraded', { path: file, reason: expect.stringMatching(told) }]);
    expect(server.program.stdout() + server.program.stderr()).not.toContain(RAW_BYTES);
    expect(await statusOf(server, '?format=csv')).toBe(500);
    expect((await server.admin('/metrics')).text).toContain('postal_places_worker_restarts_total 0\n');
  });

  test('whose current snapshot does not even open starts from the newest whole one', async () => {
    const bad = publishRotten();
    truncateSync(pathOf(bad), TRUNCATED_BYTES);
    scene.flip(bad);
    const server = await scene.start({ WORKERS: workers });
    const report = await server.untilReady(({ refused }) => refused !== null);
    expect(report).toMatchObject({ status: 'degraded', refused: { path: pathOf(bad) } });
    expect(await statusOf(server)).toBe(200);
    rmSync(pathOf(bad));
  });
});

describe('a file that gets shorter while two workers serve it', () => {
  test('ends them, and the first good one that is renamed into its place is served', async () => {
    const file = join(scene.folder, '..', 'places.snapshot');
    copyFileSync(pathOf(scene.one), file);
    const server = await scene.start({ WORKERS: '2', SNAPSHOT: file });
    truncateSync(file, TRUNCATED_BYTES);
    await untilNobodyServes(server);
    await server.program.waitFor(/SIGBUS/);
    writeFileSync(`${file}.new`, withoutPostcodes(readFileSync(pathOf(scene.two))));
    renameSync(`${file}.new`, file);
    await server.program.waitFor(/no worker starts from it: SNAPSHOT: STRUCTURE_INVALID/);
    // For a minute the workers are the first process's affair; the rest of the rule is in admin-server.test.ts.
    expect(await server.admin('/healthz')).toMatchObject({
      status: 200,
      text: expect.stringMatching(/"nobody serves"/),
    });
    copyFileSync(pathOf(scene.two), `${file}.new`);
    renameSync(`${file}.new`, file);
    await server.untilReady(({ status, snapshot }) => status === 'ready' && snapshot?.release === 'two');
    expect(await statusOf(server)).toBe(200);
  });
});
