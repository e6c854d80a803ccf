/**
 * `npm run build`: compiles the sources, and fills dist/src/site/assets with what the site hands to browsers: its
 * stylesheet, icon and scripts, and the script of a package that its pages load.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const ROOT = dirname(import.meta.dirname);
const ASSETS = join(ROOT, 'dist/src/site/assets');

/** Throws where the compiler is not installed, or finds an error. */
export function build() {
  const manifest = createRequire(import.meta.url).resolve('typescript/package.json');
  const compiler = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.tsc);
  rmSync(ASSETS, { recursive: true, force: true });
  mkdirSync(ASSETS, { recursive: true });
  for (const project of ['tsconfig.build.json', 'tsconfig.browser.json']) {
    execFileSync(process.execPath, [compiler, '-p', project], { cwd: ROOT, stdio: 'inherit' });
  }
  const own = join(ROOT, 'src/site/assets');
  for (const name of readdirSync(own)) copyFileSync(join(own, name), join(ASSETS, name));
  copyFileSync(join(ROOT, 'node_modules/@github/combobox-nav/dist/index.js'), join(ASSETS, 'combobox-nav.js'));
}

if (process.argv[1] === import.meta.filename) {
  try {
    build();
  } catch (error) {
    // The compiler has said what is wrong.
    if (error.status === undefined) throw error;
    process.exitCode = 1;
  }
}
