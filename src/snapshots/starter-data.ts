/**
 * The starter data: a snapshot of some countries that ships with the package, so that the programs answer before a release
 * is built. `npm run build` compiles it in a checkout.
 */
import { join } from 'node:path';
import type { Logger } from '../logger.js';
import { packageRoot } from '../platform/package-root.js';

/** The release of the starter data. */
export const STARTER_RELEASE = 'starter';

/** The file of the starter data in the folder of the package. */
export function starterSnapshot(root = packageRoot()): string {
  return join(root, 'data', 'starter.snapshot');
}

/** The source of a program for which SNAPSHOT names none: then it serves the starter data. */
export function sourceOrStarter(source: string | null): string {
  return source ?? starterSnapshot();
}

/** Logs that the starter data are served, if SNAPSHOT names no source. */
export function tellStarterData(source: string | null, logger: Logger): void {
  if (source !== null) return;
  logger.info(
    { snapshot: sourceOrStarter(source) },
    'SNAPSHOT is not set: this is the starter data of the package, with some countries only; docs/building.md tells how to get the world',
  );
}
