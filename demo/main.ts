/**
 * `postal-places start`, and what `npm start` runs once everything is compiled: from nothing to API and site that answer.
 * Makes demo keys once, serves both from this process, prints their addresses and one line that can be pasted, and brings
 * the world (world.ts).
 */

import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ExpectedError, errorMessageOf, explainStartErrors } from '../src/base/errors.js';
import { LOG_FILE_VARIABLE } from '../src/base/logger.js';
import { makeFolder } from '../src/base/make-folder.js';
import { listeningOrigin } from '../src/process/program/listen.js';
import { runProgram } from '../src/process/program/run-program.js';
import { readProgramSettings } from '../src/process/program/settings.js';
import { type RunningServer, startServer } from '../src/process/start-server.js';
import { packagedCountries, worldRelease } from '../src/releases/packaged/packaged-release.js';
import { type RunningSite, startSite } from '../src/site/main.js';
import { readSiteSettings, type SiteSettings } from '../src/site/site-settings.js';
import { provideDemoKeys } from './demo-keys.js';
import { npmEnd } from './npm-end.js';
import { provideSiteSecret } from './site-secret.js';
import { type PackagedSource, startFromPackagedData } from './world.js';

interface RunningBoth extends RunningServer {
  readonly site: RunningSite;
  /** Undefined where SNAPSHOT is set. */
  readonly packaged: PackagedSource | undefined;
}

async function startBoth(given: NodeJS.ProcessEnv, stopping: AbortSignal): Promise<RunningBoth> {
  if (given.SNAPSHOT !== undefined) return await startBothFrom(given, undefined, stopping);
  return await startFromPackagedData(stopping, { tell, warn: tellTrouble }, (packaged) =>
    startBothFrom({ ...given, SNAPSHOT: packaged.path }, packaged, stopping),
  );
}

async function startBothFrom(
  given: NodeJS.ProcessEnv,
  packaged: PackagedSource | undefined,
  stopping: AbortSignal,
): Promise<RunningBoth> {
  const siteSettings = readSiteSettings(given);
  const config = readProgramSettings(given);
  const storeVariable = config.redis === null ? 'KEYS_DIR' : 'REDIS_URL';
  const demoKeys = await explainStartErrors(storeVariable, [Error], () =>
    provideDemoKeys(config, originsOf(siteSettings)),
  );
  const { accounts } = siteSettings;
  const secret = accounts.isOn && accounts.keySecret === null ? provideSiteSecret(accounts.keysDirectory) : undefined;
  const server = await startServer(config, stopping);
  // It answers while the site starts.
  process.stdout.write(describeApi(listeningOrigin(server), demoKeys.secret, packaged !== undefined));
  try {
    const ofSite = {
      API_URL: listeningOrigin(server),
      ...(secret !== undefined && { KEY_SECRET: secret }),
      ...(demoKeys.form !== undefined && { SITE_FORM_KEY: demoKeys.form }),
      ...given,
    };
    const site = await startSite(readSiteSettings(ofSite), stopping);
    return {
      ...server,
      site,
      packaged,
      async reload() {
        await Promise.all([server.reload(), site.reload()]);
      },
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
  return port === 0 ? [] : [listeningOrigin({ host, port }), `http://localhost:${port}`];
}

function describeApi(address: string, demoKey: string, hasGermany: boolean): string {
  const question = hasGermany ? 'countries/DE/postcodes/10115' : 'countries?hasPostcodes=true';
  return (
    `\nPostal Places listens on ${address}\nDemo key: ${demoKey}\n\n` +
    `  curl -H 'x-api-key: ${demoKey}' '${address}/v1/${question}'\n\n`
  );
}

function describeSite({ siteUrl, missing }: RunningSite): string {
  const whatToSet =
    missing.length === 0 ? '' : `Nobody can sign in to it: set ${missing.join(' and ')}, or ACCOUNTS=off\n`;
  return `The site for people is at ${siteUrl}\n${whatToSet}`;
}

/*
 * On a terminal the output is for people: addresses, key, and a line for each step. The log goes to a file, unless
 * LOG_LEVEL asks for it.
 */

/** The log of the latest start, from the working directory. */
const LOG_FILE = 'var/postal-places.log';

/** Where the file can't be written, the log stays on the terminal. */
function keepLogInFile(environment: NodeJS.ProcessEnv): boolean {
  const file = resolve(LOG_FILE);
  try {
    makeFolder(join(file, '..'));
    writeFileSync(file, '');
  } catch (error) {
    tellTrouble(`the log can't be written to a file: ${errorMessageOf(error)}`);
    return false;
  }
  environment[LOG_FILE_VARIABLE] = file;
  return true;
}

function tell(message: string): void {
  process.stdout.write(`${message}\n`);
}

function tellTrouble(message: string): void {
  process.stderr.write(`postal-places: ${message}\n`);
}

/** Brings the world, and tells of it. */
async function serveWorld(running: RunningBoth, stopping: AbortSignal): Promise<void> {
  const bringWorld = running.packaged?.bringWorld;
  if (bringWorld === undefined) return;
  // In a checkout the program may be compiled anew meanwhile, which changes the name.
  const release = worldRelease();
  try {
    await bringWorld();
    await running.reload();
    if ([running, running.site].some((program) => program.servedRelease() !== release)) {
      throw new ExpectedError('it is compiled, and the log says why API or site refuse it');
    }
    tell(`All ${packagedCountries().length} countries are in service`);
  } catch (error) {
    if (stopping.aborted) return;
    tellTrouble(`the world is not in service, and the next start tries again: ${errorMessageOf(error)}`);
  }
}

/** `parentPid` is the process that started this one, as it was when this one began. */
export async function startDemo(parentPid: number): Promise<void> {
  const { env, stdout } = process;
  const isForPeople = stdout.isTTY === true && env.LOG_LEVEL === undefined && keepLogInFile(env);
  const ends = [npmEnd(parentPid, env)];
  let stopping = new AbortController().signal;
  const running = await runProgram((signal) => {
    stopping = signal;
    return startBoth(env, signal);
  }, ends);
  if (running === undefined) return;
  stdout.write(`${describeSite(running.site)}${isForPeople ? `The log is in ${LOG_FILE}\n\n` : ''}`);
  await serveWorld(running, stopping);
}
