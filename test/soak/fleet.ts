/** Machines that follow a channel: each a folder that is pulled every second, and a server of that folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { compiled } from '../fixtures/program.js';
import { startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';
import { waitUntil } from '../fixtures/wait-until.js';

export interface Machine {
  readonly port: number;
  /** An API key without limits. */
  readonly key: string;
  /** The release in service, by the server's own account. */
  release(): Promise<string>;
  /** What the puller has written. */
  log(): string;
  /** Ends both processes; rejects unless both end as a signal lets them. */
  stop(): Promise<void>;
}

export interface MachineOptions {
  /** Everything of the machine lies in here. */
  readonly folder: string;
  /** Of the channel. */
  readonly address: string;
  /** The path of the public key. */
  readonly publicKey: string;
}

/** Resolves when the server listens. */
export async function startMachine({ folder, address, publicKey }: MachineOptions): Promise<Machine> {
  const [served, keysDir] = [join(folder, 'served'), join(folder, 'keys')];
  mkdirSync(folder, { recursive: true });
  const puller = startPuller(['pull', address, '--to', served, '--key', publicKey, '--every', '1s', '--json']);
  try {
    await waitUntil('the first pull', () => puller.log().includes('pulled another release'));
    const key = await createStoredKey(keysDir);
    const server = startServerProgram('serve', {
      ...{ PORT: '0', ADMIN_PORT: '0', SNAPSHOT: served, KEYS_DIR: keysDir, WORKERS: '1' },
      PLANS: '{"free":{"requestsPerMonth":null,"requestsPerSecond":null,"burst":null}}',
    });
    try {
      const [line] = await server.waitFor(/^.*"msg":"listening".*\n/m);
      const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
      return {
        port,
        key,
        release: async () => await servedRelease(adminPort),
        log: puller.log,
        async stop() {
          server.process.kill('SIGTERM');
          puller.process.kill('SIGTERM');
          const codes = [await server.ended, await puller.ended];
          if (codes.some((code) => code !== 0)) throw new Error(`exit codes ${codes}: ${server.stderr()}`);
        },
      };
    } catch (error) {
      server.process.kill('SIGKILL');
      throw error;
    }
  } catch (error) {
    puller.process.kill('SIGKILL');
    throw error;
  }
}

async function servedRelease(adminPort: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const { snapshot } = (await response.json()) as { snapshot: { release: string } };
  return snapshot.release;
}

function startPuller(args: readonly string[]): {
  readonly process: ChildProcess;
  readonly ended: Promise<number | null>;
  log(): string;
} {
  const child = spawn(process.execPath, [compiled(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  }
  return { process: child, ended: once(child, 'exit').then(([code]) => code as number | null), log: () => text };
}
