import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.js';

/** The lines of a table in the project's folder `data`, split at tabs. */
export function readColumns(file: string): string[][] {
  const lines = readFileSync(join(packageRoot(), 'data', file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}
