/**
 * The start of every key of ours in Redis, so that a user of Redis may be limited to `postal-places:*`. The braces are
 * the hash tag: all that is ours shares one slot of a Cluster, so that one script can read and change any of it.
 */
export const REDIS_PREFIX = 'postal-places:{records}';
