/** Another snapshot is put into service under load, and taken back; bad ones are in damaged.system.ts. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mappedSnapshotCount } from '../fixtures/process-figures.mjs';
import { waitUntil } from '../fixtures/wait-until.js';
import { startClients } from './clients.js';
import { createScene, type Scene, type Server } from './server-scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene?.cleanup());

const serves = (release: string) => (report: { status: string; snapshot?: { release: string } }) =>
  report.status === 'ready' && report.snapshot?.release === release;

describe.each(['1', '2'])('a server of WORKERS %s', (workers) => {
  let server: Server;
  beforeAll(async () => {
    scene.flip(scene.one);
    server = await scene.start({ WORKERS: workers });
  });
  afterAll(() => scene?.stopAll());

  test('changes back and forth; every request is answered by one snapshot', async () => {
    const clients = startClients(server.port, scene.key, 8);
    for (let round = 0; round < 3; round++) {
      scene.flip(scene.two);
      await server.untilReady(serves('two'));
      scene.flip(scene.one);
      server.program.process.kill('SIGHUP');
      await server.untilReady(serves('one'));
    }
    const { byRelease, mixed, failed, turnedAway } = await clients.stop();
    expect([mixed, failed, turnedAway]).toEqual([[], [], []]);
    expect([...byRelease.keys()].sort()).toEqual(['one', 'two']);
    const answered = [...byRelease.values()].reduce((sum, count) => sum + count, 0);
    const route = 'route="/v1/countries/:country/postcodes/:postcode"';
    let text = '';
    // A worker that stands still for seconds answers with the next question.
    await waitUntil('every request to be counted', async () => {
      ({ text } = await server.admin('/metrics'));
      return text.includes(`postal_places_http_requests_total{${route},status="200"} ${answered}\n`);
    });
    expect(text).toContain('postal_places_snapshot_swaps_total{outcome="served"} 6\n');
    expect(text).toMatch(/^postal_places_snapshot_info\{release="one",id="[0-9a-f]{16}"\} 1$/m);
    expect(text).toContain(`postal_places_key_decisions_total{outcome="allowed"} ${answered}\n`);
    if (workers === '1') {
      const pid = server.program.process.pid as number;
      await waitUntil('the earlier mappings to go', () => mappedSnapshotCount(pid) === 1);
    }
  });
});
