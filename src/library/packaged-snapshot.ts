/** The snapshot that comes with the package: the command line finds it without loading what opens one for a program. */

import { existsSync } from 'node:fs';
import { starterSnapshot } from '../releases/packaged-release.js';
import { OpenError } from './errors.js';

/** Its path; `root` is the folder of the package. Throws OpenError NO_PACKAGED_DATA. */
export function packagedSnapshot(root?: string): string {
  const path = starterSnapshot(root);
  if (existsSync(path)) return path;
  throw new OpenError(`this installation has no data of its own (${path} is missing); name a snapshot`, {
    code: 'NO_PACKAGED_DATA',
  });
}
