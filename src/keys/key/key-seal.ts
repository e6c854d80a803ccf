/**
 * Seals a clear key, so that its owner can see it again: AES-256-GCM under a key that HKDF-SHA256 (RFC 5869) derives
 * from the secret text KEY_SECRET, with the key's id as associated data, so that a sealed key opens only under its
 * own id. The stored text is `v1.` and the base64url of
 *
 *     ┌───────┬─────────────────────────┬─────┐
 *     │ nonce │ sealed key              │ tag │
 *     └───────┴─────────────────────────┴─────┘
 *     0       12                        length - 16
 */

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { digestApiKey } from './api-key.js';
import { KeyError } from './key-error.js';
import type { KeyRecord } from './key-record.js';
import type { StoredKey } from './stored-key.js';

/** A key to be created; `sealed` is null without KEY_SECRET. */
export type NewKey = Pick<StoredKey, 'digest' | 'record' | 'sealed'>;

const ALGORITHM = 'aes-256-gcm';
const VERSION = 'v1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Seals and opens under one secret. */
export interface KeySeal {
  seal(clearKey: string, keyId: string): string;
  /** Throws KeyError KEY_SEALED. */
  open(sealed: string, keyId: string): string;
}

export function createKeySeal(secret: string): KeySeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'postal-places api keys', 32));
  return {
    seal(clearKey, keyId) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(keyId));
      const sealed = Buffer.concat([nonce, cipher.update(clearKey, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return VERSION + sealed.toString('base64url');
    },
    open(sealed, keyId) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (!sealed.startsWith(VERSION) || bytes.length <= NONCE_BYTES + TAG_BYTES) {
        throw new KeyError('KEY_SEALED', `the sealed key of ${keyId} has an unknown form`);
      }
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(keyId));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
      } catch (error) {
        throw new KeyError('KEY_SEALED', `the sealed key of ${keyId} does not open under this KEY_SECRET`, {
          cause: error,
        });
      }
    },
  };
}

/** The stored form of a clear key: its digest and, with a secret, the sealed key. */
export function sealKey(clearKey: string, record: KeyRecord, secret: string | null): NewKey {
  const sealed = secret === null ? null : createKeySeal(secret).seal(clearKey, record.id);
  return { digest: digestApiKey(clearKey), record, sealed };
}
