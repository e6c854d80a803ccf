/**
 * Whom to credit for what a build reads (data/sources.tsv). A line has a kind of files (`XX` for the tables of places,
 * `GB_full`, `cities`, `alternateNames`), then the source's name, its URL, the licence's name, SPDX identifier and URL,
 * and the credit. The first line is that of `XX`. A file without a line is from its source.
 */

import type { Source } from '../../src/core/snapshot/manifest.js';
import type { RowFile } from '../reading/table-lines.js';
import { readDataTable } from './data-table.js';

/** The sources of the tables of places, of the gazetteer and of the full codes of these countries, in this order. */
export function listSources(
  gazetteer: Readonly<Record<'cities' | 'alternateNames', readonly RowFile[]>>,
  fullCodesOf: readonly string[],
): Source[] {
  const lines = readDataTable('sources.tsv');
  const sources: (Source & { readonly fullCodesOf: string[] })[] = [];
  const add = (files: string, ...fullCodes: string[]): void => {
    const line = lines.find(([kind]) => kind === files) ?? lines[0] ?? [];
    const [, name = '', url = '', licenseName = '', identifier = '', licenseUrl = '', attribution = ''] = line;
    const known = sources.find((source) => source.name === name && source.attribution === attribution);
    if (known === undefined) {
      const license = { name: licenseName, identifier, url: licenseUrl };
      sources.push({ name, url, license, attribution, fullCodesOf: fullCodes });
    } else if (known !== sources[0]) known.fullCodesOf.push(...fullCodes);
  };
  add('XX');
  for (const [kind, files] of Object.entries(gazetteer)) if (files.length > 0) add(kind);
  for (const code of fullCodesOf) add(`${code}_full`, code);
  return sources;
}
