import { expect, test } from '@jest/globals';
import { csvLine } from '../../src/core/answers/csv.js';
import { listFeatures } from '../../src/core/answers/geojson.js';
import { parseValue } from '../../src/core/answers/tables.js';
import { parseJson } from '../../src/core/snapshot/parse-json.js';
import { readListFields, readPlace } from '../../src/core/snapshot/place-fields.js';
import { type CountryStructures, decodeSnapshot } from '../../src/core/snapshot/snapshot.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import { damageStructure } from '../fixtures/damage.js';
import { buildDamageableBytes } from '../fixtures/damageable-snapshot.js';

test('JSON is parsed', () => {
  expect(parseJson('{"a":[1,null,"b"]}')).toEqual({ a: [1, null, 'b'] });
});

test('what is no JSON is a SnapshotError that quotes nothing of it, wherever it is read', async () => {
  const sound = await buildDamageableBytes();
  // A backslash makes every text one that must be parsed.
  const bytes = damageStructure(sound, 'place-answers', 'DE', ({ text }) => text.fill(0x5c));
  const structures = decodeSnapshot(bytes, false).countryByCode.get('DE')?.structures as CountryStructures;
  const reads = [
    () => parseJson('\\\\'),
    () => readPlace(structures, 0),
    () => readListFields(structures, 0),
    () => parseValue('"\\\\\\"'),
    () => parseValue('\\\\'),
    () => csvLine(['"\\\\\\"']),
    () => listFeatures('\\\\'),
  ];
  for (const read of reads) {
    let error: unknown;
    try {
      read();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(SnapshotError);
    expect((error as Error).message).not.toContain('\\');
  }
});
