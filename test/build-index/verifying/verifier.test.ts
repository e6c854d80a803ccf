/** Verifying a file in two parts, as a build does: what is found in which of them. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createVerifier } from '../../../build-index/verifying/verify-snapshot.js';
import type { Manifest } from '../../../src/core/snapshot/manifest.js';
import { damageStructure, manifestOf } from '../../fixtures/damage.js';
import { buildFixtureSnapshot } from '../../fixtures/fixture-snapshot.js';
import type { FixtureRow } from '../../fixtures/hand-made-release.js';
import { poolHere } from '../../fixtures/pool-here.js';
import { silentProgress } from '../../fixtures/silent-progress.js';
import { buildSmallSnapshot, type SmallSnapshot } from '../../fixtures/small-snapshot.js';

let small: SmallSnapshot;
let manifest: Manifest;
let target: string;
beforeAll(async () => {
  small = await buildSmallSnapshot();
  manifest = manifestOf(small.bytes);
  target = join(small.folder.path, 'target.snapshot');
});
afterAll(() => small?.folder.remove());

function verifierOf(bytes: Uint8Array) {
  writeFileSync(target, bytes);
  return createVerifier(target, poolHere, silentProgress);
}

test('a sound file passes in both parts', async () => {
  const verifier = verifierOf(small.bytes);
  await verifier.verifyCountries(manifest);
  await verifier.verifyWhole(manifest);
});

test('countries are verified in a file that ends behind their sections, and has no header yet', async () => {
  const end = manifest.sections.find(({ name }) => name === 'country-answers')?.offset as number;
  const unfinished = readFileSync(small.path).subarray(0, end);
  unfinished.fill(0, 0, manifest.sections[0]?.offset);
  await verifierOf(unfinished).verifyCountries(manifest);
});

test('a fault of a country is found in the first part, before there is a manifest that could tell of it', async () => {
  const bytes = damageStructure(small.bytes, 'place-tree', 'LI', ({ parents }) => parents?.fill(0));
  const verifier = verifierOf(bytes);
  await expect(verifier.verifyCountries(manifestOf(bytes))).rejects.toThrow(/place-tree of LI/);
  await verifier.verifyWhole(manifestOf(bytes));
});

test('a fault of the world is found in the second part', async () => {
  const bytes = damageStructure(small.bytes, 'country-grid', undefined, ({ cells }) => cells?.fill(0));
  const verifier = verifierOf(bytes);
  await verifier.verifyCountries(manifestOf(bytes));
  await expect(verifier.verifyWhole(manifestOf(bytes))).rejects.toThrow(/country-grid/);
});

test('a file with another manifest than the one that the countries were verified by is refused', async () => {
  const verifier = verifierOf(small.bytes);
  await expect(verifier.verifyWhole({ ...manifest, release: 'another' })).rejects.toMatchObject({
    code: 'MANIFEST_DAMAGED',
  });
});

test('siblings of one name that are not beside each other are found: a look-up takes them for a range', async () => {
  const names = ['Anton', 'Berta', 'Cesar'];
  const rows = names.map((name): FixtureRow => ['AD100', name, '', '', '', 42.5, 1.6]);
  const fixture = await buildFixtureSnapshot({ AD: rows });
  const bytes = damageStructure(readFileSync(fixture.path), 'place-answers', 'AD', ({ text }) => {
    const at = Buffer.from(text.buffer, text.byteOffset, text.length).indexOf('"name":"Cesar"');
    text.set(Buffer.from('"name":"Anton"'), at);
  });
  fixture.cleanup();
  const contents = manifestOf(bytes);
  await expect(verifierOf(bytes).verifyCountries(contents)).rejects.toMatchObject({ code: 'STRUCTURE_INVALID' });
});
