/** The keys of a soak, one of each kind and several good ones, made by `postal-places keys`, and what Redis counts of them. */
import { createApiKey, isWellFormedApiKey } from '../../src/keys/key/api-key.js';
import { type RedisServer, startRedis } from '../fixtures/redis-server.js';
import type { PowerCut } from './append-only-file.js';
import type { KeyKind } from './evidence.js';
import type { LoadKey } from './load.js';
import { runKeyProgram } from './scene.js';

const GOOD_KEYS = 4;

export interface SoakKey extends LoadKey {
  readonly kind: KeyKind;
  /** Null for a key that no store has. */
  readonly id: string | null;
}

export async function createKeys(redis: RedisServer): Promise<SoakKey[]> {
  const create = async (kind: KeyKind, name: string, weight: number, ...more: string[]): Promise<SoakKey> => {
    const made = await runKeyProgram<{ id: string; key: string }>(redis, 'create', '--name', name, ...more);
    return { name, kind, id: made.id, clearKey: made.key, weight };
  };
  const keys: SoakKey[] = [];
  for (let number = 1; number <= GOOD_KEYS; number++) {
    keys.push(await create('good', `good ${number}`, 15, '--plan', 'unlimited'));
  }
  // So rarely that the quota lasts until it is used up on purpose.
  keys.push(await create('quota', 'quota', 3, '--plan', 'monthly'));
  keys.push(await create('revoked midway', 'revoked midway', 8, '--plan', 'unlimited'));
  const revoked = await create('revoked', 'revoked', 4);
  await runKeyProgram(redis, 'revoke', revoked.id as string);
  keys.push(revoked, await create('expired', 'expired', 4, '--expires', '2024-02-29T12:00Z'));
  keys.push({ name: 'unknown', kind: 'unknown', id: null, clearKey: createApiKey(), weight: 4 });
  keys.push({ name: 'mistyped', kind: 'mistyped', id: null, clearKey: mistype(createApiKey()), weight: 4 });
  return keys;
}

function mistype(clearKey: string): string {
  const mistyped = clearKey.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  if (isWellFormedApiKey(mistyped)) throw new Error('a wrong last character went unnoticed');
  return mistyped;
}

/** How many requests Redis has counted, by name. */
export async function readCounts(redis: RedisServer, keys: readonly SoakKey[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { name, id } of keys) {
    if (id === null) continue;
    const usage = await runKeyProgram<{ used: number; months: { used: number }[] }>(redis, 'usage', id);
    const before = usage.months.reduce((sum, { used }) => sum + used, 0);
    counts.set(name, before + usage.used);
  }
  return counts;
}

/** How many counted requests a power cut took. */
export async function countTaken({ whole, cut }: PowerCut, keys: readonly SoakKey[]): Promise<number> {
  const before = await readCountsIn(whole, keys);
  const after = await readCountsIn(cut, keys);
  return [...before].reduce((sum, [name, count]) => sum + count - (after.get(name) ?? 0), 0);
}

async function readCountsIn(dir: string, keys: readonly SoakKey[]): Promise<Map<string, number>> {
  const redis = await startRedis({ dir, appendOnly: true });
  try {
    return await readCounts(redis, keys);
  } finally {
    await redis.stop();
  }
}
