/**
 * The layout of Redis before keys became records, to be carried over:
 *
 *     postal-places:ids            hash: id to digest
 *     postal-places:key:{digest}   hash: id, name, plan, state, replacedBy, sealed; created, expires, graceUntil in
 *                                  milliseconds, '' for null; version; arrival, see rate-limit.ts; used:2024-02, requests
 *                                  of that month; r:<process>, a receipt
 *
 * A key's counts come under the first digits of its digest.
 */

import type { Logger } from '../../logger.js';
import { createIfMissing, type RecordStore } from '../../records/record-store.js';
import { isDamage } from '../../storage/key-store-error.js';
import type { RedisClient } from '../../storage/redis/redis-client.js';
import { fieldsIn, textsIn } from '../../storage/redis/replies.js';
import { carryOver } from '../carrying-over.js';
import type { KeptKey } from '../kept-key.js';
import { KeyRecordError, parseKeyRecord } from '../key-record.js';
import { isRequestCount } from '../usage.js';
import { USAGE_PREFIX } from './redis-usage.js';

const IDS = 'postal-places:ids';
const CHUNK = 200;
/** The record that says that there is nothing to carry over, or no longer. */
const LAYOUT = { kind: 'key-usage', id: 'layout' };
const USAGE_ID_LENGTH = 16;
const COUNT_FIELD = /^used:(\d{4}-\d\d)$/;

/** Writes fields of a hash where there is no such key yet. KEYS: that key. ARGV: fields and values. */
const BEGIN_SCRIPT = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1
`;

/**
 * Carries keys and counts over, once for each Redis. Where this is interrupted, or several processes do it at once, no
 * count is overwritten. Rejects with KeyStoreError.
 */
export async function carryOverFromRedis(client: RedisClient, records: RecordStore, logger: Logger): Promise<void> {
  if ((await records.get(LAYOUT.kind, LAYOUT.id)) !== undefined) return;
  const digests = textsIn(await client.run('HVALS', IDS));
  for (let at = 0; at < digests.length; at += CHUNK) {
    const read = await Promise.all(digests.slice(at, at + CHUNK).map((digest) => readKey(client, digest, logger)));
    const keys = read.filter((key) => key !== undefined);
    await Promise.all(keys.map(({ usageId, counts }) => beginCounts(client, usageId, counts)));
    await carryOver(records, keys);
  }
  // Nothing is written where there is nothing to carry over, so that a full Redis can be read.
  if (digests.length === 0) return;
  logger.info({ store: client.description, keys: digests.length }, 'the keys of an earlier version were carried over');
  await createIfMissing(records, { ...LAYOUT, value: { keys: 'records' }, names: [], expiresMs: null });
}

interface EarlierKey extends KeptKey {
  /** Fields of the hash of counts, and their values. */
  readonly counts: readonly string[];
}

async function beginCounts(client: RedisClient, usageId: string, counts: readonly string[]): Promise<void> {
  if (counts.length > 0) await client.runScript(BEGIN_SCRIPT, [USAGE_PREFIX + usageId], counts);
}

/** A key that is damaged stays where it lies, and the log tells of it. */
async function readKey(client: RedisClient, digest: string, logger: Logger): Promise<EarlierKey | undefined> {
  const key = `postal-places:key:{${digest}}`;
  const tell = (problem: string, what: string): void =>
    logger.error({ store: client.description, key, problem }, `${what} of an earlier version was not carried over`);
  try {
    const fields = fieldsIn(await client.run('HGETALL', key));
    return fields.size === 0 ? undefined : decodeKey(digest, fields, (problem) => tell(problem, 'a damaged count'));
  } catch (error) {
    if (!(isDamage(error) || error instanceof KeyRecordError || error instanceof RangeError)) throw error;
    tell(error.message, 'a damaged key');
    return undefined;
  }
}

/** Throws KeyRecordError and RangeError. */
function decodeKey(
  digest: string,
  fields: ReadonlyMap<string, string>,
  onDamagedCount: (problem: string) => void,
): EarlierKey {
  const instant = (field: string): string | null | undefined => {
    const text = fields.get(field);
    return text === undefined ? undefined : text === '' ? null : new Date(Number(text)).toISOString();
  };
  const record = parseKeyRecord({
    id: fields.get('id'),
    name: fields.get('name'),
    plan: fields.get('plan'),
    created: instant('created'),
    expires: instant('expires'),
    state: fields.get('state'),
    replacedBy: fields.get('replacedBy') || null,
    graceUntil: instant('graceUntil'),
  });
  const counts = [...fields].flatMap(([field, value]) => {
    const [, month] = COUNT_FIELD.exec(field) ?? [];
    const name = field === 'arrival' ? field : month;
    if (name === undefined) return [];
    if (/^\d{1,16}(?:\.\d+)?$/.test(value) && (name === 'arrival' || isRequestCount(Number(value))))
      return [name, value];
    onDamagedCount(`${field} is ${JSON.stringify(value.slice(0, 40))}`);
    return [];
  });
  return { digest, record, sealed: fields.get('sealed') ?? null, usageId: digest.slice(0, USAGE_ID_LENGTH), counts };
}
