/** The commands that run until they are ended: `serve`, `site` and `start`. Their settings are variables of the environment. */

import type { Command } from 'commander';

/** `text` stands behind the options in the help, before the examples. */
function servingCommand(name: string, text: string, examples: readonly string[], run: () => Promise<void>) {
  return (program: Command): void => {
    const help = `\n${text}\n\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
    program.command(name).addHelpText('after', help).action(run);
  };
}

const SETTINGS_HELP = `Every setting is a variable of the environment, with its default in docs/configuration.md. The first to look at are
SNAPSHOT (a file, a folder that publish fills, or the address of a folder of channels),
`;

export const addServeCommand = servingCommand(
  'serve',
  `${SETTINGS_HELP}HOST, PORT, WORKERS, and KEYS_DIR or REDIS_URL.`,
  [
    'SNAPSHOT=var/places.snapshot postal-places serve',
    'SNAPSHOT=/srv/places ADMIN_PORT=9090 WORKERS=auto postal-places serve',
  ],
  async () => await (await import('../../src/main.js')).serve(),
);

export const addSiteCommand = servingCommand(
  'site',
  `${SETTINGS_HELP}SITE_HOST, SITE_PORT, SITE_URL and API_URL.`,
  [
    'SNAPSHOT=var/places.snapshot postal-places site',
    'SNAPSHOT=/srv/places SITE_URL=https://www.example.com API_URL=https://api.example.com postal-places site',
  ],
  async () => await (await import('../../src/site/main.js')).serveSite(),
);

export const addStartCommand = servingCommand(
  'start',
  `Prints both addresses, the key and a call to paste. Settings are those of serve and site; without SNAPSHOT it serves some
countries at once, and all 118 of the package as soon as they are compiled.`,
  ['postal-places start', 'PORT=4000 SITE_PORT=4001 SNAPSHOT=/srv/places postal-places start'],
  async () => await (await import('../../demo/main.js')).startDemo(process.ppid),
);
