/** The settings that concern the first process alone, and the type of all that it needs. */
import type { ServingSettings } from '../serving/serving-settings.js';
import { parseHost, parsePath, setting, type ValuesOf } from '../settings.js';

export const firstProcessSettings = {
  adminHost: setting('ADMIN_HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  snapshotSource: setting(
    'SNAPSHOT',
    './var/places.snapshot',
    'the path of a snapshot file, or of a folder of published ones',
    parsePath,
  ),
};

export type ServerSettings = ValuesOf<typeof firstProcessSettings> & ServingSettings;
