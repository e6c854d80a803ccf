/** `serve` */
import type { Command } from 'commander';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API')
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
