/** The examples of the site's reference: each runs as it stands on the page, and gives what the description says. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../../src/api/description/client-names.js';
import { packageRoot } from '../../src/base/package-root.js';
import { openSnapshot } from '../../src/core/snapshot/snapshot.js';
import { exampleDataOf, operations } from '../api/described-answers.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';
import { sharedStarterSnapshot } from '../fixtures/starter-snapshot.js';
import { createSite, decodeEntities, SITE_URL } from '../site/site-scene.js';
import { type ClientScene, createClientScene } from './client-scene.js';

const run = promisify(execFile);
// Of the starter dataset no list of changes is served, so the page has no example of it.
const keyed = operations
  .filter(({ security, operationId }) => security.length > 0 && operationId !== 'listChanges')
  .map(({ operationId }) => operationId);
const expected = keyed.map((operationId) => [operationId, exampleDataOf(operationId)]);

let scene: ClientScene;
let folder: TemporaryFolder;
/** Of the page of the reference. */
let sections: string[];
beforeAll(async () => {
  scene = await createClientScene();
  folder = createTemporaryFolder();
  const snapshot = openSnapshot(await sharedStarterSnapshot());
  const site = createSite(snapshot, { addresses: { siteUrl: SITE_URL, apiUrl: scene.url, hasAccounts: false } });
  sections = (await site.get('/docs/reference')).text.split('<section class="operation">');
});
afterAll(async () => {
  folder?.remove();
  await scene?.stop();
});

/** As a reader copies it, with the key put in. */
function exampleOf(operationId: string, language: string): string {
  const section = sections.find((one) => one.includes(`<h2 id="${operationId.toLowerCase()}"`)) ?? '';
  const [, code] =
    new RegExp(`<summary>${language}</summary>\\s*<pre[^>]*><code[^>]*>(.*?)</code>`, 's').exec(section) ?? [];
  if (code === undefined) throw new Error(`${operationId} has no example in ${language}`);
  return decodeEntities(code.replaceAll(/<[^>]*>/g, '')).replace('YOUR_KEY', scene.key);
}

/** Writes the examples into files, and gives the output of a program that gives the outputs of them all as JSON. */
async function outputsOf(language: string, ending: string, command: string, program: string): Promise<unknown> {
  for (const operationId of keyed)
    writeFileSync(join(folder.path, `${operationId}.${ending}`), exampleOf(operationId, language));
  writeFileSync(join(folder.path, `all.${ending}`), program);
  const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await run(command, [`all.${ending}`, ...keyed], { cwd: folder.path, env });
  return JSON.parse(stdout);
}

test('curl', async () => {
  for (const operationId of keyed) {
    const { stdout } = await run('sh', ['-c', `${exampleOf(operationId, 'curl')} -s`]);
    expect([operationId, (JSON.parse(stdout) as { data: unknown }).data]).toEqual([
      operationId,
      exampleDataOf(operationId),
    ]);
  }
});

test('JavaScript, with the client as npm installs it', async () => {
  const installed = join(folder.path, 'node_modules', TYPESCRIPT_PACKAGE);
  const client = join(packageRoot(), 'clients/typescript');
  mkdirSync(installed, { recursive: true });
  cpSync(join(client, 'package.json'), join(installed, 'package.json'));
  const compiler = join(packageRoot(), 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', client, '--outDir', join(installed, 'dist')]);
  const program = `const outputs = [];
    const print = console.log;
    console.log = (value) => outputs.push(value);
    for (const name of process.argv.slice(2)) {
      await import('./' + name + '.mjs');
      outputs.push([name, outputs.pop()]);
    }
    print(JSON.stringify(outputs));`;
  expect(await outputsOf('JavaScript', 'mjs', process.execPath, program)).toEqual(expected);
});

test('the quickstart in each language prints the place of the code', async () => {
  const text = readFileSync(join(packageRoot(), 'docs/quickstart.md'), 'utf8');
  for (const [language, command, args] of [
    ['sh', 'sh', ['-c']],
    ['js', process.execPath, ['--input-type=module', '-e']],
    ['python', 'python3', ['-c']],
  ] as const) {
    const [, code = ''] = new RegExp(`\\n\`\`\`${language}\\n(.*?)\\n\`\`\``, 's').exec(text) ?? [];
    expect({ language, code }).toMatchObject({ code: expect.stringContaining('YOUR_KEY') });
    const program = code.replace('YOUR_KEY', scene.key).replace('http://127.0.0.1:3000', scene.url);
    const { stdout } = await run(command, [...args, language === 'sh' ? `${program} -s` : program]);
    const line = '`Berlin 52.5323 13.3846`';
    expect(text).toContain(line);
    if (language === 'sh') expect(JSON.parse(stdout)).toMatchObject({ data: { places: [{ latitude: 52.5323 }] } });
    else expect(`\`${stdout.trim()}\``).toBe(line);
  }
});

test('Python', async () => {
  cpSync(join(packageRoot(), 'clients/python', PYTHON_PACKAGE), join(folder.path, PYTHON_PACKAGE), { recursive: true });
  const program = `import json, sys
outputs = []
for name in sys.argv[1:]:
    exec(open(name + ".py").read(), {"print": lambda value: outputs.append([name, value])})
print(json.dumps(outputs))`;
  expect(await outputsOf('Python', 'py', 'python3', program)).toEqual(expected);
});
