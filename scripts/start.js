/**
 * `npm start`: compiles the sources where they have changed, and runs quick-start. A package that was installed without
 * its development tools comes compiled. The script of package.json begins with `exec`: the shell between npm and this
 * process would hand on no signal. Where there is no `exec` (Windows), what stands behind `||` runs.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Compiling takes seconds, and the parent may end meanwhile.
const parentPid = process.ppid;
const root = dirname(import.meta.dirname);
const program = join(root, 'dist/quick-start/main.js');

/** When a file, or what was changed last in a folder, was changed; 0 where it is not there. */
function newestChange(path) {
  if (!existsSync(path)) return 0;
  if (statSync(path).isFile()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(0, ...files.map((file) => statSync(join(file.parentPath, file.name)).mtimeMs));
}

async function compile() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json');
  } catch {
    process.stderr.write('postal-places: nothing is compiled and there is no compiler; run npm ci first\n');
    process.exit(1);
  }
  // What it imports is not installed everywhere.
  const { build } = await import('./build.js');
  build();
}

// Files of packages are copied into dist/src/site/assets.
const sources = ['src', 'build-index', 'quick-start', 'scripts', 'package-lock.json', 'tsconfig.build.json'];
const newest = Math.max(...sources.map((name) => newestChange(join(root, name))));
if (!existsSync(program) || statSync(program).mtimeMs < newest) await compile();
const { quickStart } = await import(program);
await quickStart(parentPid);
