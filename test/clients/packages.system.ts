/** What the packages of the clients hold: what users need of them, and nothing else; and that it works where it is installed. */

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PYTHON_PACKAGE, TYPESCRIPT_PACKAGE } from '../../src/api/description/client-names.js';
import { packageRoot, packageVersion } from '../../src/base/package-root.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const run = promisify(execFile);
const pathOf = (name: string): string => join(packageRoot(), 'clients', name);
const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8');

let folder: TemporaryFolder;
beforeAll(() => {
  folder = createTemporaryFolder();
});
afterAll(() => folder.remove());

test.each(['typescript', 'python'])('%s is under the licence of the project', (name) => {
  expect(textOf(`${name}/LICENSE`)).toBe(readFileSync(join(packageRoot(), 'LICENSE'), 'utf8'));
});

describe('typescript', () => {
  const { name, version, dependencies } = JSON.parse(textOf('typescript/package.json')) as Record<string, string>;

  test('has the name that examples import and the version of the project, and depends on nothing', () => {
    expect([name, version, dependencies]).toEqual([TYPESCRIPT_PACKAGE, packageVersion(), undefined]);
  });

  test('the README names the file that npm pack makes', () => {
    expect(textOf('typescript/README.md')).toContain(`./${name}-${version}.tgz`);
  });

  test('npm packs the compiled files and their types, which work in plain Node and for a strict compiler', async () => {
    const cwd = pathOf('typescript');
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n'))) as { files: { path: string }[] }[];
    const files = packed?.files.map(({ path }) => path).sort() ?? [];
    const compiled = ['answer', 'error-codes', 'error', 'index', 'postal-places', 'transport', 'types'].flatMap(
      (file) => [`dist/${file}.d.ts`, `dist/${file}.js`],
    );
    expect(files).toEqual(['LICENSE', 'README.md', ...compiled, 'package.json']);

    const installed = join(folder.path, 'node_modules', String(name));
    for (const file of files) cpSync(join(cwd, file), join(installed, file));
    writeFileSync(join(folder.path, 'package.json'), '{"type":"module"}');
    const use = `import { PostalPlaces, type PlacePage } from '${name}';
      const client = new PostalPlaces({ baseUrl: 'http://127.0.0.1:9', apiKey: 'k' });
      export const page = (): Promise<PlacePage> => client.listPlaces({ country: 'LI', pageSize: 5 });
      // @ts-expect-error a country is needed
      export const wrong = () => client.listPlaces({});
      console.log(typeof page);`;
    writeFileSync(join(folder.path, 'use.ts'), use);
    const [, example = ''] = /```ts\n(.*?)```/s.exec(textOf('typescript/README.md')) ?? [];
    expect(example).toContain('findPostcode');
    const around = 'declare const process: { env: Record<string, string | undefined> };\n';
    writeFileSync(join(folder.path, 'readme.ts'), around + example);
    const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', '--types', ''];
    const compiler = join(packageRoot(), 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, ...options, 'use.ts', 'readme.ts'], { cwd: folder.path });
    expect((await run(process.execPath, ['use.js'], { cwd: folder.path })).stdout).toBe('function\n');
  });
});

describe('python', () => {
  test('has the version of the project, depends on nothing and names its one package', () => {
    const project = textOf('python/pyproject.toml');
    expect(project).toContain(`\nversion = "${packageVersion()}"\n`);
    expect(project).toContain('\nrequires-python = ">=3.9"\n');
    expect(project).toContain('\ndependencies = []\n');
    expect(project).toContain(`\npackages = ["${PYTHON_PACKAGE}"]\n`);
    const files = readdirSync(pathOf('python/postal_places')).filter((name) => name !== '__pycache__');
    const modules = ['__init__.py', '_api.py', '_error_codes.py', '_errors.py', '_exchange.py', '_transport.py'];
    expect(files.sort()).toEqual([...modules, 'py.typed']);
  });

  test('what is imported comes with Python', async () => {
    mkdirSync(join(folder.path, 'site'));
    cpSync(pathOf('python/postal_places'), join(folder.path, 'site/postal_places'), { recursive: true });
    // -I and -S: no packages but those of Python, and of the one folder.
    const script =
      'import sys; sys.path.insert(0, "site"); import postal_places; print(postal_places.PostalPlaces.__name__)';
    const { stdout } = await run('python3', ['-I', '-S', '-B', '-c', script], { cwd: folder.path });
    expect(stdout).toBe('PostalPlaces\n');
  });
});
