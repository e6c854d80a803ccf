/** The options --channel and --signing-key, and the key that they name. */

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { InvalidValueError } from '../../src/base/errors.js';
import { DEFAULT_CHANNEL } from '../../src/releases/channel/channel-file.js';
import type { SigningKey } from '../../src/releases/channel/minisign.js';
import { parseChannelOption } from './option-values.js';

export interface SigningOptions {
  /** DEFAULT_CHANNEL where it is not given. */
  readonly channel?: string;
  readonly signingKey?: string;
}

/** --channel and --signing-key. */
export function addSigningOptions(command: Command): Command {
  return command
    .option('--channel <name>', `the channel that followers read (default: "${DEFAULT_CHANNEL}")`, parseChannelOption)
    .option('--signing-key <file>', 'the secret key of signing-key create, or of minisign without a password');
}

/** Refuses the options of a channel for a folder of snapshots, which has none. */
export function refuseSigning({ channel, signingKey }: SigningOptions, remedy: string): void {
  if (signingKey !== undefined) throw new InvalidValueError(`--signing-key signs a channel: ${remedy}`);
  if (channel !== undefined) throw new InvalidValueError(`--channel names a channel: ${remedy}`);
}

export async function readSigningKey(path: string | undefined): Promise<SigningKey> {
  if (path === undefined) {
    throw new InvalidValueError('--signing-key is missing; postal-places signing-key create makes one');
  }
  const { parseMinisignSigningKey } = await import('../../src/releases/channel/minisign.js');
  return parseMinisignSigningKey(readFileSync(path, 'utf8'), path);
}
