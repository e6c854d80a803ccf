/** `promote` and `signing-key`: the channels of a folder of releases, and the keys that sign them. */
import { closeSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { DEFAULT_CHANNEL, isChannelName } from '../../src/channels/channel-file.js';
import type { SigningKey } from '../../src/channels/minisign.js';
import { ExpectedError, InvalidValueError } from '../../src/expected-error.js';
import { printReport } from '../reporting/printing.js';

export interface SigningOptions {
  /** DEFAULT_CHANNEL where it is not given. */
  readonly channel?: string;
  readonly signingKey?: string;
}

/** --channel and --signing-key. */
export function addSigningOptions(command: Command): Command {
  return command
    .option('--channel <name>', `the channel that followers read (default: "${DEFAULT_CHANNEL}")`, parseChannel)
    .option('--signing-key <file>', 'the secret key of signing-key create, or of minisign without a password');
}

/** Refuses the options of a channel for a folder of snapshots, which has none. Throws InvalidValueError. */
export function refuseSigning({ channel, signingKey }: SigningOptions, remedy: string): void {
  if (signingKey !== undefined) throw new InvalidValueError(`--signing-key signs a channel: ${remedy}`);
  if (channel !== undefined) throw new InvalidValueError(`--channel names a channel: ${remedy}`);
}

export function parseChannel(text: string): string {
  if (!isChannelName(text)) {
    throw new InvalidArgumentError('It must be a to z, 0 to 9 and "-", at most 31, a letter first.');
  }
  return text;
}

/** Throws InvalidValueError, ChannelError, or what node:fs throws. */
export async function readSigningKey(path: string | undefined): Promise<SigningKey> {
  if (path === undefined) {
    throw new InvalidValueError('--signing-key is missing; postal-places signing-key create makes one');
  }
  const { parseSigningKey } = await import('../../src/channels/minisign.js');
  return parseSigningKey(readFileSync(path, 'utf8'), path);
}

export function addPromoteCommand(program: Command): void {
  const command = program
    .command('promote')
    .description('make a channel name the release of another channel; transfers nothing')
    .argument('<from>', 'a channel, or the name of a release as list shows it')
    .argument('<channel>', 'the channel whose followers get that release', parseChannel)
    .requiredOption('--to <folder>', 'the folder of channels')
    .requiredOption('--signing-key <file>', 'the secret key of signing-key create')
    .option('--json', 'report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  postal-places promote next stable --to /srv/releases --signing-key places.key
  postal-places promote 2026-02-3f5ddef8df71158b stable --to /srv/releases --signing-key places.key`,
    );
  command.action(async (from: string, channel: string, options) => {
    const { promote } = await import('../publishing/channel-folder.js');
    const { channelAsText } = await import('./publishing-reports.js');
    const report = await promote(options.to, from, channel, await readSigningKey(options.signingKey));
    printReport(`${options.json ? JSON.stringify(report) : channelAsText(report)}\n`);
  });
}

const ABOUT_KEYS = `
Keep the secret key where only the publisher reads it. Every machine that pulls needs the public key. The files are
those of minisign, which verifies what is signed: minisign -V -p places.key.pub -m channels/stable.json
`;
const EXAMPLES = `
Examples:
  postal-places signing-key create --out places.key`;

export function addSigningKeyCommand(program: Command): void {
  const command = program
    .command('signing-key')
    .description('make the keys that sign channels')
    .addHelpText('after', EXAMPLES);
  command
    .command('create')
    .description('write a new secret key, and its public key beside it with .pub at the end of its name')
    .requiredOption('--out <file>', 'where the secret key goes; it must not be there yet')
    .option('--json', 'report as JSON')
    .addHelpText('after', `${ABOUT_KEYS}${EXAMPLES}`)
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const { createKeyFiles, parsePublicKey } = await import('../../src/channels/minisign.js');
      const files = createKeyFiles();
      writeNewFile(out, files.secret, 0o600);
      writeNewFile(`${out}.pub`, files.public, 0o644);
      const report = { id: parsePublicKey(files.public).id, secretKey: out, publicKey: `${out}.pub` };
      const text = `key ${report.id}: ${out} signs, ${out}.pub verifies`;
      printReport(`${json ? JSON.stringify(report) : text}\n`);
    });
}

/** Writes a file that must not be there yet. Throws ExpectedError where it is, or what node:fs throws. */
function writeNewFile(path: string, text: string, mode: number): void {
  const fd = openNew(path, mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new ExpectedError(`${path} is there already, and is not replaced; name another file`);
  }
}
