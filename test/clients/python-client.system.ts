/** The Python client on the real server and on hostile ones: its own tests (clients/python/tests), run by python3. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { type ClientScene, createClientScene } from './client-scene.js';
import { expectedOutcome, type HostileServer, hostileAnswers, startHostileServer } from './hostile-server.js';

let scene: ClientScene;
let folder: TemporaryFolder;
let certificateFile: string;
/** Without and with TLS. */
let hostile: HostileServer;
let hostileTls: HostileServer;
beforeAll(async () => {
  scene = await createClientScene();
  folder = createTemporaryFolder();
  const [key, cert] = await makeCertificate(folder.path);
  certificateFile = cert;
  hostile = await startHostileServer();
  hostileTls = await startHostileServer({ key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') });
});
afterAll(async () => {
  await scene?.stop();
  await hostile?.close();
  await hostileTls?.close();
  folder?.remove();
});

/** The files of a key and of a certificate for 127.0.0.1, which signed itself. */
async function makeCertificate(path: string): Promise<[key: string, certificate: string]> {
  const [key, certificate] = [join(path, 'server.key'), join(path, 'server.crt')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', '/CN=postal-places test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  return [key, certificate];
}

/** The table as the tests in Python read it. */
const rows = Object.entries(hostileAnswers).map(([name, { question = 'answer', timeoutMs, maxRetries }]) => ({
  name,
  question,
  timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
  max_retries: maxRetries,
  outcome: expectedOutcome(name, 'python'),
}));

test('the example of its README runs', async () => {
  const folder = join(packageRoot(), 'clients/python');
  const [, example = ''] = /```python\n(.*?)```/s.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  const script = example.replace('https://api.example.com', scene.url);
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    POSTAL_PLACES_KEY: scene.key,
  };
  const { stdout } = await promisify(execFile)('python3', ['-c', script], { env });
  const lines = stdout.trim().split('\n');
  expect(lines.slice(0, -1)).toEqual(expect.arrayContaining(['Berlin', 'Bayern']));
  expect(lines.at(-1)).toMatch(/^[\da-f-]{36}$/);
});

test('its tests pass', async () => {
  const cwd = join(packageRoot(), 'clients/python');
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: cwd,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONWARNINGS: 'error',
    POSTAL_PLACES_URL: scene.url,
    POSTAL_PLACES_KEY: scene.key,
    POSTAL_PLACES_HASTY_KEY: scene.hastyKey,
    POSTAL_PLACES_SPENT_KEY: scene.spentKey,
    POSTAL_PLACES_DESCRIPTION: join(packageRoot(), 'docs/openapi.json'),
    POSTAL_PLACES_HOSTILE: JSON.stringify({ origin: hostile.origin, tlsOrigin: hostileTls.origin, rows }),
    SSL_CERT_FILE: certificateFile,
  };
  const run = promisify(execFile)('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd, env });
  // unittest reports on standard error.
  const { stderr } = await run.catch((error: { stderr: string }) => Promise.reject(new Error(error.stderr)));
  const [, ran] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  expect(Number(ran)).toBeGreaterThan(15);
  expect(stderr).toMatch(/\nOK\n$/);
  // No answer was read far beyond the limit, asked for too often, or led elsewhere.
  expect(await hostile.faults()).toEqual([]);
});
