/** The snapshot that comes with the package. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../platform/package-root.js';
import { OpenError } from './errors.js';

/** From the package's root; made when the package is packed. */
const PACKAGED = 'data/starter.snapshot';

/** Its path; `root` is the folder of the package. Throws OpenError NO_PACKAGED_DATA. */
export function packagedSnapshot(root = packageRoot()): string {
  const path = join(root, PACKAGED);
  if (existsSync(path)) return path;
  throw new OpenError(`this installation has no data of its own (${path} is missing); name a snapshot`, {
    code: 'NO_PACKAGED_DATA',
  });
}
