/** The version of the store in Redis: a key of its own, which the first write of a record sets. */

import { STORE_VERSION } from '../key-store-error.js';
import { REDIS_PREFIX } from './redis-keys.js';

export const VERSION_KEY = `${REDIS_PREFIX}:version`;

/** The first lines of each script: where the store has another version, the script ends with the error VERSION. */
export const REQUIRE_VERSION = `
local version = redis.call('GET', '${VERSION_KEY}')
if version and version ~= '${STORE_VERSION}' then return redis.error_reply('VERSION ' .. version) end
`;
