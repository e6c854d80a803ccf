/**
 * What is served where SNAPSHOT is not set: the package's own data. API and site follow a link that each start makes for
 * itself. It leads to the world or, as long as the world is not compiled, to a few countries; then the world is compiled
 * with low priority, and the link is turned to it.
 */

import { join } from 'node:path';
import { errorMessageOf } from '../src/base/errors.js';
import { makeTemporaryFolder } from '../src/base/make-folder.js';
import { checkIntegrity } from '../src/releases/checking/integrity-check.js';
import { CURRENT, flipCurrent } from '../src/releases/folder/published-folder.js';
import { FIRST_COUNTRIES } from '../src/releases/packaged/packaged-release.js';
import { withPackagedSnapshot } from '../src/releases/packaged/packaged-snapshot.js';

/** Writes one line for each step, and one for each trouble. */
export interface Teller {
  tell(message: string): void;
  warn(message: string): void;
}

export interface PackagedSource {
  /** What SNAPSHOT must be. */
  readonly path: string;
  /** Compiles the world unless it is there, and turns the link to it; undefined where there can't be links. */
  readonly bringWorld?: () => Promise<void>;
}

/** Starts from the first countries, or from the world where it is compiled. */
export async function startFromStarterOrWorld<T>(
  stopping: AbortSignal,
  { tell, warn }: Teller,
  start: (source: PackagedSource) => Promise<T>,
): Promise<T> {
  const request = { countries: FIRST_COUNTRIES, stopping };
  const listener = { begin: (what: string) => tell(`Compiling ${what} …`), warn };
  return await withPackagedSnapshot(request, listener, async (path) => {
    let folder: string;
    try {
      // Removed when this process ends.
      folder = makeTemporaryFolder();
      flipCurrent(folder, path);
    } catch (error) {
      warn(`only what is compiled already can be served here: ${errorMessageOf(error)}`);
      return await start({ path });
    }
    const bringWorld = async (): Promise<void> => {
      const world = { ...request, countries: null, isExact: true, isLowPriority: true };
      await withPackagedSnapshot(
        world,
        { begin: () => tell('All countries follow, this once'), warn },
        async (path) => {
          await checkIntegrity(path, stopping);
          flipCurrent(folder, path);
        },
      );
    };
    return await start({ path: join(folder, CURRENT), bringWorld });
  });
}
