/**
 * The server process on a snapshot of a whole release: all nine endpoints answer for every country with data, and the
 * process keeps within its bound of private memory, since the file is mapped and not copied. The file's own pages are
 * the system's cache and told beside it. The time to the first answer is not judged: other checks run at the same time.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { PlaceResource } from '../../src/core/snapshot/rendered-places.js';
import { startServer } from '../bench/programs.mjs';
import { createRandom } from '../fixtures/random.mjs';
import { buildsFolder, count, pick, printFigures, snapshotFile } from './world.js';

const PRIVATE_MEMORY_BOUND = 120_000_000;

test('the server stays within 120 MB of private memory over all endpoints', async () => {
  const folder = join(buildsFolder(), 'serving');
  mkdirSync(folder);
  const server = await startServer({ snapshot: snapshotFile('2026-03'), store: join(folder, 'keys') });
  try {
    const random = createRandom(5);
    const get = async <T>(path: string): Promise<T> => {
      const { status, body } = await server.get(path);
      expect(`${status} ${path}`).toBe(`200 ${path}`);
      requestCount++;
      return JSON.parse(body.toString()).data;
    };
    let requestCount = 0;
    const countries = await get<{ code: string }[]>('/v1/countries?hasPostcodes=true');
    expect(countries).toHaveLength(118);
    for (const { code } of countries) {
      const base = `/v1/countries/${code}`;
      const { stats } = await get<{ stats: { totalPlaces: number } }>(base);
      const page = 1 + Math.floor((random() * stats.totalPlaces) / 100);
      const { items } = await get<{ items: PlaceResource[] }>(`${base}/places?pageSize=100&page=${page}`);
      for (const { id, name, path, latitude, longitude } of Array.from({ length: 3 }, () => pick(random, items))) {
        await get(`${base}/places/${id}`);
        await get(`${base}/places/${id}/children`);
        await get(`${base}/resolve?path=${path}`);
        await get(`/v1/reverse?lat=${latitude}&lng=${longitude}&country=${code}`);
        if (name.length > 1) await get(`/v1/autocomplete?limit=25&q=${encodeURIComponent(name.slice(0, 4).trim())}`);
      }
      const leaf = items.find(({ postalCode }) => postalCode !== null);
      if (leaf !== undefined) await get(`${base}/postcodes/${encodeURIComponent(leaf.postalCode as string)}`);
    }
    const { ownBytes, snapshotBytes } = server.memory();
    printFigures(
      `server: first answer ${(server.startSeconds * 1000).toFixed(0)} ms after the spawn; after ` +
        `${count(requestCount)} requests ${megabytes(ownBytes)} of private memory beside ` +
        `${megabytes(snapshotBytes)} of the file's pages`,
    );
    expect(snapshotBytes).toBeGreaterThan(0);
    expect(ownBytes).toBeLessThan(PRIVATE_MEMORY_BOUND);
  } finally {
    await server.stop();
  }
});

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
