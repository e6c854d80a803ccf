/** Reads the project's own tables in the folder `data`: tab-separated lines without a head. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/base/package-root.js';

/** The lines of a table in the project's folder `data`, split at tabs. */
export function readDataTable(file: string): string[][] {
  const lines = readFileSync(join(packageRoot(), 'data', file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => line.split('\t'));
}

/** A function that returns what `make` makes of a table's lines. The table is read when the function is called first. */
export function readDataTableOnce<Value>(file: string, make: (lines: readonly string[][]) => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make(readDataTable(file));
    return value;
  };
}
