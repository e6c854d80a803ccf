/** A folder of channels, a loopback host that serves it, and the settings of programs that follow it. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promote } from '../../build-index/publishing/channel-folder.js';
import { publishRelease } from '../../build-index/publishing/publish-release.js';
import { checksumCheck } from '../../build-index/publishing/publish-snapshot.js';
import { createKeyFiles, parseSigningKey } from '../../src/releases/minisign.js';
import { buildFixtureSnapshot, createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentProgress } from '../fixtures/silent-progress.js';

export interface ChannelScene {
  /** What programs are told: SNAPSHOT, SNAPSHOT_KEY and SNAPSHOT_CACHE, which is a folder of its own for each name. */
  settings(cache: string): {
    readonly SNAPSHOT: string;
    readonly SNAPSHOT_KEY: string;
    readonly SNAPSHOT_CACHE: string;
  };
  /** The path of another public key than the publisher's. */
  readonly otherKey: string;
  readonly keysDir: string;
  /** Makes the channel name this release, which is built where it is a new one. */
  publish(release: string): Promise<void>;
  /** How the host answers: as it should, not at all, or with releases whose bytes never end. */
  answers: 'well' | 'refuses' | 'stalls';
  /** The paths that were asked for since the last look. */
  takeRequests(): string[];
  cleanup(): Promise<void>;
}

export async function createChannelScene(): Promise<ChannelScene> {
  const temporary = createTemporaryFolder();
  const inFolder = (name: string): string => join(temporary.path, name);
  const keys = createKeyFiles();
  writeFileSync(inFolder('places.key.pub'), keys.public);
  writeFileSync(inFolder('other.key.pub'), createKeyFiles().public);
  const key = parseSigningKey(keys.secret);
  const published = new Map<string, string>();
  let requests: string[] = [];
  const host = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const file = join(inFolder('hosted'), path.replace('/places', ''));
    if (scene.answers === 'refuses') response.destroy();
    else if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else {
      const bytes = readFileSync(file);
      const etag = `"${createHash('md5').update(bytes).digest('hex')}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else {
        response.writeHead(200, { etag, 'content-length': bytes.length });
        if (scene.answers === 'stalls' && path.endsWith('.br')) response.write(bytes.subarray(0, 1));
        else response.end(bytes);
      }
    }
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  const scene: ChannelScene = {
    settings: (cache) => ({
      SNAPSHOT: `${addressOf(host)}/places`,
      SNAPSHOT_KEY: inFolder('places.key.pub'),
      SNAPSHOT_CACHE: inFolder(cache),
    }),
    otherKey: inFolder('other.key.pub'),
    keysDir: inFolder('keys'),
    answers: 'well',
    async publish(release) {
      const known = published.get(release);
      if (known !== undefined) {
        await promote(inFolder('hosted'), known, 'stable', key);
        return;
      }
      const rows = { LI: [['9490', `Vaduz ${release}`, 'Oberland', '', '', 47.14, 9.52] as const] };
      const fixture = await buildFixtureSnapshot(rows as never, { releaseName: release });
      const options = { source: fixture.path, folder: inFolder('hosted'), channel: 'stable' };
      const report = await publishRelease(
        { ...options, key, withChanges: true },
        checksumCheck(silentProgress),
        silentProgress,
      );
      published.set(release, report.release);
      fixture.cleanup();
    },
    takeRequests() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async cleanup() {
      host.closeAllConnections();
      host.close();
      await once(host, 'close');
      temporary.remove();
    },
  };
  return scene;
}

function addressOf(host: Server): string {
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}
