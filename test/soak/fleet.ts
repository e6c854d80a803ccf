/** Machines that follow a channel: each a server that pulls it every second. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startServerProgram } from '../fixtures/server-program.js';
import { createStoredKey } from '../fixtures/stored-key.js';

export interface Machine {
  readonly port: number;
  /** An API key without limits. */
  readonly key: string;
  /** The release in service, by the server's own account. */
  release(): Promise<string>;
  /** What the server has logged. */
  log(): string;
  /** Ends the server; rejects unless it ends as a signal lets it. */
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
  const [cache, keysDir] = [join(folder, 'cache'), join(folder, 'keys')];
  mkdirSync(folder, { recursive: true });
  const key = await createStoredKey(keysDir);
  const server = startServerProgram('serve', {
    ...{ PORT: '0', ADMIN_PORT: '0', KEYS_DIR: keysDir, WORKERS: '1' },
    ...{ SNAPSHOT: address, SNAPSHOT_KEY: publicKey, SNAPSHOT_CACHE: cache, SNAPSHOT_EVERY: '1s' },
    PLANS: '{"free":{"requestsPerMonth":null,"requestsPerSecond":null,"burst":null}}',
  });
  try {
    const [line] = await server.waitFor(/^.*"msg":"listening".*\n/m);
    const { port, adminPort } = JSON.parse(line) as { port: number; adminPort: number };
    return {
      port,
      key,
      release: async () => await servedRelease(adminPort),
      log: server.stdout,
      async stop() {
        server.process.kill('SIGTERM');
        const code = await server.ended;
        if (code !== 0) throw new Error(`exit code ${code}: ${server.stderr()}`);
      },
    };
  } catch (error) {
    server.process.kill('SIGKILL');
    throw error;
  }
}

async function servedRelease(adminPort: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`, { signal: AbortSignal.timeout(10_000) });
  const { snapshot } = (await response.json()) as { snapshot: { release: string } };
  return snapshot.release;
}
