/** `signing-key create`: makes the keys that sign channels. */

import type { Command } from 'commander';
import { printReport } from '../reporting/report-text.js';
import { writeNewFile } from '../writing/output-file.js';

const ABOUT_KEYS = `
Keep the secret key where only the publisher reads it. Every machine that pulls needs the public key. The files are
those of minisign, which verifies what is signed: minisign -V -p places.key.pub -m channels/stable.json
`;
const EXAMPLES = `
Examples:
  postal-places signing-key create --out places.key`;

export function addSigningKeyCommand(program: Command): void {
  const command = program.command('signing-key').addHelpText('after', EXAMPLES);
  command
    .command('create')
    .description('write a new secret key, and its public key beside it with .pub at the end of its name')
    .requiredOption('--out <file>', 'where the secret key goes; it must not be there yet')
    .option('--json', 'report as JSON')
    .addHelpText('after', `${ABOUT_KEYS}${EXAMPLES}`)
    .action(async ({ out, json }: { out: string; json?: true }) => {
      const { createKeyFiles, parseMinisignPublicKey } = await import('../../src/releases/channel/minisign.js');
      const files = createKeyFiles();
      writeNewFile(out, files.secret, 0o600);
      writeNewFile(`${out}.pub`, files.public, 0o644);
      printReport({ id: parseMinisignPublicKey(files.public).id, secretKey: out, publicKey: `${out}.pub` }, json);
    });
}
