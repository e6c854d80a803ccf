/** Keys and signatures against those of the program minisign, both ways, and every damage to them. */

import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ChannelError } from '../../src/releases/channel/channel-error.js';
import {
  createKeyFiles,
  parseMinisignPublicKey,
  parseMinisignSigningKey,
  signWithMinisign,
  verifyWithMinisign,
} from '../../src/releases/channel/minisign.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/fixture-snapshot.js';

const TEXT = '{"a text": "ä ü 漢字 🌍"}\n';
const COMMENT = 'timestamp:1700000000\tfile:channels/stable.json\thashed';

/**
 * What minisign 0.11 made with the password "pw", locked again with the least work that minisign unlocks (scrypt of 2^10
 * instead of 2^20): what it chooses takes seconds and 1 GB of memory.
 */
const LOCKED = `untrusted comment: minisign encrypted secret key
RWRTY0Iy6oL7jn1b/fWHE12vBmgz/obpIkcvoe5Yy14P3OgqjS4AgAAAAAAAAAAAAAEAAAAAxyhdM/D0pMcSxHzpOLHVyZ1osoKcLq3nEYuNlvU9W0XSgOCUi8oH0Fwy1LEMNnRSVABoGJ7epBwT9aIUtOA2I+QRs4wsWR8gbLQIuvvRkjmWZGkdJbGfAoQKkzufY5rW+x2dc1xPueQ=
`;
const LOCKED_PUBLIC = 'RWTNNBdtN8D3tCqkJE4vdam0aTCcp5bn6CWtuJt90Yg0nRX4VeWVSj2H';

let folder: TemporaryFolder;
const inFolder = (name: string): string => join(folder.path, name);
const read = (name: string): string => readFileSync(inFolder(name), 'utf8');

function minisign(args: readonly string[], input = ''): { status: number | null; stdout: string; stderr: string } {
  return spawnSync('minisign', args, { cwd: folder.path, encoding: 'utf8', input, timeout: 120_000 });
}

beforeAll(() => {
  folder = createTemporaryFolder();
  writeFileSync(inFolder('text'), TEXT);
  const made = createKeyFiles();
  writeFileSync(inFolder('ours'), made.secret);
  writeFileSync(inFolder('ours.pub'), made.public);
  expect(minisign(['-G', '-W', '-s', 'theirs', '-p', 'theirs.pub'])).toMatchObject({ status: 0 });
});
afterAll(() => folder?.remove());

/** The code and message of what `work` throws. */
function refusalOf(work: () => void): string {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(ChannelError);
    return (error as Error).message;
  }
  return 'accepted';
}

describe.each(['ours', 'theirs'])('with a key of %s', (name) => {
  test('minisign verifies what we sign, and its comment', () => {
    writeFileSync(inFolder('text.minisig'), signWithMinisign(TEXT, parseMinisignSigningKey(read(name)), COMMENT));
    const { status, stdout } = minisign(['-V', '-p', `${name}.pub`, '-m', 'text']);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: `Signature and comment signature verified\nTrusted comment: ${COMMENT}\n`,
    });
    writeFileSync(inFolder('other'), `${TEXT} `);
    copyFileSync(inFolder('text.minisig'), inFolder('other.minisig'));
    expect(minisign(['-V', '-p', `${name}.pub`, '-m', 'other']).status).toBe(1);
  });

  test('we verify what minisign signs', () => {
    expect(minisign(['-S', '-s', name, '-m', 'text', '-t', 'a comment, ü']).status).toBe(0);
    const key = parseMinisignPublicKey(read(`${name}.pub`));
    verifyWithMinisign(TEXT, read('text.minisig'), key);
    expect(parseMinisignSigningKey(read(name)).id).toBe(key.id);
    // minisign writes the number without leading zeros.
    expect(read(`${name}.pub`)).toContain(key.id.replace(/^0+/, ''));
  });

  test('a signature of the text itself, as of minisign before 0.9, is refused', () => {
    expect(minisign(['-S', '-l', '-s', name, '-m', 'text']).status).toBe(0);
    const refusal = refusalOf(() =>
      verifyWithMinisign(TEXT, read('text.minisig'), parseMinisignPublicKey(read(`${name}.pub`))),
    );
    expect(refusal).toMatch(/^SIGNATURE_INVALID: .*does not sign the digest/);
  });
});

describe('a key with a password', () => {
  beforeAll(() => {
    writeFileSync(inFolder('locked'), LOCKED);
    writeFileSync(inFolder('locked.pub'), LOCKED_PUBLIC);
  });

  test('is refused, and what the error says removes the password', () => {
    const refusal = refusalOf(() => parseMinisignSigningKey(read('locked'), 'locked.key'));
    expect(refusal).toMatch(/^KEY_INVALID: locked.key has a password; remove it: minisign -C -W -s <file>$/);
    expect(minisign(['-C', '-W', '-s', 'locked'], 'pw\n').status).toBe(0);
    const signature = signWithMinisign(TEXT, parseMinisignSigningKey(read('locked')), COMMENT);
    verifyWithMinisign(TEXT, signature, parseMinisignPublicKey(read('locked.pub')));
  });
});

describe('keys', () => {
  test.each<[string, (text: string) => string]>([
    ['with CRLF', (text) => text.replaceAll('\n', '\r\n')],
    ['without the end of its last line', (text) => text.trimEnd()],
    ['without its comment', (text) => text.split('\n')[1] as string],
    ['with another comment', (text) => text.replace(/^.*/, 'untrusted comment: kept by Zoë')],
  ])('%s are read', (_, change) => {
    expect(parseMinisignPublicKey(change(read('theirs.pub'))).id).toBe(parseMinisignPublicKey(read('theirs.pub')).id);
    expect(parseMinisignSigningKey(change(read('theirs'))).id).toBe(parseMinisignPublicKey(read('theirs.pub')).id);
  });

  /** The text with the lowest bit of the byte at `index` of its key flipped. */
  const withFlippedBit = (text: string, index: number): string => {
    const [comment = '', line = ''] = text.split('\n');
    const bytes = Buffer.from(line, 'base64');
    bytes[index] = (bytes[index] as number) ^ 1;
    return `${comment}\n${bytes.toString('base64')}\n`;
  };

  test.each<[string, (text: string) => string]>([
    ['nothing', () => ''],
    ['only a comment', (text) => text.split('\n')[0] as string],
    ['a key that is cut', (text) => text.trimEnd().slice(0, -4)],
    ['a key that is longer', (text) => `${text.trimEnd()}AAAA`],
    ['another algorithm', (text) => withFlippedBit(text, 1)],
    ['characters outside base64', (text) => text.replace(/\n(.{4})/, '\n$1*')],
    ['a third line', (text) => `${text}more\n`],
    ['a long comment', (text) => `untrusted comment: ${'x'.repeat(5_000)}\n${text.split('\n')[1]}\n`],
    ['bytes that are no text', () => Buffer.alloc(200, 0xff).toString('latin1')],
  ])('%s is refused', (_, change) => {
    expect(refusalOf(() => parseMinisignPublicKey(change(read('ours.pub'))))).toMatch(/^KEY_INVALID: /);
    expect(refusalOf(() => parseMinisignSigningKey(change(read('ours'))))).toMatch(/^KEY_INVALID: /);
  });

  test('the one is not the other', () => {
    expect(refusalOf(() => parseMinisignPublicKey(read('ours')))).toMatch(/^KEY_INVALID: .*\.pub/);
    expect(refusalOf(() => parseMinisignSigningKey(read('ours.pub')))).toMatch(/^KEY_INVALID: /);
  });

  test('a secret key whose halves differ is refused', () => {
    expect(refusalOf(() => parseMinisignSigningKey(withFlippedBit(read('ours'), 70)))).toMatch(
      /^KEY_INVALID: .*halves/,
    );
  });
});

describe('signatures', () => {
  const sign = (): string => signWithMinisign(TEXT, parseMinisignSigningKey(read('ours')), COMMENT);
  const verify = (signature: string, text = TEXT): string =>
    refusalOf(() => verifyWithMinisign(text, signature, parseMinisignPublicKey(read('ours.pub'))));

  test('hold for their text alone, however its lines end', () => {
    expect(verify(sign())).toBe('accepted');
    expect(verify(sign().replaceAll('\n', '\r\n'))).toBe('accepted');
    for (const text of ['', TEXT.trimEnd(), TEXT.replace('\n', '\r\n'), `${TEXT}\n`, TEXT.replace('ä', 'a')]) {
      expect(verify(sign(), text)).toMatch(/^SIGNATURE_INVALID: .*of another text/);
    }
  });

  test('of another key are refused, and the error names both', () => {
    const other = parseMinisignSigningKey(createKeyFiles().secret);
    const ours = parseMinisignPublicKey(read('ours.pub')).id;
    expect(verify(signWithMinisign(TEXT, other, COMMENT))).toContain(`it is of key ${other.id}, not of ${ours}`);
    // Another key that claims the id of the trusted one.
    expect(verify(signWithMinisign(TEXT, { ...other, id: ours }, COMMENT))).toMatch(/of another text/);
  });

  test.each<[string, (signature: string) => string, RegExp]>([
    ['a changed comment', (text) => text.replace('1700000000', '1700000001'), /its comment was changed/],
    ['no comment', (text) => text.replace(/trusted comment: .*/g, ''), /no signature of minisign/],
    ['the signature of another comment', (text) => swapLast(text, sign().replace(/.(?=.\n$)/, 'A')), /comment|no sign/],
    ['nothing', () => '', /no signature/],
    ['a web page', () => '<!doctype html>\n<p>a\n<p>b\n<p>c\n', /no signature/],
    ['a long text', (text) => text + 'x'.repeat(5_000), /no signature/],
  ])('with %s are refused', (_, change, found) => {
    expect(verify(change(sign()))).toMatch(found);
    expect(verify(change(sign()))).toMatch(/^SIGNATURE_INVALID: the signature is refused: /);
  });

  const swapLast = (text: string, other: string): string =>
    [...text.split('\n').slice(0, 3), ...other.split('\n').slice(3)].join('\n');

  test('that are cut at any character, or have any other character, are refused', () => {
    const signature = sign();
    const start = signature.indexOf('\n') + 1;
    for (let end = 0; end < signature.length - 1; end++) expect(verify(signature.slice(0, end))).not.toBe('accepted');
    for (let index = start; index < signature.length - 1; index++) {
      const other = signature[index] === 'B' ? 'C' : 'B';
      const changed = signature.slice(0, index) + other + signature.slice(index + 1);
      if (verify(changed) === 'accepted') throw new Error(`the character ${index} is not covered`);
    }
  });
});
