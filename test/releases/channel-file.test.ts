/** The file of a channel and compressed files: written and read again, and hostile ones, which are refused at once. */

import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChannelError } from '../../src/releases/channel/channel-error.js';
import {
  advanceChannelFile,
  type ChannelFile,
  encodeChannelFile,
  MAX_CHANNEL_FILE_BYTES,
  parseChannelFile,
  type Release,
  stepBackChannelFile,
} from '../../src/releases/channel/channel-file.js';
import { compressFile, expandFile } from '../../src/releases/files/compressed-file.js';
import { endsWithin } from '../fixtures/clock.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const DIGEST = { bytes: 100_000, sha256: 'ab'.repeat(32) };
const FILE = { ...DIGEST, compressed: { ...DIGEST, bytes: 20_000 } };
const RELEASE: Release = {
  name: '2026-03-0123456789abcdef',
  formatVersion: 9,
  sourceDate: '2026-03-01',
  publishedAt: '2026-03-02T03:04:05.000Z',
  counts: { countries: 1, places: 2, postcodes: 3 },
  snapshot: FILE,
  changes: { since: '2026-02-fedcba9876543210', ...FILE },
};
const OTHER: Release = { ...RELEASE, name: '2026-02-fedcba9876543210', changes: null };
const CHANNEL: ChannelFile = {
  channel: 'stable',
  sequence: 1_800_000_000,
  changedAt: '2026-03-02T03:04:05.000Z',
  release: RELEASE,
  earlier: [OTHER],
  later: [],
};

/** The message of the error; "accepted" without one. A refusal comes in time, whatever the text. */
function parse(text: string): string {
  let refusal = 'accepted';
  const isInTime = endsWithin(60_000, () => {
    try {
      parseChannelFile(text, 'stable');
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      refusal = error.message;
    }
  });
  return isInTime ? refusal : 'too late';
}

const channelWith = (fields: object): string => JSON.stringify({ ...CHANNEL, ...fields });
const releaseWith = (fields: object): string => channelWith({ release: { ...RELEASE, ...fields } });
const snapshotWith = (fields: object): string => releaseWith({ snapshot: { ...FILE, ...fields } });

test('what is written is read again, and fields of later versions are ignored', () => {
  expect(parseChannelFile(encodeChannelFile(CHANNEL), 'stable')).toEqual(CHANNEL);
  const release = { ...RELEASE, changes: null, sourceDate: null, later: [1] };
  const text = channelWith({ release, earlier: [], sequence: 0, fresh: true });
  expect(parseChannelFile(text, 'stable')).toMatchObject({ release: { changes: null }, sequence: 0, earlier: [] });
});

test.each<[string, string, RegExp]>([
  ['nothing', '', /no JSON/],
  ['no JSON', '<!doctype html><title>404</title>', /no JSON/],
  ['a list', '[]', /another channel/],
  ['null', 'null', /another channel/],
  ['a number', '1e999', /another channel/],
  ['JSON that is cut', encodeChannelFile(CHANNEL).slice(0, -3), /no JSON/],
  ['only a prototype', '{"__proto__":{"channel":"stable","sequence":1}}', /another channel/],
  ['lists in lists', `{"earlier":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, /./],
  ['a channel of another name', channelWith({ channel: 'next' }), /another channel/],
  ['without a release', channelWith({ release: null }), /name of a release/],
  ['a sequence number below zero', channelWith({ sequence: -1 }), /sequence/],
  ['a sequence number that is a text', channelWith({ sequence: '1' }), /sequence/],
  ['a sequence number beyond 2^53', channelWith({}).replace('1800000000', '9007199254740993'), /sequence/],
  ['a date that is none', channelWith({ changedAt: 'never' }), /changedAt/],
  ['a long date', channelWith({ changedAt: `2026-03-02${' '.repeat(40)}` }), /changedAt/],
  ['without earlier releases', channelWith({ earlier: null }), /earlier/],
  ['too many of them', channelWith({ earlier: Array(21).fill(OTHER) }), /earlier/],
  ['later releases that are no list', channelWith({ later: {} }), /later/],
  ['a later one without a name', channelWith({ later: [{ ...OTHER, name: '' }] }), /name of a release/],
  ['an earlier one that is null', channelWith({ earlier: [null] }), /name of a release/],
  ['a release by a path', releaseWith({ name: '../../etc/passwd-0123456789abcdef' }), /name of a release/],
  ['a format version that is a text', releaseWith({ formatVersion: '9' }), /formatVersion/],
  ['an infinite one', releaseWith({}).replace('"formatVersion":9', '"formatVersion":1e999'), /formatVersion/],
  ['without counts', releaseWith({ counts: null }), /counts/],
  ['counts that are texts', releaseWith({ counts: { countries: '1', places: 1, postcodes: 1 } }), /counts/],
  ['without a date of publication', releaseWith({ publishedAt: 'soon' }), /publishedAt/],
  ['a long source date', releaseWith({ sourceDate: 'x'.repeat(41) }), /sourceDate/],
  ['changes since a path', releaseWith({ changes: { ...FILE, since: '../../x' } }), /changes/],
  ['a list of changes that is too long', releaseWith({ changes: { ...RELEASE.changes, bytes: 2 ** 31 } }), /changes/],
  ['without a snapshot', releaseWith({ snapshot: null }), /snapshot/],
  ['a length below zero', snapshotWith({ bytes: -1 }), /snapshot/],
  ['half a byte', snapshotWith({ bytes: 0.5 }), /snapshot/],
  ['longer than a snapshot can be', snapshotWith({ bytes: Number.MAX_SAFE_INTEGER }), /snapshot/],
  ['a digest in upper case', snapshotWith({ sha256: DIGEST.sha256.toUpperCase() }), /snapshot/],
  ['without a compressed file', snapshotWith({ compressed: undefined }), /snapshot/],
  ['a path for its digest', snapshotWith({ compressed: { bytes: 1, sha256: '../'.repeat(21) } }), /snapshot/],
  ['a compressed file without an end', snapshotWith({ compressed: { ...DIGEST, bytes: 2 ** 40 } }), /snapshot/],
])('%s is refused', (_, text, found) => {
  expect(parse(text)).toMatch(/^FILE_INVALID: channels\/stable\.json /);
  expect(parse(text)).toMatch(found);
});

test('any JSON at all is read or refused, and nothing else; a prototype changes no other object', () => {
  const fields = (of: object) => fc.dictionary(fc.constantFrom(...Object.keys(of)), fc.jsonValue());
  fc.assert(
    fc.property(fields(CHANNEL), fields(RELEASE), (ofChannel, ofRelease) => {
      for (const text of [channelWith(ofChannel), releaseWith(ofRelease)]) {
        expect(parse(text)).toMatch(/^(?:accepted|FILE_INVALID: .*)$/s);
      }
    }),
    { seed: 31, numRuns: 100 },
  );
  const file = parseChannelFile(channelWith({}).replace('{', '{"__proto__":{"polluted":1},'), 'stable');
  expect([({} as { polluted?: 1 }).polluted, (file as { polluted?: 1 }).polluted]).toEqual([undefined, undefined]);
});

describe('a channel', () => {
  test('goes on growing, at a rollback and under a clock that is years behind', () => {
    const ahead = { ...CHANNEL, earlier: [], sequence: 4_000_000_000 };
    const advanced = advanceChannelFile(ahead, 'stable', OTHER);
    expect(advanced).toMatchObject({ release: OTHER, sequence: 4_000_000_001, earlier: [RELEASE] });
    expect(stepBackChannelFile(advanced)).toMatchObject({
      release: RELEASE,
      sequence: 4_000_000_002,
      earlier: [],
      later: [OTHER],
    });
    expect(stepBackChannelFile({ ...CHANNEL, earlier: [] })).toBeUndefined();
    expect(advanceChannelFile(undefined, 'stable', RELEASE).sequence).toBeGreaterThanOrEqual(
      Math.floor(Date.now() / 1000),
    );
  });

  test('describes no more than the last twenty earlier releases, each once, within its length', () => {
    const release = (index: number): Release => {
      const name = `${`r${index}-`.padEnd(64, 'x')}-0123456789abcdef`;
      return { ...RELEASE, name, changes: { ...FILE, since: name } };
    };
    let file = advanceChannelFile(undefined, 'stable', RELEASE);
    for (let index = 0; index < 30; index++) file = advanceChannelFile(file, 'stable', release(index));
    expect(file.earlier).toEqual(Array.from({ length: 20 }, (_, index) => release(index + 9)));
    file = advanceChannelFile(file, 'stable', release(15));
    expect(file.earlier.filter(({ name }) => name === release(15).name)).toEqual([]);
    for (let index = 0; index < 20; index++) file = stepBackChannelFile(file) as ChannelFile;
    expect([file.earlier.length, file.later.length]).toEqual([0, 20]);
    const text = encodeChannelFile({ ...file, earlier: file.later });
    expect(parseChannelFile(text, 'stable').release).toEqual(file.release);
    expect(text.length).toBeLessThan(MAX_CHANNEL_FILE_BYTES);
  });
});

describe('a compressed file', () => {
  let folder: TemporaryFolder;
  const inFolder = (name: string): string => join(folder.path, name);
  beforeAll(() => {
    folder = createTemporaryFolder();
  });
  afterAll(() => folder?.remove());

  async function compress(bytes: Uint8Array) {
    writeFileSync(inFolder('plain'), bytes);
    const [from, to] = [openSync(inFolder('plain'), 'r'), openSync(inFolder('compressed'), 'w+')];
    try {
      return { file: await compressFile(from, to), compressed: readFileSync(inFolder('compressed')) };
    } finally {
      closeSync(from);
      closeSync(to);
    }
  }
  const pieces = (bytes: Buffer, length: number): Buffer[] =>
    Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length));

  test('expands to what it was, in pieces of any length', async () => {
    const bytes = Buffer.from(Uint32Array.from({ length: 100_000 }, (_, index) => index * 7).buffer);
    for (const plain of [bytes, bytes.subarray(0, 1), Buffer.alloc(0)]) {
      const { file, compressed } = await compress(plain);
      for (const length of [compressed.length, 1_000]) {
        const expanded = Buffer.alloc(plain.length, 1);
        const write = (piece: Uint8Array, at: number): void => expanded.set(piece, at);
        expect(await expandFile(pieces(compressed, length), plain.length, write)).toEqual(file);
        expect(expanded.equals(plain)).toBe(true);
      }
    }
  });

  test('that is no file of Brotli, is cut, or has more behind it, is not the file', async () => {
    const { file, compressed } = await compress(Buffer.from('places '.repeat(10_000)));
    const measure = (bytes: Uint8Array) => expandFile([bytes], 100_000);
    expect(await measure(compressed)).toEqual(file);
    expect(await measure(compressed.subarray(0, -1))).toBeUndefined();
    expect(await measure(Buffer.alloc(0))).toBeUndefined();
    expect(await measure(Buffer.from('<h1>Not Found</h1>'))).toBeUndefined();
    expect(await measure(Buffer.concat([compressed, Buffer.from('x')]))).not.toEqual(file);
  });

  test('writes no byte more than may be, however far it would expand', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(20_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    let written = 0;
    const write = (piece: Uint8Array, position: number): void => {
      written = position + piece.length;
    };
    expect(await expandFile([bomb], 1_000_000, write)).toBeUndefined();
    expect(written).toBeLessThanOrEqual(1_000_000);
  });

  test('ends by a signal in the middle of what one piece expands to', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(20_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    const stop = new AbortController();
    let written = 0;
    const write = (piece: Uint8Array, position: number): void => {
      written = position + piece.length;
      if (written > 2_000_000) stop.abort(new Error('too late'));
    };
    await expect(expandFile([bomb], 20_000_000, write, stop.signal)).rejects.toThrow('too late');
    expect(written).toBeLessThan(3_000_000);
  });

  test('passes on what its pieces or its target throw', async () => {
    const { compressed } = await compress(Buffer.alloc(300_000, 'abc'));
    const stopped = Object.assign(new Error('stopped'), { code: 23 });
    async function* failing(): AsyncGenerator<Buffer> {
      yield compressed.subarray(0, 10);
      throw stopped;
    }
    await expect(expandFile(failing(), 300_000)).rejects.toBe(stopped);
    const full = (): void => {
      throw stopped;
    };
    await expect(expandFile([compressed], 300_000, full)).rejects.toBe(stopped);
  });
});
