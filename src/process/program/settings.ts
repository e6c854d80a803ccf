/** The settings of the server's processes. The site has those that mean the same for it. */

import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { LOG_LEVELS, type LogLevel } from '../../base/logger.js';
import {
  type Environment,
  integerSettingParser,
  optionalSetting,
  PORT_RULE,
  parseHostSetting,
  parseOnOffSetting,
  parsePathSetting,
  parseTimeSetting,
  readSettings,
  setting,
  type ValuesOf,
} from '../../base/settings.js';
import { type KeyStoreConfig, keyStoreSettings } from '../../keys/decision/key-settings.js';
import { parseChannelUrl } from '../../releases/channel/channel-address.js';
import { isChannelName } from '../../releases/channel/channel-file.js';
import { PACKAGED_SITE_URL } from '../../releases/packaged/packaged-release.js';

/* The settings of what a program serves: a snapshot that is there, or one that it pulls. */

export const sourceSettings = {
  /** Null: the data of the package. */
  snapshotSource: optionalSetting(
    'SNAPSHOT',
    'the path of a snapshot file or of a folder of published ones, or an http or https address of a folder of channels',
    parseSource,
  ),
  snapshotKey: optionalSetting('SNAPSHOT_KEY', 'a public key of minisign, or the path of its file', parsePathSetting),
  snapshotCache: optionalSetting('SNAPSHOT_CACHE', 'the path of a folder', parsePathSetting),
  /** Null: stable. */
  snapshotChannel: optionalSetting('SNAPSHOT_CHANNEL', 'the name of a channel, such as stable', (text) =>
    isChannelName(text) ? text : undefined,
  ),
  /** Milliseconds; null: DEFAULT_INTERVAL_MS. */
  snapshotIntervalMs: optionalSetting('SNAPSHOT_EVERY', 'a time such as 30s, 5m or 1h', parseTimeSetting),
};

export type SourceSettings = ValuesOf<typeof sourceSettings>;

function parseSource(text: string): string | undefined {
  return parseChannelUrl(text)?.href ?? parsePathSetting(text);
}

/** Maximum number of workers: more than the processors of any machine that one would run this on. */
const MAX_WORKERS = 256;

export const processSettings = {
  host: setting('HOST', '127.0.0.1', 'a host name or an IP address', parseHostSetting),
  port: setting('PORT', 3000, ...PORT_RULE),
  ...sourceSettings,
  adminHost: setting('ADMIN_HOST', '127.0.0.1', 'a host name or an IP address', parseHostSetting),
  /** Where it is null, there is no admin server, and no metrics are counted. */
  adminPort: optionalSetting('ADMIN_PORT', ...PORT_RULE),
  workers: setting('WORKERS', 1, `auto or an integer from 1 to ${MAX_WORKERS}`, (text) =>
    text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : integerSettingParser(1, MAX_WORKERS)(text),
  ),
  /** Of all processes that serve together. */
  maxConnections: setting(
    'MAX_CONNECTIONS',
    10_000,
    'an integer from 1 to 1000000',
    integerSettingParser(1, 1_000_000),
  ),
  trustedProxies: setting<readonly string[]>(
    'TRUST_PROXY',
    [],
    'addresses or subnets of proxies with commas between them, or loopback, linklocal or uniquelocal',
    (text) => parseSubnets(text, isProxy),
  ),
  /** Networks whose requests need no key. */
  keylessNetworks: setting<readonly string[]>(
    'KEYLESS',
    [],
    'addresses or subnets with commas between them, such as 127.0.0.0/8,10.0.0.0/8',
    (text) => parseSubnets(text, (subnet) => isSubnet(subnet) && isNetwork(subnet)),
  ),
  /** Whether the API answers in Photon's protocol too. */
  photon: setting<boolean>('PHOTON', false, 'on or off', parseOnOffSetting),
  /** The public address of the site; null: the address on which it listens. */
  siteUrl: optionalSetting(
    'SITE_URL',
    'an http or https address without a path, such as https://www.example.com',
    parseOrigin,
  ),
  sitePort: setting('SITE_PORT', 3001, ...PORT_RULE),
  drainSeconds: setting('DRAIN_SECONDS', 10, 'an integer from 1 to 3600', integerSettingParser(1, 3_600)),
  logLevel: setting<LogLevel>('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
    LOG_LEVELS.find((level) => level === text),
  ),
  accessLogShare: setting('ACCESS_LOG', 0, 'the share of requests to log, from 0 to 1', (text) =>
    /^(?:0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(text) ? Number(text) : undefined,
  ),
};

export type ProcessSettings = ValuesOf<typeof processSettings> & KeyStoreConfig;

function parseOrigin(text: string): string | undefined {
  const address = parseAddress(text);
  return address !== undefined && new URL(address).origin === address ? address : undefined;
}

/** Scheme, host, port and path only, without a slash at the end: an address that may stand in pages and policies. */
export function parseAddress(text: string): string | undefined {
  const url = text.length <= 200 && URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined && /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?(?:\/[\w.~%/-]*)?$/i.test(url.href);
  return isPlain ? url.href.replace(/\/+$/, '') : undefined;
}

/**
 * Where the `url` fields of the package's data point: to where readers find the site. Nobody knows the port that the system
 * chooses for 0.
 */
export function packagedUrlsOf({ siteUrl, sitePort }: Pick<ProcessSettings, 'siteUrl' | 'sitePort'>): string {
  if (siteUrl !== null) return siteUrl;
  return sitePort === 0 ? PACKAGED_SITE_URL : `http://127.0.0.1:${sitePort}`;
}

function parseSubnets(text: string, isOne: (subnet: string) => boolean): string[] | undefined {
  const subnets = text.split(',').map((subnet) => subnet.trim());
  return subnets.every(isOne) ? subnets : undefined;
}

/** What Express calls trust proxy: names of its own for three kinds of subnets beside addresses. */
function isProxy(subnet: string): boolean {
  return /^(?:loopback|linklocal|uniquelocal)$/.test(subnet) || isSubnet(subnet);
}

/** Without the zone of an address, and no range of IPv6 that begins with IPv4 and holds more. */
function isNetwork(subnet: string): boolean {
  const [, bits = '128'] = subnet.split('/');
  return !subnet.includes('%') && !(/^::ffff:/i.test(subnet) && Number(bits) < 96);
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const isRange = bits === undefined || integerSettingParser(1, version === 4 ? 32 : 128)(bits) !== undefined;
  return version !== 0 && isRange && rest.length === 0;
}

/* All settings of the server: the tables of its parts, put together. Programs read them, and hand values on. */

export const settings = { ...processSettings, ...keyStoreSettings };

export type Config = ValuesOf<typeof settings>;

export function readProgramSettings(environment: Environment): Config {
  return readSettings(settings, environment);
}
