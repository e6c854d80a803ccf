/** Ids are UUIDs of version 5 as RFC 9562 has them: computed here once more, step by step, and against known ones. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  comparePlaceIds,
  createIds,
  decodePlaceIds,
  ID_BYTES,
  idAt,
  isIdAt,
  parsePlaceId,
  setIds,
  writePlaceId,
} from '../../src/core/snapshot/place-id.js';

const NAMESPACE = '706f7374-616c-4ac3-a970-6c616365732e';
const DNS_NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** The text of the id of `identity`. */
function placeId(identity: string): string {
  const ids = createIds(3).fill(0xee);
  writePlaceId(identity, ids, 1);
  expect([...ids.subarray(0, ID_BYTES), ...ids.subarray(ID_BYTES * 2)].every((byte) => byte === 0xee)).toBe(true);
  expect(idAt(ids, 1)).toEqual(ids.subarray(ID_BYTES, ID_BYTES * 2));
  const copy = createIds(2);
  setIds(copy, 1, idAt(ids, 1));
  expect([isIdAt(copy, 1, idAt(ids, 1)), isIdAt(copy, 0, idAt(ids, 1))]).toEqual([true, false]);
  return decodePlaceIds(ids)[1] as string;
}

/** RFC 9562, 5.5. */
function uuidVersion5(namespace: string, name: string): string {
  const hash = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest();
  const bytes = hash.subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

test('the reference agrees with the vector of RFC 9562, appendix A.4', () => {
  expect(uuidVersion5(DNS_NAMESPACE, 'www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
});

test('an id is the UUID of its identity, in our namespace', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (identity) => {
      expect(placeId(identity)).toBe(uuidVersion5(NAMESPACE, identity));
    }),
    { seed: 20260330, examples: [['']] },
  );
});

/** Made with Python's uuid.uuid5. They never change, or every id that anybody has kept would be lost. */
test.each([
  ['', '5ce81e7f-32d6-5506-b02c-9b2179a67360'],
  ['leaf\tAD\tAD100\tCanillo', 'bb330ddb-30c0-5dd4-9882-7379cf7633d5'],
  ['서울 🏝', 'b274bf1c-8fe5-540a-9a48-6d2b7cc61f19'],
])('the id of %j is %s', (identity, id) => expect(placeId(identity)).toBe(id));

test('bytes → texts → bytes', () => {
  const id = fc.uint8Array({ minLength: ID_BYTES, maxLength: ID_BYTES });
  fc.assert(
    fc.property(fc.array(id, { maxLength: 5 }), (list) => {
      const texts = decodePlaceIds(Buffer.concat(list));
      expect(texts).toHaveLength(list.length);
      texts.forEach((text, index) => {
        expect(text).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(Uint8Array.from(parsePlaceId(text) as Uint8Array)).toEqual(list[index]);
        expect(Uint8Array.from(parsePlaceId(text.toUpperCase()) as Uint8Array)).toEqual(list[index]);
      });
    }),
    { seed: 20260330 },
  );
});

test('ids compare as their texts do', () => {
  const id = fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { minLength: ID_BYTES, maxLength: ID_BYTES });
  fc.assert(
    fc.property(id, id, (first, second) => {
      const ids = Uint8Array.from([...first, ...second]);
      const [a, b] = decodePlaceIds(ids) as [string, string];
      expect(Math.sign(comparePlaceIds(ids, 0, 1))).toBe(a < b ? -1 : a > b ? 1 : 0);
      expect(comparePlaceIds(ids, 1, 1)).toBe(0);
    }),
    { seed: 20260330 },
  );
});

describe('what is no UUID', () => {
  test.each([
    '',
    'not-a-uuid',
    '2ed6657de927568b95e12665a8aea6a2',
    '2ed6657d-e927-568b-95e1-2665a8aea6a',
    '2ed6657d-e927-568b-95e1-2665a8aea6a22',
    '2ed6657d-e927-568b-95e1-2665a8aea6ag',
    ' 2ed6657d-e927-568b-95e1-2665a8aea6a2',
    '2ed6657d-e927-568b-95e1-2665a8aea6a2\n',
    '{2ed6657d-e927-568b-95e1-2665a8aea6a2}',
    '2ed6657d−e927−568b−95e1−2665a8aea6a2',
    '2ed6657d-e927-568b-95e1-2665a8aea6a２',
  ])('%j', (text) => expect(parsePlaceId(text)).toBeUndefined());
});
