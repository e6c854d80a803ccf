/**
 * The admin server, on its own address, which clients can't reach: liveness (`/healthz`), readiness (`/readyz`),
 * metrics (`/metrics`) and version (`/version`).
 */

import { createServer, type Server } from 'node:http';
import { isIP } from 'node:net';
import { packageVersion } from '../base/package-root.js';
import { NEWEST_VERSION } from '../core/snapshot/sections.js';
import type { KeyStoreHealth } from '../keys/key-store.js';
import type { ChannelState } from '../releases/follow-channel.js';

/*
 * The state of a server at one moment, and the verdicts of `/healthz` and `/readyz` on it.
 */

export interface ServedSnapshot {
  readonly release: string;
  readonly id: string;
  /** The date of the data, ISO 8601; null where unknown. */
  readonly sourceDate: string | null;
  /** False if the file was read into memory instead. */
  readonly mapped: boolean;
}

export function servedSnapshot({
  release,
  id,
  mapped,
  manifest,
}: Omit<ServedSnapshot, 'sourceDate'> & { readonly manifest: Pick<ServedSnapshot, 'sourceDate'> }): ServedSnapshot {
  return { release, id, sourceDate: manifest.sourceDate, mapped };
}

/** The processes that serve. */
export interface ProcessesState {
  /** The key store's health from each process that replied in time. */
  readonly keyStores: readonly KeyStoreHealth[];
  readonly expectedCount: number;
  readonly servingCount: number;
  /** Number of replacements of workers, including failed starts. */
  readonly restartCount: number;
}

export interface ServerState extends ProcessesState {
  /** The snapshot that every process serves. */
  readonly snapshot: ServedSnapshot;
  readonly swapCount: number;
  readonly refusedCount: number;
  /** The refused snapshot that the source names, with the reason; else null. */
  readonly refused: object | null;
  /** The served snapshot, if it does not match its checksums, with the reason; else null. */
  readonly damaged: object | null;
  /** The channel that the source is; null where the source is a file or a folder. */
  readonly channel: ChannelState | null;
  readonly isStopping: boolean;
}

/** The response to `/healthz` or `/readyz`: status 200 if good, else 503. */
export interface Verdict {
  readonly isGood: boolean;
  readonly report: object;
}

/** The response to `/version`: the program's versions, and the newest snapshot format that it reads. */
export function programVersion(): object {
  return { version: packageVersion(), node: process.versions.node, snapshotFormat: NEWEST_VERSION };
}

/**
 * Milliseconds without a serving worker after which `/healthz` fails: then a restart of the server may help more than
 * further replacements.
 */
const UNSERVED_LIMIT_MS = 60_000;

/** Whether the server should run on, or be restarted. */
export function judgeLiveness(unservedMs: number): Verdict {
  if (unservedMs === 0) return { isGood: true, report: { status: 'ok' } };
  const report = { status: 'nobody serves', forSeconds: Math.floor(unservedMs / 1_000) };
  return { isGood: unservedMs < UNSERVED_LIMIT_MS, report };
}

/**
 * Whether requests should be sent here. A key store that can't be asked, a snapshot that was refused or is damaged, a
 * worker that is missing or too busy to answer, a channel that can't be pulled for long makes the server `degraded` and
 * not unready: requests are still answered, and taking every server out of service at once would end that.
 */
export function judgeReadiness(state: ServerState): Verdict {
  const { keyStores, expectedCount, servingCount, refused, damaged, channel, isStopping } = state;
  const workers = { expected: expectedCount, serving: servingCount, answering: keyStores.length };
  // The worst key store of all processes speaks for the server.
  const keyStore = keyStores.find((health) => health.state === 'degraded') ?? keyStores[0];
  if (keyStore === undefined || isStopping) {
    return { isGood: false, report: { status: isStopping ? 'stopping' : 'unready', refused, damaged, workers } };
  }
  const isComplete = servingCount === expectedCount && keyStores.length >= servingCount;
  const isReady = keyStore.state === 'ready' && isComplete && isSourceGood(state);
  const status = isReady ? 'ready' : 'degraded';
  const snapshot = shownSnapshot(state.snapshot);
  return {
    isGood: true,
    report: { status, snapshot, refused, damaged, ...shownChannel(channel), workers, keyStore },
  };
}

/** The same for the site, which is one process and needs no key store to show its pages. */
export function judgeSiteReadiness(
  state: Pick<ServerState, 'snapshot' | 'refused' | 'damaged' | 'channel' | 'isStopping'>,
): Verdict {
  const { refused, damaged, channel, isStopping } = state;
  if (isStopping) return { isGood: false, report: { status: 'stopping', refused, damaged } };
  const status = isSourceGood(state) ? 'ready' : 'degraded';
  const snapshot = shownSnapshot(state.snapshot);
  return { isGood: true, report: { status, snapshot, refused, damaged, ...shownChannel(channel) } };
}

function isSourceGood({ refused, damaged, channel }: Pick<ServerState, 'refused' | 'damaged' | 'channel'>): boolean {
  return refused === null && damaged === null && channel?.isLate !== true;
}

function shownSnapshot({ release, id, sourceDate }: ServedSnapshot): object {
  return { release, id, sourceDate };
}

/** Nothing where there is no channel. */
function shownChannel(state: ChannelState | null): object {
  if (state === null) return {};
  const { address, channel, release, changedAt, checkedAt, succeededAt, failure } = state;
  return { channel: { address, channel, release, changedAt, checkedAt, succeededAt, failure } };
}

export interface AdminSources {
  readonly liveness: () => Verdict;
  readonly readiness: () => Promise<Verdict>;
  /** In Prometheus' text format; absent on the site. */
  readonly metrics?: () => Promise<string>;
  readonly version: object;
}

interface AdminResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const MISDIRECTED = json(421, {
  status: 'misdirected',
  problem: 'the Host header must have an IP address, localhost or the name in ADMIN_HOST',
});

/** A server that does not listen yet; `adminHost` is where it will. */
export function createAdminServer({ liveness, readiness, metrics, version }: AdminSources, adminHost: string): Server {
  const endpoints: Readonly<Record<string, () => AdminResponse | Promise<AdminResponse>>> = {
    '/healthz': () => judged(liveness()),
    '/readyz': async () => judged(await readiness()),
    ...(metrics && { '/metrics': async () => ({ status: 200, type: METRICS_TYPE, text: await metrics() }) }),
    '/version': () => json(200, version),
  };

  async function answer(path: string, isRead: boolean): Promise<AdminResponse> {
    const respond = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    if (respond === undefined) return json(404, { status: 'not found' });
    if (!isRead) return json(405, { status: 'read-only' });
    try {
      return await respond();
    } catch (error) {
      return json(500, { status: 'failed', problem: (error as Error).message });
    }
  }

  return createServer(async (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isMeant = isOwnHost(request.headers.host, adminHost);
    const { status, type, text } = isMeant ? await answer(path, isRead) : MISDIRECTED;
    const body = Buffer.from(text);
    response.writeHead(status, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
}

/**
 * Whether a request with this Host header is meant for this server. A web page whose name its owner points at this
 * machine (DNS rebinding) sends that name, so names must be known; an address can't be pointed elsewhere, and kubelet and
 * Prometheus send the pod's. Every browser sends a Host; a probe of HTTP/1.0 may have none.
 */
function isOwnHost(header: string | undefined, adminHost: string): boolean {
  if (header === undefined) return true;
  const host = header.toLowerCase().replace(/:\d*$/, '');
  return host === 'localhost' || host === adminHost.toLowerCase() || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

function judged({ isGood, report }: Verdict): AdminResponse {
  return json(isGood ? 200 : 503, report);
}

function json(status: number, body: object): AdminResponse {
  return { status, type: 'application/json; charset=utf-8', text: `${JSON.stringify(body)}\n` };
}
