/**
 * `npm run generate:openapi`: writes the description of the API and the clients from the code, two tables from packages,
 * and the address formats of the web component. A test fails where a file is not what this program would write. Costs the
 * compilation of the starter dataset, some seconds.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/base/package-root.js';
import { openSnapshot } from '../src/core/snapshot/snapshot.js';
import { exampleAnswererOf } from './example-answers.js';
import { compileStarterSnapshot, generateFiles } from './generated-files.js';

/** Where the pages of the examples lie: a site that belongs to nobody. */
const EXAMPLE_SITE_URL = 'https://places.example';

const folder = mkdtempSync(join(tmpdir(), 'postal-places-generate-'));
try {
  const path = join(folder, 'starter.snapshot');
  await compileStarterSnapshot(path, EXAMPLE_SITE_URL);
  for (const [file, text] of await generateFiles(exampleAnswererOf(openSnapshot(path)))) {
    writeFileSync(join(packageRoot(), file), text);
    process.stdout.write(`${file}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
