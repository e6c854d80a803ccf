/** Runs a task of the builder by its kind. */

import { type BuildCountryTask, type BuiltCountry, buildCountry } from '../building/build-country.js';
import { type BuildWorldTask, type BuiltWorld, buildWorld } from '../building/build-world.js';
import { type PackWorldTask, packWorld } from '../building/pack-snapshot.js';
import { type VerifyCountryTask, verifyCountry } from '../verifying/verify-country.js';
import {
  type VerifySectionsTask,
  type VerifyWorldTask,
  verifySections,
  verifyWorld,
} from '../verifying/verify-snapshot.js';

export type BuilderTask =
  | BuildCountryTask
  | BuildWorldTask
  | PackWorldTask
  | VerifySectionsTask
  | VerifyWorldTask
  | VerifyCountryTask;

export async function runTask(task: BuilderTask): Promise<BuiltCountry | BuiltWorld | undefined> {
  switch (task.kind) {
    case 'build-country':
      return await buildCountry(task);
    case 'build-world':
      return buildWorld(task);
    case 'pack-world':
      return packWorld(task);
    case 'verify-sections':
      verifySections(task);
      return undefined;
    case 'verify-world':
      verifyWorld(task);
      return undefined;
    case 'verify-country':
      verifyCountry(task);
      return undefined;
  }
}
