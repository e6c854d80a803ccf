/** `start` */
import type { Command } from 'commander';

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .description('serve the API and the website with a demo key, to try them')
    .addHelpText(
      'after',
      `
Prints both addresses, the key and a call to paste. Settings are those of serve and site; without SNAPSHOT it serves the
starter data of the package.

Examples:
  postal-places start
  PORT=4000 SITE_PORT=4001 SNAPSHOT=/srv/places postal-places start`,
    )
    .action(async () => {
      const { quickStart } = await import('../../quick-start/main.js');
      await quickStart(process.ppid);
    });
}
