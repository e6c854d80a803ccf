/** The Python client on the real server: its own tests (clients/python/tests), run by python3. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/package-root.js';
import { type ClientScene, createClientScene } from './client-scene.js';

let scene: ClientScene;
beforeAll(async () => {
  scene = await createClientScene();
});
afterAll(() => scene?.stop());

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
  expect(lines.slice(0, -1)).toEqual(expect.arrayContaining(['Vaduz', 'Triesen']));
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
  };
  const run = promisify(execFile)('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd, env });
  // unittest reports on standard error.
  const { stderr } = await run.catch((error: { stderr: string }) => Promise.reject(new Error(error.stderr)));
  const [, ran] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  expect(Number(ran)).toBeGreaterThan(15);
  expect(stderr).toMatch(/\nOK\n$/);
});
