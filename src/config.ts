/** All settings of the server: the tables of its parts, put together. Programs read them, and hand values on. */

import { keyStoreSettings } from './keys/key-settings.js';
import { processSettings } from './process/process-settings.js';
import { type Environment, readSettings, type ValuesOf } from './settings.js';

export const settings = { ...processSettings, ...keyStoreSettings };

export type Config = ValuesOf<typeof settings>;

/** Throws InvalidValueError on the first wrong value. */
export function readConfig(environment: Environment): Config {
  return readSettings(settings, environment);
}
