/**
 * `postal-places start`, and what `npm start` runs once everything is compiled: from nothing to a server and a site that
 * answer. Makes demo keys once, serves, starts the site as a process of its own, and prints both addresses and one line
 * that can be pasted. Both end with the process that started this one.
 */

import { createLog } from '../src/admin/log.js';
import { readConfig } from '../src/config.js';
import { originOf } from '../src/process/listen.js';
import { runProgram } from '../src/process/program.js';
import { type RunningServer, startServer } from '../src/process/start-server.js';
import { STOP_MARGIN_MS } from '../src/process/supervisor.js';
import { readSiteSettings, type SiteSettings } from '../src/site/site-settings.js';
import { STARTER_RELEASE } from '../src/snapshots/starter-data.js';
import { explain } from '../src/start-error.js';
import { provideDemoKeys } from './demo-key.js';
import { parentsEnd } from './parent-end.js';
import { startSiteProcess } from './site-process.js';
import { provideSiteSecret } from './site-secret.js';

interface RunningBoth extends RunningServer {
  readonly siteUrl: string;
  readonly demoKey: string;
}

async function startBoth(given: NodeJS.ProcessEnv, stopping: AbortSignal): Promise<RunningBoth> {
  const siteSettings = readSiteSettings(given);
  const config = readConfig(given);
  const storeVariable = config.redis === null ? 'KEYS_DIR' : 'REDIS_URL';
  const demoKeys = await explain(storeVariable, [Error], () => provideDemoKeys(config, originsOf(siteSettings)));
  const { accounts } = siteSettings;
  const secret = accounts.isOn && accounts.keySecret === null ? provideSiteSecret(accounts.keysDirectory) : undefined;
  const server = await startServer(config, stopping);
  try {
    const ofSite = {
      API_URL: originOf(server),
      ...(secret !== undefined && { KEY_SECRET: secret }),
      ...(demoKeys.form !== undefined && { SITE_FORM_KEY: demoKeys.form }),
      ...given,
    };
    const site = await startSiteProcess(
      ofSite,
      config.drainSeconds * 1_000 + STOP_MARGIN_MS,
      await createLog(config.logLevel),
    );
    return {
      ...server,
      siteUrl: site.siteUrl,
      demoKey: demoKeys.secret,
      async close() {
        await Promise.all([server.close(), site.close()]);
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Where readers find the site; unknown where the system chooses the port. */
function originsOf({ siteUrl, host, port }: SiteSettings): readonly string[] {
  if (siteUrl !== null) return [siteUrl];
  return port === 0 ? [] : [originOf({ host, port }), `http://localhost:${port}`];
}

function greeting(running: RunningBoth): string {
  const address = originOf(running);
  const question = running.release === STARTER_RELEASE ? 'countries/DE/postcodes/10115' : 'countries?hasPostcodes=true';
  return (
    `\nPostal Places listens on ${address}\nThe site for people is at ${running.siteUrl}\nDemo key: ${running.demoKey}\n\n` +
    `  curl -H 'x-api-key: ${running.demoKey}' '${address}/v1/${question}'\n\n`
  );
}

/** `parentPid` is the process that started this one, as it was when this one began. */
export async function quickStart(parentPid: number): Promise<void> {
  const ends = [parentsEnd(parentPid, process.env)];
  const running = await runProgram((stopping) => startBoth(process.env, stopping), ends);
  if (running !== undefined) process.stdout.write(greeting(running));
}
