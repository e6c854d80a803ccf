/**
 * Ed25519 keys and signatures in the files of minisign (jedisct1.github.io/minisign), so that `minisign -V` verifies
 * what we sign, and either program makes the keys. A signature covers the BLAKE2b-512 digest of the file and, by a
 * second signature, its trusted comment.
 */

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ChannelError } from './channel-error.js';

/** The end of a signature's file name, behind the name of the signed file. */
export const SIGNATURE_ENDING = '.minisig';

export interface PublicKey {
  /** 16 hexadecimal digits, upper case, as minisign shows it. */
  readonly id: string;
  readonly key: KeyObject;
}

export interface SigningKey extends PublicKey {
  readonly privateKey: KeyObject;
}

/** The texts of the two files of a key. */
export interface KeyFiles {
  readonly secret: string;
  readonly public: string;
}

/** The line of base64 of a public key: "Ed", the key's id and the key are 42 bytes. */
const KEY_LINE = /^RW[A-Za-z0-9+/]{54}$/;
const KEY_ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const PUBLIC_BYTES = 2 + KEY_ID_BYTES + KEY_BYTES;
const SIGNATURE_LINE_BYTES = 2 + KEY_ID_BYTES + SIGNATURE_BYTES;
/** Bytes before the key id of a secret key: three names of algorithms, salt, and two limits of the password's hash. */
const SECRET_PREFIX_BYTES = 6 + 32 + 8 + 8;
const SECRET_BYTES = SECRET_PREFIX_BYTES + KEY_ID_BYTES + 2 * KEY_BYTES + 32;
/** Maximum length of a file of a key or a signature, in characters: minisign's own bound of comments is 1,024 bytes. */
const MAX_FILE_LENGTH = 4_096;

/** The start of the DER encoding of an Ed25519 key, which its 32 bytes follow (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A new key without a password. */
export function createKeyFiles(): KeyFiles {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES);
  const raw = rawOf(publicKey);
  const id = createHash('sha512').update(raw).digest().subarray(0, KEY_ID_BYTES);
  const prefix = Buffer.alloc(SECRET_PREFIX_BYTES);
  // "Ed" signs, no password, "B2" is the checksum, which is zero without a password.
  prefix.write('Ed\0\0B2', 'latin1');
  const secret = Buffer.concat([prefix, id, seed, raw], SECRET_BYTES);
  const name = showId(id);
  return {
    secret: `untrusted comment: minisign secret key ${name}, without a password: keep it secret\n${secret.toString('base64')}\n`,
    public: `untrusted comment: minisign public key ${name}\n${publicBytes(id, raw).toString('base64')}\n`,
  };
}

/** Reads a `.pub` file of minisign, or its second line alone. An error names the file as `name`. */
export function parseMinisignPublicKey(text: string, name = 'this'): PublicKey {
  const bytes = keyBytesOf(text, PUBLIC_BYTES, `${name} is no public key of minisign`, 'the .pub file');
  return publicKeyOf(bytes.subarray(2, 2 + KEY_ID_BYTES), bytes.subarray(-KEY_BYTES));
}

/**
 * The text of a public key, which parseMinisignPublicKey takes, as `pull --key` and SNAPSHOT_KEY give it: the path of a `.pub`
 * file, or the file's second line.
 */
export function readMinisignPublicKey(given: string): string {
  const text = KEY_LINE.test(given) ? given : readFileSync(given, 'utf8');
  parseMinisignPublicKey(text, given);
  return text;
}

/** Reads a secret key of minisign that has no password. An error names the file as `name`. */
export function parseMinisignSigningKey(text: string, name = 'this'): SigningKey {
  const bytes = keyBytesOf(text, SECRET_BYTES, `${name} is no secret key of minisign`, 'the file');
  if (bytes.readUInt16LE(2) !== 0) {
    throw new ChannelError('KEY_INVALID', `${name} has a password`, 'remove it: minisign -C -W -s <file>');
  }
  const seedStart = SECRET_PREFIX_BYTES + KEY_ID_BYTES;
  const seed = bytes.subarray(seedStart, seedStart + KEY_BYTES);
  const raw = bytes.subarray(seedStart + KEY_BYTES, seedStart + 2 * KEY_BYTES);
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  if (!rawOf(createPublicKey(privateKey)).equals(raw)) {
    throw new ChannelError('KEY_INVALID', `the two halves of ${name} differ`, 'make another by signing-key create');
  }
  return { ...publicKeyOf(bytes.subarray(SECRET_PREFIX_BYTES, seedStart), raw), privateKey };
}

/** The text of the signature's file. `comment` is one line that the signature covers too. */
export function signWithMinisign(text: string, { id, privateKey }: SigningKey, comment: string): string {
  const signature = sign(null, digestOf(text), privateKey);
  const ofComment = sign(null, Buffer.concat([signature, Buffer.from(comment)]), privateKey);
  const head = Buffer.concat([Buffer.from('ED'), idBytes(id), signature]);
  return [
    `untrusted comment: signature of postal-places by key ${id}`,
    head.toString('base64'),
    `trusted comment: ${comment}`,
    ofComment.toString('base64'),
    '',
  ].join('\n');
}

/** Checks the signature of `text`. Signatures of the text itself, which minisign made before version 0.9, are refused. */
export function verifyWithMinisign(text: string, signatureText: string, { id, key }: PublicKey): void {
  const [, head = '', commentLine = '', ofComment = ''] =
    signatureText.length > MAX_FILE_LENGTH ? [] : signatureText.split(/\r?\n/);
  const bytes = decodeBase64(head, SIGNATURE_LINE_BYTES);
  const commentBytes = decodeBase64(ofComment, SIGNATURE_BYTES);
  const [, comment] = /^trusted comment: (.*)$/.exec(commentLine) ?? [];
  if (bytes === undefined || commentBytes === undefined || comment === undefined)
    throw invalid('it is no signature of minisign');
  if (bytes.toString('latin1', 0, 2) !== 'ED') throw invalid('it does not sign the digest of the file');
  const signer = showId(bytes.subarray(2, 2 + KEY_ID_BYTES));
  if (signer !== id) throw invalid(`it is of key ${signer}, not of ${id}`);
  const signature = bytes.subarray(-SIGNATURE_BYTES);
  if (!verify(null, digestOf(text), key, signature)) throw invalid('it is of another text');
  if (!verify(null, Buffer.concat([signature, Buffer.from(comment)]), key, commentBytes)) {
    throw invalid('its comment was changed');
  }
}

function invalid(found: string): ChannelError {
  return new ChannelError(
    'SIGNATURE_INVALID',
    `the signature is refused: ${found}`,
    'the publisher must sign with the key that you trust',
  );
}

function digestOf(text: string): Buffer {
  return createHash('blake2b512').update(text).digest();
}

/** The key id is stored with its lowest byte first. */
function showId(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString('hex').toUpperCase();
}

function idBytes(id: string): Buffer {
  return Buffer.from(id, 'hex').reverse();
}

function publicBytes(id: Uint8Array, raw: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from('Ed'), id, raw]);
}

function publicKeyOf(id: Uint8Array, raw: Uint8Array): PublicKey {
  const der = Buffer.concat([SPKI_PREFIX, raw]);
  return { id: showId(id), key: createPublicKey({ key: der, format: 'der', type: 'spki' }) };
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

/** The bytes in the last line of a key's file; throws ChannelError with `fault` if they are no `length` bytes of a key. */
function keyBytesOf(text: string, length: number, fault: string, wanted: string): Buffer {
  const lines = text.length > MAX_FILE_LENGTH ? [] : text.trim().split(/\r?\n/);
  const bytes = lines.length > 2 ? undefined : decodeBase64(lines.at(-1) ?? '', length);
  if (bytes?.toString('latin1', 0, 2) === 'Ed') return bytes;
  throw new ChannelError('KEY_INVALID', fault, `give ${wanted} of signing-key create`);
}

/** Undefined unless `text` is the base64 of `length` bytes: Buffer.from ignores other characters. */
function decodeBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === length && bytes.toString('base64') === text ? bytes : undefined;
}
