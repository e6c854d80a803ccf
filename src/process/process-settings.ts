/** The settings of the server's processes. The site has those that mean the same for it. */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import type { KeyStoreConfig } from '../keys/key-settings.js';
import { LOG_LEVELS, type LogLevel } from '../logger.js';
import { integer, parseHost, setting, type ValuesOf } from '../settings.js';
import { sourceSettings } from './source-settings.js';

/** Maximum number of workers: more than the processors of any machine that one would run this on. */
const MAX_WORKERS = 256;

export const processSettings = {
  host: setting('HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  port: setting('PORT', 3000, 'an integer from 0 to 65535 (0 picks a free port)', integer(0, 65_535)),
  ...sourceSettings,
  adminHost: setting('ADMIN_HOST', '127.0.0.1', 'a host name or an IP address', parseHost),
  /** Where it is null, there is no admin server, and no metrics are counted. */
  adminPort: setting<number | null>(
    'ADMIN_PORT',
    null,
    'an integer from 0 to 65535 (0 picks a free port)',
    integer(0, 65_535),
  ),
  workers: setting('WORKERS', 1, `auto or an integer from 1 to ${MAX_WORKERS}`, (text) =>
    text === 'auto' ? Math.min(availableParallelism(), MAX_WORKERS) : integer(1, MAX_WORKERS)(text),
  ),
  /** Of all processes that serve together. */
  maxConnections: setting('MAX_CONNECTIONS', 10_000, 'an integer from 1 to 1000000', integer(1, 1_000_000)),
  trustedProxies: setting<readonly string[]>(
    'TRUST_PROXY',
    [],
    'addresses or subnets of proxies with commas between them, or loopback, linklocal or uniquelocal',
    parseSubnets,
  ),
  drainSeconds: setting('DRAIN_SECONDS', 10, 'an integer from 1 to 3600', integer(1, 3_600)),
  logLevel: setting<LogLevel>('LOG_LEVEL', 'info', `one of ${LOG_LEVELS.join(', ')}`, (text) =>
    LOG_LEVELS.find((level) => level === text),
  ),
  accessLogShare: setting('ACCESS_LOG', 0, 'the share of requests to log, from 0 to 1', (text) =>
    /^(?:0|1|0?\.\d{1,6}|1\.0{1,6})$/.test(text) ? Number(text) : undefined,
  ),
};

export type ProcessSettings = ValuesOf<typeof processSettings> & KeyStoreConfig;

/** What Express calls trust proxy: names of its own for three kinds of subnets beside addresses. */
function parseSubnets(text: string): string[] | undefined {
  const subnets = text.split(',').map((subnet) => subnet.trim());
  return subnets.every((subnet) => /^(?:loopback|linklocal|uniquelocal)$/.test(subnet) || isSubnet(subnet))
    ? subnets
    : undefined;
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const isRange = bits === undefined || integer(1, version === 4 ? 32 : 128)(bits) !== undefined;
  return version !== 0 && isRange && rest.length === 0;
}
