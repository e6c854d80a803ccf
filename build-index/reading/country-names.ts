/**
 * Further names of countries (data/country-names.tsv): in English, in the languages of the country, and common ones.
 * The table is read once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.js';

let namesByCode: ReadonlyMap<string, readonly string[]> | undefined;

/** The names of the country with this code; none if the table lacks the country. */
export function countryNames(code: string): readonly string[] {
  namesByCode ??= readTable();
  return namesByCode.get(code) ?? [];
}

function readTable(): Map<string, readonly string[]> {
  const text = readFileSync(join(packageRoot(), 'data', 'country-names.tsv'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [code, ...names] = line.split('\t');
      return [code as string, names];
    }),
  );
}
