/**
 * Makes dist/src/server.cache, see src/bundle-loader.cts: runs the bundled server on a snapshot of one small country up to its
 * first answer, so that the cache has the code of a start and nothing else. Takes about two seconds.
 */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = dirname(import.meta.dirname);
const COUNTRY = 'LI';
/** A build that waits longer has failed. */
const ANSWER_MS = 30_000;

/** Throws where the server does not start, or does not answer. */
export async function writeCodeCache() {
  const folder = mkdtempSync(join(tmpdir(), 'postal-places-build-'));
  try {
    const environment = { SNAPSHOT: join(folder, 'places.snapshot'), KEYS_DIR: join(folder, 'keys') };
    compileCountry(join(folder, 'release'), environment.SNAPSHOT);
    const { key } = JSON.parse(run('src/keys/cli.js', ['create', '--json', '--store', environment.KEYS_DIR]));
    await runServer(environment, key);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compileCountry(release, snapshot) {
  mkdirSync(release);
  copyFileSync(join(ROOT, `data/starter/${COUNTRY}.zip`), join(release, `${COUNTRY}.zip`));
  const names = ['--release-name', 'build', '--site-url', 'http://127.0.0.1'];
  run('build-index/main.js', ['build', release, '--out', snapshot, ...names, '--json']);
}

function run(program, args) {
  return execFileSync(process.execPath, [join(ROOT, 'dist', program), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function runServer(environment, key) {
  const child = fork(join(import.meta.dirname, 'cached-server.js'), {
    env: { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  try {
    await answerOnce(child, ended, key);
  } finally {
    if (child.exitCode === null) child.kill();
  }
}

async function answerOnce(child, ended, key) {
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, 'line'), ended.then(() => [])]);
  if (first[0] === undefined) throw new Error('the server that the code cache is made of did not start');
  const url = `http://127.0.0.1:${JSON.parse(first[0]).port}/v1/countries/${COUNTRY}`;
  const { status } = await fetch(url, { headers: { 'x-api-key': key }, signal: AbortSignal.timeout(ANSWER_MS) });
  if (status !== 200) throw new Error(`the server that the code cache is made of answered ${status}`);
  child.send('write');
  const [code] = await ended;
  if (code !== 0) throw new Error(`the server that the code cache is made of ended with code ${code}`);
}
