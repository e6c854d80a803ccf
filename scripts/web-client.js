/**
 * The elements for web pages as one ES module: dist/src/site/assets/postal-places.js. Its bytes depend on nothing but the
 * sources and the bundler.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';

/** The syntax; `light-dark()` and `AbortSignal.any` need browsers from the middle of 2024 on. */
const TARGET = 'es2022';

/** Throws where a file is wrong. */
export function bundleWebClient(root, target) {
  const { version } = JSON.parse(readFileSync(join(root, 'clients/web/package.json'), 'utf8'));
  const styles = readFileSync(join(root, 'clients/web/src/styles.css'), 'utf8');
  buildSync({
    absWorkingDir: root,
    entryPoints: ['clients/web/src/index.ts'],
    outfile: join(target, 'postal-places.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    target: TARGET,
    define: { STYLES: JSON.stringify(transformSync(styles, { loader: 'css', minify: true }).code.trim()) },
    // Compressed it is the shorter one.
    charset: 'ascii',
    banner: {
      js: `/*! Postal Places ${version}, MIT. Address formats: Google, CC BY 4.0, adapted. */`,
    },
    logLevel: 'warning',
  });
}
