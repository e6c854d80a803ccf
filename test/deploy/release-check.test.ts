/**
 * `npm run release:check` in a small project of its own, where npm, Docker and .ci/run only say that they were called, or
 * fail: it passes where all is well, and ends at each fault with a line that names it.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { packageRoot } from '../../src/base/package-root.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-01-31

- One more thing

## [1.2.2] - 2026-01-01

- A thing
`;
const ROOT_LOCK = { name: 'places', version: '1.2.3' };
const PACKAGES = {
  'node_modules/express': { version: '5.0.0' },
  'node_modules/jest': { version: '30.0.0', dev: true },
};
const LOCK = { ...ROOT_LOCK, packages: { '': ROOT_LOCK, ...PACKAGES } };
const componentOf = (name: string, version: string) => ({ 'bom-ref': `${name}@${version}`, name });
/** As npm lists the packages: the tools too, and the project by the name of its folder. */
const LIST = {
  metadata: { component: { name: 'folder' } },
  components: [componentOf('express', '5.0.0'), componentOf('jest', '30.0.0')],
  dependencies: [
    { ref: 'places@1.2.3', dependsOn: ['express@5.0.0', 'jest@30.0.0'] },
    { ref: 'jest@30.0.0', dependsOn: ['express@5.0.0'] },
  ],
};

/** The files of the project, by path. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'places',
    type: 'module',
    version: '1.2.3',
    dependencies: { express: '^5.0.0' },
  }),
  'package-lock.json': JSON.stringify(LOCK),
  'clients/typescript/package.json': '{"version":"1.2.3"}',
  'clients/typescript/README.md': 'npm install ./postal-places-client-1.2.3.tgz',
  'clients/web/package.json': '{"version":"1.2.3"}',
  'clients/python/pyproject.toml': '[project]\nversion = "1.2.3"\n',
  'clients/python/README.md': 'pip install postal_places_client-1.2.3-py3-none-any.whl',
  'docs/openapi.json': '{"info":{"version":"1.2.3"}}',
  'docs/models.md': './postal-places-1.2.3.tgz',
  'README.md': './postal-places-1.2.3.tgz',
  'CHANGELOG.md': CHANGELOG,
  '.gitignore': 'var/\nprograms/\n',
};

let folder: TemporaryFolder;
const inFolder = (path: string): string => join(folder.path, path);

function write(path: string, text: string): void {
  mkdirSync(dirname(inFolder(path)), { recursive: true });
  writeFileSync(inFolder(path), text);
}

function writeProgram(path: string, lines: string): void {
  write(path, `#!/bin/sh\nset -e\n${lines}\n`);
  chmodSync(inFolder(path), 0o755);
}

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example', '-c', 'commit.gpgsign=false'];
  expect(spawnSync('git', [...identity, ...args], { cwd: folder.path }).status).toBe(0);
}

function check(...args: string[]) {
  git('add', '.');
  git('commit', '--quiet', '--allow-empty', '--message', 'all');
  return checkUncommitted(...args);
}

function checkUncommitted(...args: string[]) {
  const env = { ...process.env, PATH: `${inFolder('programs')}:${process.env.PATH}` };
  const script = inFolder('scripts/release-check.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

beforeEach(() => {
  folder = createTemporaryFolder();
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  writeProgram('scripts/ensure-tools.sh', 'echo tools');
  cpSync(join(packageRoot(), 'scripts/release-check.js'), inFolder('scripts/release-check.js'));
  writeProgram('.ci/run', 'echo tests');
  writeProgram('programs/npm', `[ "$1" = run ] || echo '${JSON.stringify(LIST)}'`);
  writeProgram('programs/docker', 'exit 1');
  git('init', '--quiet');
});
afterEach(() => folder.remove());

test('a release without a fault is ready, and has its list of components', () => {
  const { status, stdout, stderr } = check('v1.2.3');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /ensure-tools\.sh\ntools\n.*npm run generate\n.*\.ci\/run\ntests\n.*image is left out.*1\.2\.3 is ready\n$/s,
  );
  const list = JSON.parse(readFileSync(inFolder('var/places-1.2.3.cdx.json'), 'utf8'));
  expect(list).toEqual({
    metadata: { component: { name: 'places' } },
    components: [componentOf('express', '5.0.0')],
    dependencies: [{ ref: 'places@1.2.3', dependsOn: ['express@5.0.0'] }],
  });
});

test('where Docker runs, the image is built', () => {
  writeProgram('programs/docker', '[ "$1" = info ] || echo "docker: $*"');
  expect(check()).toMatchObject({ status: 0, stdout: expect.stringContaining('docker: build --tag places:1.2.3 .\n') });
});

test('--notes prints the entry of this version', () => {
  expect(checkUncommitted('--notes')).toEqual({ status: 0, stdout: '- One more thing\n', stderr: '' });
});

test('every file with another version is named', () => {
  const texts = Object.entries(FILES).filter(([path]) => /^(?:package-lock|clients|docs|README)/.test(path));
  for (const [path, text] of texts) write(path, text.replaceAll('1.2.3', '1.2.2'));
  const { status, stderr } = check();
  expect(status).toBe(1);
  const named = [...stderr.matchAll(/^release:check: (\S+) has version 1\.2\.2, package\.json 1\.2\.3$/gm)];
  // The lock file has the version twice.
  expect(named.map(([, path]) => path).sort()).toEqual(['package-lock.json', ...texts.map(([path]) => path)].sort());
});

test.each([
  ['no entry', CHANGELOG.replace(/## \[1\.2\.3\].*?(?=## )/s, ''), 'is 1.2.2, not 1.2.3'],
  ['no date', CHANGELOG.replace(' - 2026-01-31', ''), 'no date'],
  ['a wrong date', CHANGELOG.replace('01-31', '13-31'), 'no date'],
  ['an empty entry', CHANGELOG.replace('- One more thing\n', ''), 'is empty'],
  ['unreleased changes', CHANGELOG.replace('[Unreleased]', '[Unreleased]\n\n- Another'), 'under Unreleased'],
])('a changelog with %s', (_, text, fault) => {
  write('CHANGELOG.md', text);
  expect(check().stderr).toMatch(new RegExp(`^release:check: .*CHANGELOG\\.md .*${fault}.*\n$`));
  expect(checkUncommitted('--notes')).toMatchObject({ status: 1, stdout: '' });
});

test('a tag of another version, and a file that is not committed, are told together', () => {
  check();
  rmSync(inFolder('var'), { recursive: true });
  write('src/new.ts', '');
  const { status, stdout, stderr } = checkUncommitted('v1.2.4');
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe('release:check: the tag v1.2.4 is not v1.2.3\nrelease:check: not committed: ?? src/\n');
  expect(existsSync(inFolder('var'))).toBe(false);
});

test('a generator that writes another file than is committed', () => {
  writeProgram('programs/npm', `echo '{"info":{"version":"1.2.3"},"paths":{}}' >"${inFolder('docs/openapi.json')}"`);
  const fault = 'npm run generate writes another file than is committed:  M docs/openapi.json';
  expect(check()).toMatchObject({ status: 1, stderr: `release:check: ${fault}\n` });
});

test.each([
  ['sh scripts/ensure-tools.sh', 'scripts/ensure-tools.sh', 'false'],
  ['npm run generate', 'programs/npm', '[ "$1" != run ]'],
  ['.ci/run', '.ci/run', 'false'],
  ['docker build --tag places:1.2.3 .', 'programs/docker', '[ "$1" = info ]'],
  ['npm sbom --sbom-format cyclonedx --package-lock-only', 'programs/npm', '[ "$1" = run ]'],
])('%s that fails', (command, path, lines) => {
  writeProgram(path, lines);
  expect(check()).toMatchObject({ status: 1, stderr: `release:check: ${command} failed\n` });
});

test('a dependency that the list of components lacks', () => {
  writeProgram('programs/npm', `[ "$1" = run ] || echo '${JSON.stringify({ ...LIST, components: [] })}'`);
  expect(check()).toMatchObject({ status: 1, stderr: 'release:check: express is missing among the components\n' });
});
