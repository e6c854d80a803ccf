/**
 * Where data of ours are in Redis: the start of every key, and the key with the version of the store, which the first
 * write of a record sets.
 */

import { STORE_VERSION } from './key-store-error.js';

/**
 * The start of every key of ours in Redis, so that a user of Redis may be limited to `postal-places:*`. The braces are
 * the hash tag: all that is ours shares one slot of a Cluster, so that one script can read and change any of it.
 */
export const REDIS_PREFIX = 'postal-places:{records}';

export const VERSION_KEY = `${REDIS_PREFIX}:version`;

/**
 * The first lines of each script: where the store has another version, the script ends with the error VERSION.
 *
 * `read_texts` reads keys that the script did not name. While a Cluster moves their slot, some of them may be on
 * another node, and one that is not here would look like one that is nowhere. Read together with KEYS[1] they make
 * Redis notice; the script then ends with TRYAGAIN, and the client asks again.
 */
export const REQUIRE_VERSION = `
local function read_texts(...)
  local texts = redis.pcall('MGET', KEYS[1], ...)
  if not texts.err then
    table.remove(texts, 1)
  elseif string.find(texts.err, 'non local key', 1, true) then
    texts = redis.error_reply('TRYAGAIN the slot of the keys is being moved')
  end
  return texts
end
local version = read_texts('${VERSION_KEY}')
if version.err then return version end
if version[1] and version[1] ~= '${STORE_VERSION}' then return redis.error_reply('VERSION ' .. version[1]) end
`;
