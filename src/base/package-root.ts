/**
 * Where the package lies, found from this file upwards: the sources and the compiled files are at different depths
 * from the data that both read.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** A compiled file that runs in a process or thread of its own, such as `src/process/workers/worker-program.js`. */
export function packageProgramPath(name: string): string {
  return join(packageRoot(), 'dist', name);
}

/** As package.json has it. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string };
  return version;
}
