/**
 * A snapshot that was never verified, with damage in its indexes: 600 copies, 10,000 in the soak (DAMAGED_COPIES), every
 * endpoint asked about each, and a clock beside it. No call may take over 100 ms, throw anything but a DomainError, or
 * answer more than MOST_BYTES. The damage comes into a snapshot that is open already, as when a page under a mapping goes bad: so not
 * even what opening looks at holds.
 */

import { beforeAll, expect, test } from '@jest/globals';
import { listPlaces } from '../../src/core/answers/places.js';
import {
  type Country,
  type CountryStructures,
  decodeSnapshot,
  type Snapshot,
} from '../../src/core/snapshot/snapshot.js';
import { endsWithin } from '../fixtures/clock.js';
import { buildDamageableBytes, oldPathOf, SeededDamage } from '../fixtures/damageable-snapshot.js';
import { createRandom } from '../fixtures/random.mjs';
import { parseAnswer } from './answer.js';
import { ask, type Call, describeCall, findFaults, listCalls } from './endpoint-calls.js';

const SEED = 20260330;
const COPIES = Number(process.env.DAMAGED_COPIES ?? 600);
/** Copies under one clock: starting it takes longer than a copy. */
const BATCH_COPIES = 200;
/** For a batch, which takes less than a second: only a loop without end comes to it. */
const BATCH_MS = 30_000;
const MOST_MS = 100;
/** Maximum number of places of a country that are asked for. */
const ASKED_PLACES = 40;

let bytes: Uint8Array;
let snapshot: Snapshot;
let callsByEndpoint: readonly (readonly Call[])[];
beforeAll(async () => {
  bytes = await buildDamageableBytes();
  snapshot = decodeSnapshot(bytes, false);
  callsByEndpoint = listCalls(snapshot, ASKED_PLACES, oldPathOf);
});

test('of the sound snapshot no call fails, and no endpoint refuses all', () => {
  expect(callsByEndpoint).toHaveLength(16);
  for (const calls of callsByEndpoint) {
    expect(findFaults(snapshot, calls)).toEqual([]);
    expect(calls.some((call) => ask(snapshot, call) !== 'refused')).toBe(true);
  }
  const oldPaths = callsByEndpoint.flatMap((calls) =>
    calls.filter(({ name, input }) => name === 'resolvePath' && JSON.stringify(input).includes('"alt-')),
  );
  expect(oldPaths.filter((call) => ask(snapshot, call) !== 'refused').length).toBeGreaterThan(ASKED_PLACES);
});

test('no copy hangs, fails, or answers without bound', () => {
  const random = createRandom(SEED);
  const damage = new SeededDamage(bytes, random);
  const faults: string[] = [];
  let copy = 0;
  let doing = '';
  const tryCopy = (): void => {
    const what = `seed ${SEED}, copy ${copy}: ${damage.inflict()}: `;
    for (const list of callsByEndpoint) {
      const call = list[Math.floor(random() * list.length)] as Call;
      doing = what + describeCall(call);
      const startedMs = performance.now();
      faults.push(...findFaults(snapshot, [call]).map((fault) => what + fault));
      if (performance.now() - startedMs > MOST_MS && isSlow(call)) faults.push(`${doing}: over ${MOST_MS} ms`);
    }
  };
  for (let end = BATCH_COPIES; end <= COPIES && faults.length < 5; end += BATCH_COPIES) {
    const isOver = endsWithin(BATCH_MS, () => {
      for (; copy < end; copy++) {
        tryCopy();
        damage.repair();
      }
    });
    if (isOver) continue;
    faults.push(`${doing}: no end`);
    damage.repair();
    copy = end;
  }
  expect(faults).toEqual([]);
  for (const list of callsByEndpoint) expect(findFaults(snapshot, list)).toEqual([]);
});

test('places that are not there leave a page as JSON', () => {
  const country = snapshot.countries.find(({ structures }) => (structures?.orders.all.length ?? 0) > 3) as Country;
  const { orders } = country.structures as CountryStructures;
  const request = { country: country.entry.code, level: undefined, page: 1, pageSize: 4 };
  const sound = [...orders.all];
  for (const at of [[0], [3], [0, 2, 3], [0, 1, 2, 3]]) {
    for (const position of at) orders.all[position] = 0xffff_ffff;
    expect(parseAnswer(listPlaces(snapshot, request)).items).toHaveLength(4 - at.length);
    orders.all.set(sound);
  }
});

/** Whether a call takes too long two times more: a machine that is busy otherwise is no fault of the call. */
function isSlow(call: Call): boolean {
  return [2, 3].every(() => {
    const startedMs = performance.now();
    findFaults(snapshot, [call]);
    return performance.now() - startedMs > MOST_MS;
  });
}
