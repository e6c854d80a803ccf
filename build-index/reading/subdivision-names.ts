/**
 * The English names of the first-level subdivisions of ISO 3166-2 (data/subdivision-names.tsv), with the names by which
 * units are matched to them. The table is read once.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/platform/package-root.js';
import { appendTo } from '../grouping.js';

export interface Subdivision {
  /** The code without the country: "52" of IT-52. */
  readonly code: string;
  readonly english: string;
  /** The English name, and the names in the country's languages. */
  readonly names: readonly string[];
}

let byCountry: ReadonlyMap<string, readonly Subdivision[]> | undefined;

/** None if no subdivision of the country has an English name of its own. */
export function subdivisionsOf(countryCode: string): readonly Subdivision[] {
  byCountry ??= readTable();
  return byCountry.get(countryCode) ?? [];
}

function readTable(): Map<string, Subdivision[]> {
  const text = readFileSync(join(packageRoot(), 'data', 'subdivision-names.tsv'), 'utf8');
  const found = new Map<string, Subdivision[]>();
  for (const line of text.split('\n')) {
    const [code, ...names] = line.split('\t');
    const [english] = names;
    if (code === undefined || english === undefined) continue;
    appendTo(found, code.slice(0, 2), { code: code.slice(3), english, names });
  }
  return found;
}
