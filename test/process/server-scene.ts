/** A folder of two published snapshots, a key, and servers on them; every name tells its release. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishSnapshot } from '../../build-index/publishing/publish-snapshot.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { flipCurrent } from '../../src/releases/folder/published-folder.js';
import { buildFixtureSnapshot, createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type ProgramLimits, type ServerProgram, startServerProgram } from '../fixtures/server-program.js';
import { silentProgress } from '../fixtures/silent-progress.js';
import { createStoredKey } from '../fixtures/stored-key.js';
import { waitUntil } from '../fixtures/wait-until.js';

export interface Scene {
  /** Where `current` lies. */
  readonly folder: string;
  /** The file names of the two releases, `one` and `two`. */
  readonly one: string;
  readonly two: string;
  readonly key: string;
  /** Starts a server that serves the folder, and waits until it listens. */
  start(environment?: Record<string, string | undefined>, limits?: ProgramLimits): Promise<Server>;
  /** Lets `current` point to this file, in one step. */
  flip(name: string): void;
  /** Stops every server that was started. */
  stopAll(): Promise<void>;
  cleanup(): Promise<void>;
}

export interface Server {
  readonly program: ServerProgram;
  readonly port: number;
  /** The answer of the operators' server to a path: status and text. */
  admin(path: string): Promise<{ status: number; text: string }>;
  /** Waits until the operators' server answers `/readyz` so. */
  untilReady(isSo: (report: ReadyReport) => boolean): Promise<ReadyReport>;
}

export interface ReadyReport {
  readonly status: string;
  readonly snapshot?: { readonly release: string };
  readonly refused?: { readonly path: string; readonly reason: string } | null;
  readonly damaged?: { readonly path: string; readonly reason: string } | null;
  readonly workers: { readonly expected: number; readonly serving: number; readonly answering: number };
}

/** Longer than any drain. */
const STOP_LIMIT_MS = 30_000;

/** Rejects where it does not end by itself, and ends it. */
async function stopProgram(program: ServerProgram): Promise<void> {
  let isStuck = false;
  const limit = setTimeout(() => {
    isStuck = true;
    program.process.kill('SIGKILL');
  }, STOP_LIMIT_MS);
  program.process.kill('SIGTERM');
  await program.ended;
  clearTimeout(limit);
  if (isStuck) throw new Error(`a server did not end within ${STOP_LIMIT_MS} ms of SIGTERM: ${program.stdout()}`);
}

export async function createScene(): Promise<Scene> {
  const temporary = createTemporaryFolder();
  const folder = join(temporary.path, 'snapshots');
  const keysDir = join(temporary.path, 'keys');
  mkdirSync(folder);
  const publish = async (release: string): Promise<string> => {
    const rows = { LI: [['9490', `Vaduz ${release}`, 'Oberland', '', '', 47.14, 9.52] as const] };
    const fixture = await buildFixtureSnapshot(rows as never, { releaseName: release });
    const { name } = await publishSnapshot(fixture.path, folder, checksumCheck(silentProgress), silentProgress);
    fixture.cleanup();
    return name;
  };
  const flip = (name: string): void => flipCurrent(folder, name);
  const [one, two] = [await publish('one'), await publish('two')];
  flip(one);
  const key = await createStoredKey(keysDir);
  let programs: ServerProgram[] = [];
  const stopAll = async (): Promise<void> => {
    const stopping = programs;
    programs = [];
    await Promise.all(stopping.map(stopProgram));
  };
  return {
    folder,
    one,
    two,
    key,
    flip,
    async start(environment = {}, limits = {}) {
      const variables = {
        PORT: '0',
        ADMIN_PORT: '0',
        SNAPSHOT: folder,
        KEYS_DIR: keysDir,
        PLANS: '{"free":{"requestsPerMonth":null,"requestsPerSecond":null,"burst":null}}',
        ...environment,
      };
      const program = startServerProgram('serve', variables, limits);
      programs.push(program);
      const [line] = await program.waitFor(/^.*"msg":"listening".*\n/m);
      const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
      const admin: Server['admin'] = async (path) => {
        const response = await fetch(`http://127.0.0.1:${adminPort}${path}`, {
          signal: AbortSignal.timeout(5_000),
        });
        return { status: response.status, text: await response.text() };
      };
      return {
        program,
        port,
        admin,
        untilReady: (isSo) =>
          waitUntil('readiness', async () => {
            const report = JSON.parse((await admin('/readyz')).text) as ReadyReport;
            return isSo(report) && report;
          }),
      };
    },
    stopAll,
    async cleanup() {
      await stopAll();
      temporary.remove();
    },
  };
}

/** A damaged copy of a published snapshot, under a name of its own: one byte in the middle is another. */
export function publishDamaged(scene: Scene, bytes: Buffer): string {
  const name = 'bad-00000000deadbeef.snapshot';
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(join(scene.folder, name), bytes);
  return name;
}
