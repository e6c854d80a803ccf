/** The server over the starter dataset, with a key store of its own: what the clients are tried on. */
import { dirname, join } from 'node:path';
import { readConfig } from '../../src/config.js';
import { type ServingProcess, startServing } from '../../src/serving/serving-process.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { buildStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { createKey } from '../fixtures/stored-key.js';

export interface ClientScene {
  readonly url: string;
  /** Of a plan without limits. */
  readonly key: string;
  /** Of a plan of one request a second and no burst. */
  readonly hastyKey: string;
  /** Of a plan that answers nothing. */
  readonly spentKey: string;
  stop(): Promise<void>;
}

const PLANS = JSON.stringify({
  free: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
  hasty: { requestsPerMonth: null, requestsPerSecond: 1, burst: 1 },
  spent: { requestsPerMonth: 0, requestsPerSecond: null, burst: null },
});

export async function createClientScene(): Promise<ClientScene> {
  const starter = await buildStarterSnapshot();
  const environment = { PLANS, KEYS_DIR: join(dirname(starter.path), 'keys'), PORT: '0', DRAIN_SECONDS: '1' };
  const keys: string[] = [];
  for (const plan of ['free', 'hasty', 'spent']) keys.push(await createKey(environment, plan));
  const [key = '', hastyKey = '', spentKey = ''] = keys;
  const serving: ServingProcess = await startServing(readConfig(environment), starter.path, silentLogger);
  return {
    url: `http://127.0.0.1:${serving.port}`,
    ...{ key, hastyKey, spentKey },
    async stop() {
      await serving.stop();
      starter.cleanup();
    },
  };
}
