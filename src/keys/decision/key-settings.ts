/** The settings that concern keys. All programs read them alike, but only those that show keys know the secret. */

import {
  type Environment,
  integerSettingParser,
  parsePathSetting,
  readSettings,
  secretSetting,
  setting,
  type ValuesOf,
} from '../../base/settings.js';
import { DEFAULT_PLANS, type PlanTable, parsePlans } from '../key/plan.js';
import { parseRedisAddress } from '../storage/redis-address.js';

const ONE_DAY_SECONDS = 86_400;

/** Where keys live, and what their requests are counted against. */
export const keyStoreSettings = {
  keysDirectory: setting('KEYS_DIR', './var/keys', 'the path of the key store folder', parsePathSetting),
  redis: secretSetting('REDIS_URL', 'an address such as redis://host:6379/0', parseRedisAddress),
  redisTimeoutMs: setting('REDIS_TIMEOUT_MS', 250, 'an integer from 1 to 60000', integerSettingParser(1, 60_000)),
  keyGraceSeconds: setting(
    'KEY_GRACE_SECONDS',
    3_600,
    `an integer from 0 to ${ONE_DAY_SECONDS}`,
    integerSettingParser(0, ONE_DAY_SECONDS),
  ),
  plans: setting<PlanTable>('PLANS', DEFAULT_PLANS, 'a JSON object of plans', parsePlans),
};

export const keySettings = {
  ...keyStoreSettings,
  keySecret: secretSetting('KEY_SECRET', 'a text of 32 characters or more', (text) =>
    text.length >= 32 ? text : undefined,
  ),
};

export type KeyStoreConfig = ValuesOf<typeof keyStoreSettings>;
export type KeyConfig = ValuesOf<typeof keySettings>;

export function readKeyConfig(environment: Environment): KeyConfig {
  return readSettings(keySettings, environment);
}
