/** `site` */
import type { Command } from 'commander';

export function addSiteCommand(program: Command): void {
  program
    .command('site')
    .description('serve the website')
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
