/**
 * `npm test`: all checks and tests (`npm run test:all`). `npm test -- suggest nearby -t 'a name'` runs only the test files
 * with one of the words in their path below test/, without formats and types, and compiles the program only where a
 * source has changed; Jest gets what begins with the first option. Tests of whole programs (*.system.ts) run where no
 * other file has the word.
 */
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { build, buildWhereDue } from './build.js';
import { isProgramCompiled } from './compiled-program.js';
import { orEnd, runNode } from './run-node.js';

const ROOT = dirname(import.meta.dirname);
const NODE_OPTIONS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

function listTestFiles() {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true }).map((name) => `test/${name.replaceAll(sep, '/')}`);
  return names.filter((name) => /\.(?:test|system)\.ts$/.test(name) && !name.includes('/node_modules/'));
}

function end(message) {
  process.stderr.write(`postal-places: ${message}\n`);
  process.exit(1);
}

async function testSubjects(words, options) {
  const found = listTestFiles().filter((name) => words.some((word) => name.includes(word)));
  const [ordinary, system] = ['.test.ts', '.system.ts'].map((ending) => found.filter((name) => name.endsWith(ending)));
  const isSystem = ordinary.length === 0;
  const files = isSystem ? system : ordinary;
  const unknown = words.filter((word) => !found.some((name) => name.includes(word)));
  if (unknown.length > 0) end(`no test file below test/ has ${unknown.join(' or ')} in its path`);
  if (isSystem) await buildWhereDue();
  else if (!isProgramCompiled(ROOT)) await build(() => {});
  const config = isSystem ? ['--config', 'test/system/jest.config.js'] : [];
  const jest = [...NODE_OPTIONS, 'node_modules/jest/bin/jest.js', ...config, ...options, '--runTestsByPath', ...files];
  await runNode(jest, 'inherit', { cwd: ROOT });
  if (!isSystem && system.length > 0) {
    process.stdout.write(
      `Not run, whole programs: npm run test:system -- ${words.join(' ')} (${system.length} files)\n`,
    );
  }
}

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const words = firstOption === -1 ? args : args.slice(0, firstOption);
// A file's path may be given as an editor has it.
const subjects = words.map((word) => word.replaceAll('\\', '/').replace(/^\.\//, ''));

const npm = process.env.npm_execpath;
if (args.length === 0 && npm === undefined) end('npm test runs this; a word behind it chooses tests');

await orEnd(() =>
  args.length === 0
    ? runNode([npm, 'run', 'test:all'], 'inherit', { cwd: ROOT })
    : testSubjects(subjects.length === 0 ? [''] : subjects, args.slice(words.length)),
);
