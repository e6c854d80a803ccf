/**
 * Every file that is made from the route table, the tables of outlines and subdivisions, and the address formats, with
 * their text.
 */

import { writeAddressFormats } from './address-formats.js';
import type { Answerer } from './example-answers.js';
import { describeApi } from './openapi.js';
import { writeOutlines } from './outlines.js';
import { writePythonClient, writePythonErrorCodes } from './python-client.js';
import { writeSubdivisionNames } from './subdivision-names.js';
import { writeTypescriptClient, writeTypescriptErrorCodes, writeTypescriptTypes } from './typescript-client.js';

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
