/**
 * `postal-places start`, and what `npm start` runs once everything is compiled: from nothing to a server and a site that
 * answer. Makes demo keys once, serves, starts the site as a process of its own, prints both addresses and one line that
 * can be pasted, and brings the world (world.ts). All end with the process that started this one.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FORM_OPERATIONS } from '../src/api/description/key-operations.js';
import { ExpectedError, explain, messageOf } from '../src/base/errors.js';
import { createLog, LOG_FILE_VARIABLE, type Logger } from '../src/base/logger.js';
import { makeFolder } from '../src/base/make-folder.js';
import { createApiKey, digestApiKey } from '../src/keys/api-key.js';
import { findFault } from '../src/keys/key-decision.js';
import { createKeyRecord, type KeyRecord } from '../src/keys/key-record.js';
import { type KeyStoreConfig, openKeyStore } from '../src/keys/key-settings.js';
import type { KeyStore } from '../src/keys/key-store.js';
import { NO_USAGE } from '../src/keys/plan.js';
import { allowsOrigin, DEFAULT_VISITOR_RATE } from '../src/keys/restrictions.js';
import { originOf, runProgram } from '../src/process/program.js';
import { readConfig } from '../src/process/settings.js';
import { type RunningServer, startServer } from '../src/process/start-server.js';
import { STOP_MARGIN_MS } from '../src/process/supervisor.js';
import { packagedCountries, worldRelease } from '../src/releases/packaged-release.js';
import { replaceFile } from '../src/releases/partial-file.js';
import { readSiteSettings, type SiteSettings } from '../src/site/site-settings.js';
import { provideSiteSecret, type SiteProcess, startSiteProcess } from './site-process.js';
import { type PackagedSource, startFromPackaged } from './world.js';

/*
 * The demo keys of a fresh checkout: a secret one to try calls, and a publishable one for the form in the site's documents.
 * A key store knows no clear keys, so each is kept in a file of the private folder as well: each start shows the same
 * keys, as long as the store lets them in.
 */

export interface DemoKeys {
  readonly secret: string;
  /** Undefined where the site's origins are not known. */
  readonly form: string | undefined;
}

/** The server, which opens the store next, logs the same troubles. */
const SILENT: Logger = { info() {}, warn() {}, error() {} };

/** The clear demo keys: those of the files where the store lets them in, else new ones. `siteOrigins` may be empty. */
export async function provideDemoKeys(config: KeyStoreConfig, siteOrigins: readonly string[]): Promise<DemoKeys> {
  // The embedded store and Redis have demo keys each.
  const fileOf = (name: string): string => join(config.keysDirectory, config.redis === null ? name : `${name}-redis`);
  const store = await openKeyStore(config, SILENT);
  try {
    const secret = await provideKey(store, fileOf('demo-key'), createKeyRecord('demo', new Date()));
    if (siteOrigins.length === 0) return { secret, form: undefined };
    const restrictions = { origins: siteOrigins, operations: FORM_OPERATIONS, visitorRate: DEFAULT_VISITOR_RATE };
    const record = createKeyRecord('demo form', new Date(), { restrictions });
    return { secret, form: await provideKey(store, fileOf('demo-form-key'), record) };
  } finally {
    await store.close();
  }
}

/** The key of the file if it is good for what `wanted` is for, else a new one with that record. */
async function provideKey(store: KeyStore, file: string, wanted: KeyRecord): Promise<string> {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (await isGood(known, store, wanted)) return known;
  const key = createApiKey(wanted.restrictions !== undefined);
  await store.directory.create({ digest: digestApiKey(key), record: wanted, sealed: null, usage: NO_USAGE });
  makeFolder(join(file, '..'), 0o700);
  replaceFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}

async function isGood(key: string, store: KeyStore, wanted: KeyRecord): Promise<boolean> {
  const digest = digestApiKey(key);
  // A damaged key is not the demo key, and is told of by the server.
  const entry = (await store.directory.list(() => {})).find((entry) => entry.digest === digest);
  if (entry === undefined || findFault(entry.record, Date.now()) !== undefined) return false;
  const origins = entry.record.restrictions?.origins ?? [];
  return (wanted.restrictions?.origins ?? []).every((origin) => allowsOrigin(origins, origin));
}

/*
 * Notices that the program that ran `npm start`, npm itself as a rule, is gone. It may be killed by a signal that it
 * hands on to nobody (SIGKILL, or SIGHUP when its terminal closes), and this process would keep both ports unseen.
 */

/** The time between two looks, milliseconds: a new start soon finds the ports free. A look costs a microsecond. */
const LOOK_EVERY_MS = 200;

/**
 * Resolves once this process has another parent than `parentPid`; never where no package manager started it: a user who
 * runs the script itself in the background, under nohup or from a shell that ends, means it to stay. A process whose
 * parent is process 1 from the beginning, as in a container, keeps that parent.
 */
export async function parentsEnd(parentPid: number, environment: NodeJS.ProcessEnv): Promise<void> {
  // npm, yarn and pnpm all set it for a script that they run.
  if (environment.npm_lifecycle_event !== 'start') return await new Promise(() => {});
  while (process.ppid === parentPid) await wait(LOOK_EVERY_MS, undefined, { ref: false });
}

interface RunningBoth extends RunningServer {
  readonly site: SiteProcess;
  /** Undefined where SNAPSHOT is set. */
  readonly packaged: PackagedSource | undefined;
}

async function startBoth(given: NodeJS.ProcessEnv, stopping: AbortSignal): Promise<RunningBoth> {
  if (given.SNAPSHOT !== undefined) return await startBothFrom(given, undefined, stopping);
  return await startFromPackaged(stopping, { tell, warn: tellTrouble }, (packaged) =>
    startBothFrom({ ...given, SNAPSHOT: packaged.path }, packaged, stopping),
  );
}

async function startBothFrom(
  given: NodeJS.ProcessEnv,
  packaged: PackagedSource | undefined,
  stopping: AbortSignal,
): Promise<RunningBoth> {
  const siteSettings = readSiteSettings(given);
  const config = readConfig(given);
  const storeVariable = config.redis === null ? 'KEYS_DIR' : 'REDIS_URL';
  const demoKeys = await explain(storeVariable, [Error], () => provideDemoKeys(config, originsOf(siteSettings)));
  const { accounts } = siteSettings;
  const secret = accounts.isOn && accounts.keySecret === null ? provideSiteSecret(accounts.keysDirectory) : undefined;
  const server = await startServer(config, stopping);
  // It answers while the site starts.
  process.stdout.write(describeApi(originOf(server), demoKeys.secret, packaged !== undefined));
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
      site,
      packaged,
      async close() {
        await Promise.all([server.close(), site.close()]);
      },
    };
  } catch (error) {
    await server.close();
    // Ctrl-C comes to the site too, which then does not start.
    stopping.throwIfAborted();
    throw error;
  }
}

/** Where readers find the site; unknown where the system chooses the port. */
function originsOf({ siteUrl, host, port }: SiteSettings): readonly string[] {
  if (siteUrl !== null) return [siteUrl];
  return port === 0 ? [] : [originOf({ host, port }), `http://localhost:${port}`];
}

function describeApi(address: string, demoKey: string, hasGermany: boolean): string {
  const question = hasGermany ? 'countries/DE/postcodes/10115' : 'countries?hasPostcodes=true';
  return (
    `\nPostal Places listens on ${address}\nDemo key: ${demoKey}\n\n` +
    `  curl -H 'x-api-key: ${demoKey}' '${address}/v1/${question}'\n\n`
  );
}

function describeSite({ siteUrl, missing }: SiteProcess['state']): string {
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
    tellTrouble(`the log can't be written to a file: ${messageOf(error)}`);
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

/** The longest time from the end of the compilation to an answer of API and site, milliseconds: many times a check's. */
const SWAP_LIMIT_MS = 120_000;

/** Brings the world, and tells of it. */
async function serveWorld(running: RunningBoth, stopping: AbortSignal): Promise<void> {
  const bringWorld = running.packaged?.bringWorld;
  if (bringWorld === undefined) return;
  try {
    await bringWorld();
    await untilServed(running, worldRelease(), stopping);
    tell(`All ${packagedCountries().length} countries are in service`);
  } catch (error) {
    if (stopping.aborted) return;
    tellTrouble(`the world is not in service, and the next start tries again: ${messageOf(error)}`);
  }
}

async function untilServed(
  { servedRelease, site }: RunningBoth,
  release: string,
  stopping: AbortSignal,
): Promise<void> {
  const endMs = performance.now() + SWAP_LIMIT_MS;
  while (servedRelease() !== release || site.state.release !== release) {
    if (performance.now() > endMs)
      throw new ExpectedError('it is compiled, and the log says why API or site refuse it');
    await wait(LOOK_EVERY_MS, undefined, { signal: stopping });
  }
}

/** `parentPid` is the process that started this one, as it was when this one began. */
export async function quickStart(parentPid: number): Promise<void> {
  const { env, stdout } = process;
  const isForPeople = stdout.isTTY === true && env.LOG_LEVEL === undefined && keepLogInFile(env);
  const ends = [parentsEnd(parentPid, env)];
  let stopping = new AbortController().signal;
  const running = await runProgram((signal) => {
    stopping = signal;
    return startBoth(env, signal);
  }, ends);
  if (running === undefined) return;
  stdout.write(`${describeSite(running.site.state)}${isForPeople ? `The log is in ${LOG_FILE}\n\n` : ''}`);
  await serveWorld(running, stopping);
}
