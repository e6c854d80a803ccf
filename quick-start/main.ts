/**
 * What `npm start` runs once the sources are compiled: from a fresh checkout to a server that answers. Compiles the starter
 * dataset if there is no snapshot yet, makes a demo key once, serves, and prints one line that can be pasted.
 */
import { existsSync } from 'node:fs';
import { readConfig } from '../src/config.js';
import { runServer } from '../src/first-process/run-server.js';
import type { RunningServer } from '../src/first-process/start-server.js';
import { packageRoot } from '../src/package-root.js';
import { describeStartError, explain } from '../src/serving/start-error.js';
import { provideDemoKey } from './demo-key.js';
import { compileStarterSnapshot, STARTER_RELEASE } from './starter-snapshot.js';

/** Gives the demo key. Throws ConfigError and StartError. */
async function prepare(environment: NodeJS.ProcessEnv): Promise<string> {
  const config = readConfig(environment);
  if (environment.SNAPSHOT === undefined && !existsSync(config.snapshotSource)) {
    process.stdout.write('No snapshot yet: compiling the starter dataset …\n');
    await compileStarterSnapshot(config.snapshotSource);
  }
  return await explain(config.redis === null ? 'KEYS_DIR' : 'REDIS_URL', [Error], () => provideDemoKey(config));
}

function greeting({ host, port, release }: RunningServer, key: string): string {
  const address = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const question = release === STARTER_RELEASE ? 'countries/LI/postcodes/9490' : 'countries?hasPostcodes=true';
  return (
    `\nPostal Places listens on ${address}\nDemo key: ${key}\n\n` +
    `  curl -H 'x-api-key: ${key}' '${address}/v1/${question}'\n\n`
  );
}

// The default paths of the settings begin here.
process.chdir(packageRoot());
try {
  const key = await prepare(process.env);
  const running = await runServer(() => readConfig(process.env));
  if (running !== undefined) process.stdout.write(greeting(running, key));
} catch (error) {
  process.stderr.write(`postal-places: ${describeStartError(error)}\n`);
  process.exitCode = 1;
}
