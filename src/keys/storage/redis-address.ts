/**
 * The address of a Redis, as REDIS_URL gives it: one server, a group of servers that Sentinels watch, or a Cluster. The
 * `s` of `rediss` means TLS. Several hosts are separated by commas, so this is no WHATWG URL.
 *
 *     redis://user:password@host:6379/0
 *     rediss://host
 *     redis-sentinel://:password@one:26379,two:26379,three:26379/mymaster/0?sentinelPassword=other
 *     rediss-cluster://one:6379,two:6379,three:6379
 */

import { InvalidValueError } from '../../base/errors.js';

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly tls: boolean;
  readonly username: string | null;
  readonly password: string | null;
  /** Of the Sentinels themselves. */
  readonly sentinelPassword: string | null;
  /** At least one; the Sentinels where the kind is sentinel. */
  readonly hosts: readonly RedisHost[];
  /** The name that the Sentinels know the master by; empty unless the kind is sentinel. */
  readonly masterName: string;
  /** Number of the database; always 0 in a Cluster. */
  readonly database: number;
}

const FORM =
  /^redis(s?)(?:-(sentinel|cluster))?:\/\/(?:([^@]*)@)?([^/?#]+)((?:\/[^/?#]*)*)(?:\?sentinelPassword=([^&#]+))?$/;
const HOST_FORM = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]{1,253}))(?::(\d{1,5}))?$/;
const DEFAULT_PORT = 6379;
const DEFAULT_SENTINEL_PORT = 26379;

/** Parses an address. Throws InvalidValueError, which does not repeat the text: it may contain a password. */
export function parseRedisAddress(text: string): RedisAddress {
  const [, tls, form, credentials, hosts = '', path = '', sentinelSecret] =
    FORM.exec(text) ?? refuse('it has another form');
  const kind = form === 'sentinel' || form === 'cluster' ? form : 'single';
  const defaultPort = kind === 'sentinel' ? DEFAULT_SENTINEL_PORT : DEFAULT_PORT;
  const parsedHosts = hosts.split(',').map((host) => parseHost(host, defaultPort));
  if (kind === 'single' && parsedHosts.length > 1) refuse('several hosts need redis-sentinel:// or redis-cluster://');
  const segments = path.split('/').slice(1);
  const masterName = kind === 'sentinel' ? decode(segments.shift() ?? '') : '';
  if (kind === 'sentinel' && masterName === '') refuse('a Sentinel address must end in the name of the master');
  if (kind !== 'sentinel' && sentinelSecret !== undefined) refuse('sentinelPassword is for redis-sentinel:// alone');
  const sentinelPassword = sentinelSecret === undefined ? null : decode(sentinelSecret);
  const database = parseDatabase(segments);
  if (kind === 'cluster' && database !== 0) refuse('a Cluster has only database 0');
  return {
    kind,
    tls: tls === 's',
    ...parseCredentials(credentials),
    sentinelPassword,
    hosts: parsedHosts,
    masterName,
    database,
  };
}

/** The address for people and logs, without its password. */
export function describeRedisAddress({ kind, tls, hosts, masterName, database }: RedisAddress): string {
  const scheme = `redis${tls ? 's' : ''}${kind === 'single' ? '' : `-${kind}`}`;
  const list = hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
  return `${scheme}://${list}${masterName === '' ? '' : `/${masterName}`}${database === 0 ? '' : `/${database}`}`;
}

function parseCredentials(text: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (text === undefined || text === '') return { username: null, password: null };
  const colon = text.indexOf(':');
  const username = decode(colon === -1 ? text : text.slice(0, colon));
  return { username: username || null, password: colon === -1 ? null : decode(text.slice(colon + 1)) };
}

function parseHost(text: string, defaultPort: number): RedisHost {
  const [, bracketed, plain, port] = HOST_FORM.exec(text) ?? refuse('a host must be a name or an IP address');
  const number = port === undefined ? defaultPort : Number(port);
  if (number < 1 || number > 65_535) refuse('a port must be from 1 to 65535');
  return { host: bracketed ?? plain ?? '', port: number };
}

function parseDatabase(segments: readonly string[]): number {
  const [text = ''] = segments;
  if (segments.length > 1) refuse('it has more behind its hosts than a database');
  if (text === '') return 0;
  return /^\d{1,4}$/.test(text) ? Number(text) : refuse('a database must be a number');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return refuse('it is not percent-encoded as it should be');
  }
}

function refuse(why: string): never {
  throw new InvalidValueError(why);
}
