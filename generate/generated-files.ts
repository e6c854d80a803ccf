/** The files that are made from the route table, two packages and the address formats; and the snapshot of their examples. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../src/base/package-root.js';
import { packagedRelease, STARTER_COUNTRIES, STARTER_RELEASE } from '../src/releases/packaged/packaged-release.js';
import { writeAddressFormats } from './address-formats.js';
import { writeBigCityNames } from './big-city-names.js';
import type { Answerer } from './example-answers.js';
import { writeMapFeatures } from './map-features.js';
import { buildOpenapi } from './openapi.js';
import { writeOutlines } from './outlines.js';
import { writePythonClient, writePythonErrorCodes } from './python-client.js';
import { writeSubdivisionNames } from './subdivision-names.js';
import { writeTypescriptClient, writeTypescriptErrorCodes, writeTypescriptTypes } from './typescript-client.js';

/** The text of each file, by its path from the package's root. */
export async function generateFiles(answer: Answerer): Promise<Map<string, string>> {
  const document = buildOpenapi(answer);
  return new Map([
    ['docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['clients/typescript/src/error-codes.ts', writeTypescriptErrorCodes(document)],
    ['clients/typescript/src/types.ts', writeTypescriptTypes(document)],
    ['clients/typescript/src/postal-places.ts', writeTypescriptClient(document)],
    ['clients/web/src/address-formats.ts', writeAddressFormats()],
    ['clients/python/postal_places/_error_codes.py', writePythonErrorCodes(document)],
    ['clients/python/postal_places/_api.py', writePythonClient(document)],
    ['data/big-city-names.tsv', await writeBigCityNames()],
    ['data/map-features.tsv', writeMapFeatures()],
    ['data/outlines.tsv', writeOutlines()],
    ['data/subdivision-names.tsv', writeSubdivisionNames()],
  ]);
}

/** The countries of the examples, beside those of the starter data. */
const FURTHER_COUNTRIES = ['AT', 'BG', 'GB', 'LV'];

/** Compiles some countries of data/starter: examples and tests ask their places. Costs some ten seconds. */
export async function compileStarterSnapshot(snapshotFile: string, siteUrl: string): Promise<void> {
  const program = join(packageRoot(), 'dist/cli/main.js');
  const countries = [...STARTER_COUNTRIES, ...FURTHER_COUNTRIES].join();
  const names = ['--release-name', STARTER_RELEASE, '--site-url', siteUrl, '--countries', countries];
  const args = ['build', packagedRelease(), '--out', snapshotFile, ...names, '--json'];
  await promisify(execFile)(process.execPath, [program, ...args]);
}
