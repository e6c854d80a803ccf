/**
 * `npm run generate:openapi`: writes the description of the API and the clients from the code, two tables from packages,
 * and the address formats of the web component. A test fails where a file is not what this program would write. Costs the
 * compilation of the starter dataset, some seconds.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/base/package-root.js';
import { openSnapshot } from '../src/core/snapshot/snapshot.js';
import { STARTER_RELEASE } from '../src/releases/find-snapshot.js';
import { writeAddressFormats } from './address-formats.js';
import { describeApi } from './openapi.js';
import { type Answerer, answererOf } from './openapi-responses.js';
import { writeOutlines } from './outlines.js';
import { writePythonClient, writePythonErrorCodes } from './python-client.js';
import { writeSubdivisionNames } from './subdivision-names.js';
import { writeTypescriptClient, writeTypescriptErrorCodes, writeTypescriptTypes } from './typescript-client.js';

/*
 * Every file that is made from the route table, the tables of outlines and subdivisions, and the address formats, with
 * their text.
 */

/** By paths from the package's root. */
export function generateFiles(answer: Answerer): Map<string, string> {
  const document = describeApi(answer);
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['clients/typescript/src/error-codes.ts', writeTypescriptErrorCodes(document)],
    ['clients/typescript/src/types.ts', writeTypescriptTypes(document)],
    ['clients/typescript/src/postal-places.ts', writeTypescriptClient(document)],
    ['clients/web/src/address-formats.ts', writeAddressFormats()],
    ['clients/python/postal_places/_error_codes.py', writePythonErrorCodes(document)],
    ['clients/python/postal_places/_api.py', writePythonClient(document)],
    ['data/outlines.tsv', writeOutlines()],
    ['data/subdivision-names.tsv', writeSubdivisionNames()],
  ]);
}

/*
 * The snapshot behind the examples in the description: all countries of the starter dataset, compiled by the builder as by
 * hand. Tests ask it too.
 */

/** Compiles data/starter, which is a release like any other. Costs some ten seconds. */
export async function compileStarterSnapshot(snapshotFile: string, siteUrl: string): Promise<void> {
  const program = join(packageRoot(), 'dist/cli/main.js');
  const names = ['--release-name', STARTER_RELEASE, '--site-url', siteUrl];
  const args = ['build', join(packageRoot(), 'data/starter'), '--out', snapshotFile, ...names, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]);
}

/** Where the pages of the examples lie: a site that belongs to nobody. */
const EXAMPLE_SITE_URL = 'https://places.example';

const folder = mkdtempSync(join(tmpdir(), 'postal-places-generate-'));
try {
  const path = join(folder, 'starter.snapshot');
  await compileStarterSnapshot(path, EXAMPLE_SITE_URL);
  for (const [file, text] of generateFiles(answererOf(openSnapshot(path)))) {
    writeFileSync(join(packageRoot(), file), text);
    process.stdout.write(`${file}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
