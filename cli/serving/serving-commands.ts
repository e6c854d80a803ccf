/** `serve` */

import type { Command } from 'commander';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .addHelpText(
      'after',
      `
Every setting is a variable of the environment, with its default in docs/configuration.md. The first to look at are
SNAPSHOT (a file, a folder that publish fills, or the address of a folder of channels),
HOST, PORT, WORKERS, and KEYS_DIR or REDIS_URL.

Examples:
  SNAPSHOT=var/places.snapshot postal-places serve
  SNAPSHOT=/srv/places ADMIN_PORT=9090 WORKERS=auto postal-places serve`,
    )
    .action(async () => {
      const { serve } = await import('../../src/main.js');
      await serve();
    });
}

/* `site` */

export function addSiteCommand(program: Command): void {
  program
    .command('site')
    .addHelpText(
      'after',
      `
Every setting is a variable of the environment, with its default in docs/configuration.md. The first to look at are
SNAPSHOT (a file, a folder that publish fills, or the address of a folder of channels),
SITE_HOST, SITE_PORT, SITE_URL and API_URL.

Examples:
  SNAPSHOT=var/places.snapshot postal-places site
  SNAPSHOT=/srv/places SITE_URL=https://www.example.com API_URL=https://api.example.com postal-places site`,
    )
    .action(async () => {
      const { serveSite } = await import('../../src/site/main.js');
      await serveSite();
    });
}

/* `start` */

export function addStartCommand(program: Command): void {
  program
    .command('start')
    .addHelpText(
      'after',
      `
Prints both addresses, the key and a call to paste. Settings are those of serve and site; without SNAPSHOT it serves some
countries at once, and all 118 of the package as soon as they are compiled.

Examples:
  postal-places start
  PORT=4000 SITE_PORT=4001 SNAPSHOT=/srv/places postal-places start`,
    )
    .action(async () => {
      const { startDemo } = await import('../../demo/main.js');
      await startDemo(process.ppid);
    });
}
