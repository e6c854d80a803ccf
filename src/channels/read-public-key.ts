/** Reads the publisher's public key as people give it: `pull --key` and SNAPSHOT_KEY take the same. */
import { readFileSync } from 'node:fs';
import { parsePublicKey } from './minisign.js';

/** The line of base64 of a public key: "Ed", the key's id and the key are 42 bytes. */
const KEY_LINE = /^RW[A-Za-z0-9+/]{54}$/;

/**
 * The text of a public key, which parsePublicKey takes, from the path of its `.pub` file or from the file's second line.
 * Throws ChannelError KEY_INVALID, or what node:fs throws.
 */
export function readPublicKey(given: string): string {
  const text = KEY_LINE.test(given) ? given : readFileSync(given, 'utf8');
  parsePublicKey(text, given);
  return text;
}
