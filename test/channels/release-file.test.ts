/** The files of releases and channels: written and read again, and every hostile text, which is refused at once. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ChannelError } from '../../src/channels/channel-error.js';
import {
  advance,
  type ChannelFile,
  encodeChannelFile,
  parseChannelFile,
  stepBack,
} from '../../src/channels/channel-file.js';
import {
  encodeReleaseFile,
  MAX_RELEASE_FILE_BYTES,
  parseReleaseFile,
  type ReleaseFile,
} from '../../src/channels/release-file.js';
import { MAX_PART_BYTES } from '../../src/channels/snapshot-parts.js';
import { endsWithin } from '../fixtures/clock.js';

const NAME = '2026-03-0123456789abcdef';
const OTHER = '2026-02-fedcba9876543210';
const DIGEST = 'ab'.repeat(32);
const DELTA = { sha256: DIGEST, bytes: 9, compressedBytes: 5, base: DIGEST };

const RELEASE: ReleaseFile = {
  name: NAME,
  release: '2026-03',
  id: '0123456789abcdef',
  formatVersion: 9,
  sourceDate: '2026-03-01',
  publishedAt: '2026-03-02T03:04:05.000Z',
  counts: { countries: 1, places: 2, postcodes: 3 },
  bytes: 100_000,
  sha256: DIGEST,
  changes: {
    since: OTHER,
    sha256: DIGEST,
    bytes: 10,
    parts: [{ name: 'changes', sha256: DIGEST, compressedBytes: 5, ranges: [{ offset: 0, length: 10 }] }],
  },
  parts: [
    {
      name: 'manifest',
      sha256: DIGEST,
      compressedBytes: 5,
      ranges: [
        { offset: 0, length: 10 },
        { offset: 90_000, length: 10_000 },
      ],
    },
    { name: 'AD', sha256: DIGEST, compressedBytes: 5, delta: DELTA, ranges: [{ offset: 10, length: 89_990 }] },
  ],
};
const CHANNEL: ChannelFile = {
  channel: 'stable',
  release: NAME,
  sequence: 1_800_000_000,
  changedAt: '2026-03-02T03:04:05.000Z',
  earlier: [OTHER],
};

/** The message of the error; "accepted" without one. A refusal comes in time, whatever the text. */
function refusalOf(parse: () => unknown): string {
  let refusal = 'accepted';
  const isInTime = endsWithin(60_000, () => {
    try {
      parse();
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      refusal = error.message;
    }
  });
  return isInTime ? refusal : 'too late';
}

const parseRelease = (text: string): string => refusalOf(() => parseReleaseFile(text, NAME));
const parseChannel = (text: string): string => refusalOf(() => parseChannelFile(text, 'stable'));
const releaseWith = (fields: object): string =>
  JSON.stringify({ ...JSON.parse(encodeReleaseFile(RELEASE)), ...fields });
const channelWith = (fields: object): string => JSON.stringify({ ...CHANNEL, ...fields });
const partsWith = (ranges: unknown, fields: object = {}): string =>
  releaseWith({ parts: [{ name: 'AD', sha256: DIGEST, compressedBytes: 5, ranges, ...fields }] });

test('what is written is read again', () => {
  expect(parseReleaseFile(encodeReleaseFile(RELEASE), NAME)).toEqual(RELEASE);
  expect(parseChannelFile(encodeChannelFile(CHANNEL), 'stable')).toEqual(CHANNEL);
});

test('the same for other values that a publisher may write, and fields of later versions are ignored', () => {
  const fields = { changes: null, sourceDate: null, parts: [], bytes: 0, later: { version: [1] } };
  expect(parseReleaseFile(releaseWith(fields), NAME)).toMatchObject({ changes: null, sourceDate: null, parts: [] });
  expect(parseChannelFile(channelWith({ earlier: [], sequence: 0, later: true }), 'stable').earlier).toEqual([]);
});

const TEXTS: readonly [string, string][] = [
  ['nothing', ''],
  ['no JSON', '<!doctype html><title>404</title>'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a number', '1e999'],
  ['a text', '"x"'],
  ['an empty object', '{}'],
  ['JSON that is cut', encodeReleaseFile(RELEASE).slice(0, -3)],
  ['only a prototype', '{"__proto__":{"channel":"stable","release":"x","sequence":1}}'],
  ['lists in lists', `{"parts":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ['objects in objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
];

test.each(TEXTS)('%s is neither a release nor a channel', (_, text) => {
  expect(parseRelease(text)).toMatch(
    /^FILE_INVALID: releases\/.* is not as it must be: .*; publish the release again$/,
  );
  expect(parseChannel(text)).toMatch(/^FILE_INVALID: channels\/stable.json is not as it must be: /);
});

describe('a release', () => {
  test.each<[string, string, RegExp]>([
    ['of another name', releaseWith({ name: OTHER }), /another release/],
    ['whose id is another', releaseWith({ id: 'fedcba9876543210' }), /another release/],
    ['whose release is another', releaseWith({ release: '2026-04' }), /another release/],
    ['with a format version that is a text', releaseWith({ formatVersion: '9' }), /formatVersion/],
    [
      'with an infinite format version',
      releaseWith({}).replace('"formatVersion":9', '"formatVersion":1e999'),
      /formatV/,
    ],
    ['with a length below zero', releaseWith({ bytes: -1 }), /bytes/],
    ['with half a byte', releaseWith({ bytes: 0.5 }), /bytes/],
    ['longer than a snapshot can be', releaseWith({ bytes: Number.MAX_SAFE_INTEGER }), /bytes/],
    ['with a digest in upper case', releaseWith({ sha256: DIGEST.toUpperCase() }), /sha256/],
    ['with a path for a digest', releaseWith({ sha256: '../'.repeat(21) }), /sha256/],
    ['without counts', releaseWith({ counts: null }), /counts/],
    ['with counts that are texts', releaseWith({ counts: { countries: '1', places: 1, postcodes: 1 } }), /counts/],
    ['without a date', releaseWith({ publishedAt: 'soon' }), /publishedAt/],
    ['with a long source date', releaseWith({ sourceDate: 'x'.repeat(41) }), /sourceDate/],
    ['since a path', releaseWith({ changes: { since: '../../x', sha256: DIGEST, bytes: 1 } }), /changes/],
    ['without parts', releaseWith({ parts: null }), /parts/],
    ['with parts that are no list', releaseWith({ parts: { length: 1 } }), /parts/],
    ['with too many parts', releaseWith({ parts: Array(10_001).fill(0) }), /parts/],
    ['with a part that is null', releaseWith({ parts: [null] }), /part 0/],
    ['with a part that is a number', releaseWith({ parts: [1] }), /part 0/],
    ['with a part by a path', partsWith('0,10', { sha256: `../${DIGEST}` }), /part 0/],
    ['with a long name of a part', partsWith('0,10', { name: 'x'.repeat(41) }), /part 0/],
    ['with a part over 16 MB', partsWith('0,10', { compressedBytes: 16_000_001 }), /part 0/],
    ['with a delta that is null', partsWith('0,10', { delta: null }), /part 0/],
    ['with a delta by a path', partsWith('0,10', { delta: { ...DELTA, sha256: `../${DIGEST}` } }), /part 0/],
    ['with a delta of no base', partsWith('0,10', { delta: { ...DELTA, base: undefined } }), /part 0/],
    ['with a delta over 4 MiB', partsWith('0,10', { delta: { ...DELTA, bytes: 2 ** 22 + 1 } }), /part 0/],
    ['with a delta over 16 MB', partsWith('0,10', { delta: { ...DELTA, compressedBytes: 16_000_001 } }), /part 0/],
    ['with too long a range', partsWith(`0,${MAX_PART_BYTES + 1}`), /part 0/],
    ['with ranges that are a list', partsWith([[0, 10]]), /part 0/],
    ['with no range', partsWith(''), /part 0/],
    ['with a range below zero', partsWith('-1,10'), /part 0/],
    ['with half a range', partsWith('0,10 20'), /part 0/],
    ['with two blanks', partsWith('0,10  20,10'), /part 0/],
    ['with too many ranges', partsWith(Array.from({ length: 1_001 }, (_, at) => `${at},1`).join(' ')), /part 0/],
    ['with an empty range', partsWith('0,0'), /the range 0,0/],
    ['with overlapping ranges', partsWith('0,10 9,10'), /the range 9,10/],
    ['with the same range twice', partsWith('0,10 0,10'), /the range 0,10/],
    ['with a range beyond the end', partsWith('99999,2'), /the range 99999,2/],
    ['with a range far beyond the end', partsWith('9999999999,10'), /the range 9999999999,10/],
  ])('%s is refused', (_, text, found) => {
    expect(parseRelease(text)).toMatch(/^FILE_INVALID: /);
    expect(parseRelease(text)).toMatch(found);
  });

  test('with parts that overlap one another is refused', () => {
    const part = (ranges: string): object => ({ name: 'AD', sha256: DIGEST, compressedBytes: 5, ranges });
    expect(parseRelease(releaseWith({ parts: [part('0,10'), part('10,10')] }))).toBe('accepted');
    expect(parseRelease(releaseWith({ parts: [part('10,10'), part('0,11')] }))).toMatch(/the range 10,10/);
  });

  test('of the greatest length is refused in time', () => {
    for (const text of [
      partsWith(Array.from({ length: 400_000 }, () => '0,1').join(' ')),
      partsWith(`${'1'.repeat(MAX_RELEASE_FILE_BYTES - 1_000)},1`),
      releaseWith({ parts: Array(9_000).fill({ name: 'x'.repeat(400) }) }),
      `{"a":"${'\\u0000'.repeat(600_000)}"}`,
    ]) {
      expect(parseRelease(text)).toMatch(/^FILE_INVALID: /);
    }
  });

  test('that names a prototype changes no other object', () => {
    const text = releaseWith({}).replace('{', '{"__proto__":{"polluted":1},"constructor":{"polluted":1},');
    const file = parseReleaseFile(text, NAME) as unknown as Record<string, unknown>;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(file.polluted).toBeUndefined();
  });

  test('that is any JSON at all is read or refused, and nothing else', () => {
    const fields = fc.constantFrom(...Object.keys(RELEASE));
    fc.assert(
      fc.property(fc.dictionary(fields, fc.jsonValue()), (changed) => {
        expect(parseRelease(releaseWith(changed))).toMatch(/^(?:accepted|FILE_INVALID: .*)$/s);
      }),
      { seed: 31, numRuns: 300 },
    );
  });
});

describe('a channel', () => {
  test.each<[string, string, RegExp]>([
    ['of another name', channelWith({ channel: 'next' }), /another channel/],
    ['without a release', channelWith({ release: null }), /release/],
    ['whose release is a path', channelWith({ release: '../../etc/passwd-0123456789abcdef' }), /release/],
    ['with a sequence number below zero', channelWith({ sequence: -1 }), /sequence/],
    ['with a sequence number that is a text', channelWith({ sequence: '1' }), /sequence/],
    ['with a sequence number beyond 2^53', channelWith({}).replace('1800000000', '9007199254740993'), /sequence/],
    ['with a date that is none', channelWith({ changedAt: 'never' }), /changedAt/],
    ['with a long date', channelWith({ changedAt: `2026-03-02${' '.repeat(40)}` }), /changedAt/],
    ['without earlier releases', channelWith({ earlier: null }), /earlier/],
    ['with too many of them', channelWith({ earlier: Array(21).fill(OTHER) }), /earlier/],
    ['with one by a path', channelWith({ earlier: ['../x'] }), /earlier/],
  ])('%s is refused', (_, text, found) => {
    expect(parseChannel(text)).toMatch(/^FILE_INVALID: /);
    expect(parseChannel(text)).toMatch(found);
  });

  test('goes on growing, at a rollback and under a clock that is years behind', () => {
    const ahead = { ...CHANNEL, sequence: 4_000_000_000 };
    const advanced = advance(ahead, 'stable', OTHER);
    expect(advanced).toMatchObject({ release: OTHER, sequence: 4_000_000_001, earlier: [NAME] });
    expect(stepBack(advanced)).toMatchObject({ release: NAME, sequence: 4_000_000_002, earlier: [] });
    expect(stepBack({ ...CHANNEL, earlier: [] })).toBeUndefined();
    const now = Math.floor(Date.now() / 1000);
    expect(advance(undefined, 'stable', NAME).sequence).toBeGreaterThanOrEqual(now);
  });

  test('names no more than the last twenty earlier releases, each once', () => {
    let file = advance(undefined, 'stable', NAME);
    const nameOf = (index: number): string => `r${index}-0123456789abcdef`;
    for (let index = 0; index < 30; index++) file = advance(file, 'stable', nameOf(index));
    expect(file.earlier).toEqual(Array.from({ length: 20 }, (_, index) => nameOf(index + 9)));
    file = advance(file, 'stable', nameOf(15));
    expect(file.earlier.filter((name) => name === nameOf(15))).toEqual([]);
    expect(parseChannelFile(encodeChannelFile(file), 'stable')).toEqual(file);
  });
});
