/**
 * `npm start`: compiles the sources where they have changed, and runs quick-start. A package that was installed without
 * its development tools comes compiled.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const program = join(root, 'dist/quick-start/main.js');

function newestChange(folder) {
  if (!existsSync(folder)) return 0;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
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
  await build();
}

// Packages are put into the server's bundle.
const newest = Math.max(
  ...['src', 'build-index', 'quick-start', 'scripts'].map((folder) => newestChange(join(root, folder))),
  ...['package-lock.json', 'tsconfig.build.json'].map((file) => statSync(join(root, file)).mtimeMs),
);
if (!existsSync(program) || statSync(program).mtimeMs < newest) await compile();
await import(program);
