/**
 * `npm start`: compiles the sources where they have changed, and runs the demo. A package that was installed without
 * its development tools comes compiled. The script of package.json begins with `exec`: the shell between npm and this
 * process would hand on no signal. Where there is no `exec` (Windows), what stands behind `||` runs.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { isProgramCompiled } from './compiled-program.js';
import { orEnd } from './run-node.js';
import { buildStarterData } from './starter-data.js';

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
  const [{ build }, esbuild] = await Promise.all([import('./build.js'), import('esbuild')]);
  await build(provideFirstCountries);
  // Its process would stay beside this one.
  await esbuild.stop();
}

/**
 * What is served first: the starter data where they have been compiled; in a fresh clone a few countries, which the demo
 * finds again in the user's cache.
 */
async function provideFirstCountries() {
  if (process.env.SNAPSHOT !== undefined) return;
  const { FIRST_COUNTRIES, packagedStarterFile } = await import('../dist/src/releases/packaged/packaged-release.js');
  if (existsSync(packagedStarterFile())) return await buildStarterData(root);
  const { withPackagedSnapshot } = await import('../dist/src/releases/packaged/packaged-snapshot.js');
  const listener = {
    begin: (what) => process.stdout.write(`Compiling ${what} …\n`),
    warn: (message) => process.stderr.write(`postal-places: ${message}\n`),
  };
  await withPackagedSnapshot({ countries: FIRST_COUNTRIES }, listener, () => {});
}

await orEnd(() => (isProgramCompiled(root) ? provideFirstCountries() : compile()));
// The default paths of the settings begin here.
process.chdir(root);
const { startDemo } = await import('../dist/demo/main.js');
await startDemo(parentPid);
