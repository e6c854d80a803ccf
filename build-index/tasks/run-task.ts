/**
 * Runs a task of the builder on the calling thread. Each task loads its modules when it runs: the main thread doesn't need
 * them where worker threads run the tasks.
 */

import type { BuildCountryTask } from '../building/build-country.js';
import type { BuildWorldTask } from '../building/build-world.js';
import type { PackWorldTask } from '../building/pack-world.js';
import type { Task } from '../pool/pool.js';
import type { VerifyCountryTask } from '../verifying/verify-country.js';
import type { VerifySectionsTask } from '../verifying/verify-snapshot.js';
import type { VerifyWorldTask } from '../verifying/verify-world.js';

type BuilderTask =
  | BuildCountryTask
  | BuildWorldTask
  | PackWorldTask
  | VerifySectionsTask
  | VerifyWorldTask
  | VerifyCountryTask;

export async function runTask(task: Task<unknown>): Promise<unknown> {
  const known = task as BuilderTask;
  switch (known.kind) {
    case 'build-country':
      return await (await import('../building/build-country.js')).buildCountry(known);
    case 'build-world':
      return (await import('../building/build-world.js')).buildWorld(known);
    case 'pack-world':
      return (await import('../building/pack-world.js')).packWorld(known);
    case 'verify-sections':
      return (await import('../verifying/verify-snapshot.js')).verifySections(known);
    case 'verify-world':
      return (await import('../verifying/verify-world.js')).verifyWorld(known);
    case 'verify-country':
      return (await import('../verifying/verify-country.js')).verifyCountry(known);
  }
}
