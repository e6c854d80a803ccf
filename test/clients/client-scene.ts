/** The server over the starter dataset, with a key store of its own: what the clients are tried on. */

import { join } from 'node:path';
import { readProgramSettings } from '../../src/process/program/settings.js';
import { type ApiProcess, serveApi } from '../../src/process/serving/serve-api.js';
import { createTemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { createKey } from '../fixtures/stored-key.js';

export interface ClientScene {
  readonly url: string;
  /** Of a plan without limits. */
  readonly key: string;
  /** Of a plan of one request a second and no burst. */
  readonly hastyKey: string;
  /** Of a plan that answers nothing. */
  readonly spentKey: string;
  /** Makes a publishable key for an address form on pages of this origin. */
  createFormKey(origin: string): Promise<string>;
  stop(): Promise<void>;
}

const PLANS = JSON.stringify({
  free: { requestsPerMonth: null, requestsPerSecond: null, burst: null },
  hasty: { requestsPerMonth: null, requestsPerSecond: 1, burst: 1 },
  spent: { requestsPerMonth: 0, requestsPerSecond: null, burst: null },
});

export async function createClientScene(): Promise<ClientScene> {
  const snapshot = await sharedStarterSnapshot();
  const folder = createTemporaryFolder();
  const environment = { PLANS, KEYS_DIR: join(folder.path, 'keys'), PORT: '0', DRAIN_SECONDS: '1' };
  const keys: string[] = [];
  for (const plan of ['free', 'hasty', 'spent']) keys.push(await createKey(environment, plan));
  const [key = '', hastyKey = '', spentKey = ''] = keys;
  const serving: ApiProcess = await serveApi(readProgramSettings(environment), snapshot, silentLogger);
  return {
    url: `http://127.0.0.1:${serving.port}`,
    ...{ key, hastyKey, spentKey },
    createFormKey: (origin) => {
      const bound = ['--origin', origin, '--only', 'autocomplete,postcodes,check,nearby'];
      return createKey(environment, 'free', [...bound, '--visitor-rate', '100000/s']);
    },
    async stop() {
      await serving.stop();
      folder.remove();
    },
  };
}
