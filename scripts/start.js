/**
 * `npm start`: compiles the sources where they have changed, and runs the demo. A package that was installed without
 * its development tools comes compiled. The script of package.json begins with `exec`: the shell between npm and this
 * process would hand on no signal. Where there is no `exec` (Windows), what stands behind `||` runs.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { isProgramCompiled } from './compiled-program.js';
import { orEnd, provideFirstCountries } from './starter-data.js';

// Compiling takes seconds, and the parent may end meanwhile.
const parentPid = process.ppid;
const root = dirname(import.meta.dirname);

async function compile() {
  try {
    createRequire(import.meta.url).resolve('typescript/package.json');
  } catch {
    process.stderr.write(
      'postal-places: nothing is compiled and there is no compiler; run npm ci --ignore-scripts first\n',
    );
    process.exit(1);
  }
  // What it imports is not installed everywhere.
  const { build } = await import('./build.js');
  await build(provideFirstCountries);
}

await orEnd(() => (isProgramCompiled(root) ? provideFirstCountries(root) : compile()));
// The default paths of the settings begin here.
process.chdir(root);
const { startDemo } = await import('../dist/demo/main.js');
await startDemo(parentPid);
