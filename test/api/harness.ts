/**
 * The server under test with everything below HTTP faked: a service that keeps what it was asked and answers with the
 * examples of the description, a snapshot that is a name, a gate with a few keys. Tests reach the server through
 * supertest, or through a raw socket where a client library would refuse to send what a hostile peer would. Whatever the
 * server answers in any test is held against the description of the API: the test fails where they differ.
 */

import type { Server } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect } from '@jest/globals';
import { routes } from '../../src/api/description/routes.js';
import { type AppDependencies, createApp } from '../../src/api/http/app.js';
import { createHttpServer, type HttpServerOptions } from '../../src/api/http/http-server.js';
import { createRate } from '../../src/base/rate-limit.js';
import type { Service } from '../../src/core/answers/service.js';
import { DomainError } from '../../src/core/lookup/domain-error.js';
import { encodeUtf8 } from '../../src/core/snapshot/byte-string.js';
import { NO_CHANGES } from '../../src/core/snapshot/release-changes.js';
import type { Snapshot } from '../../src/core/snapshot/snapshot.js';
import type { KeyGate } from '../../src/keys/decision/key-batcher.js';
import {
  type Admission,
  type Caller,
  decideAdmission,
  type KeyDecision,
  type KeyLimits,
} from '../../src/keys/decision/key-decision.js';
import { monthOf } from '../../src/keys/key/calendar.js';
import type { Plan } from '../../src/keys/key/plan.js';
import type { Connections } from '../../src/server/server-connections.js';
import { silentLogger } from '../fixtures/recording-logger.js';
import { descriptionText, exampleDataOf, findFaults, watchAnswers } from './described-answers.js';

export const GOOD_KEY = 'good-key';
export const PLACE_ID = '0b8fb2b4-7c6d-4f35-a2c8-6f8b22f9f3f5';
export const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

export const description = descriptionText;

/** Where answers since the last test were not as described. */
const faults: string[] = [];
afterEach(() => expect(faults.splice(0)).toEqual([]));

export function fakeSnapshot(release: string, id = 'feedc0defeedc0de'): Snapshot {
  const manifest = {
    sections: [],
    ...{ sourceDate: null, previousRelease: null, builderVersion: null, sources: [] },
    ...{ foldingVersion: 1, countries: [] },
  };
  // Those that requests with another fault name.
  const countryByCode = new Map(['AT', 'CH', 'DE', 'FR', 'LI', 'US'].map((code) => [code, { entry: { code } }]));
  const worldNames = { bigCityNames: [], bigCityCountries: [], countryNames: [], namedCountries: [] };
  const countries = { countries: [], countryByCode, worldNames };
  return { release, id, manifest, changes: NO_CHANGES, ...countries } as unknown as Snapshot;
}

/** What a use case was asked. */
export interface Asked {
  readonly useCase: string;
  readonly input: object;
}

/** Keeps what it is asked, and answers with the example of the use case, as text or around a slice; country XX does not exist, YY breaks. */
export function createFakeService(asked: Asked[] = []): Service {
  return Object.fromEntries(
    routes.map(({ id }) => {
      const example = JSON.stringify(exampleDataOf(id));
      const useCase = (_snapshot: Snapshot, input: object) => {
        asked.push({ useCase: id, input });
        const country = (input as { country?: string }).country;
        if (country === 'XX') throw new DomainError('COUNTRY_NOT_FOUND', 'No country has the code XX.');
        if (country === 'YY') throw new Error('the secret path /srv/data is broken');
        if (!id.startsWith('list')) return encodeUtf8(example);
        return { before: example.slice(0, 1), slice: Buffer.from(example.slice(1, -1)), after: example.slice(-1) };
      };
      return [id, useCase];
    }),
  ) as unknown as Service;
}

/** A plan of 10 requests at once, one every 2 seconds, and 1,000 a month. */
export const PLAN: Plan = {
  name: 'test',
  requestsPerMonth: 1000,
  rate: createRate({ requestsPerSecond: 0.5, burst: 10 }),
};

const UNLIMITED: Plan = { name: 'unlimited', requestsPerMonth: null, rate: null };

/** Where a key stands that has used its plan so far; it is noon on a leap day. */
export function limitsAfter(used: number, aheadMs: number, plan: Plan = PLAN): KeyLimits {
  const nowMs = Date.parse('2024-02-29T12:00:00.000Z');
  return { plan, nowMs, month: monthOf(nowMs), used, arrivalMs: nowMs + aheadMs };
}

/** The admission of one request of a key that had used its plan so far before. */
function admissionOf(keyId: string, before: KeyLimits, [cost, rateCost]: readonly [number, number]): Admission {
  return decideAdmission(keyId, before.plan, before, before, 1, cost, rateCost);
}

export function decide(clearKey: string | undefined, cost = 1, _caller?: Caller, rateCost = cost): KeyDecision {
  const costs = [cost, rateCost] as const;
  if (clearKey === GOOD_KEY) return admissionOf('k1', limitsAfter(0, 0), costs);
  if (clearKey === 'hasty-key') return admissionOf('k2', limitsAfter(7, 19_500), costs);
  if (clearKey === 'spent-key') return admissionOf('k3', limitsAfter(1000, 0), costs);
  // 4 left of its rate and 2 of its quota.
  if (clearKey === 'low-key') return admissionOf('k4', limitsAfter(998, 12_000), costs);
  // 4 left of its rate.
  if (clearKey === 'busy-key') return admissionOf('k5', limitsAfter(7, 12_000), costs);
  if (clearKey === 'unlimited-key') return admissionOf('k6', limitsAfter(0, 0, UNLIMITED), costs);
  if (clearKey === undefined) return { status: 'missing' };
  if (clearKey === 'revoked-key') return { status: 'revoked' };
  if (clearKey === 'expired-key') return { status: 'expired' };
  return { status: 'invalid' };
}

export interface TestServer {
  readonly server: Server;
  readonly connections: Connections;
  readonly port: number;
  readonly logged: object[];
  /** What the fake service was asked. */
  readonly asked: Asked[];
  snapshot: Snapshot;
  snapshotsTaken: number;
  /** How many answers have failed by an error that is no client's. */
  failureCount: number;
  /** Whether the data of successes are held against the description; true unless a test says otherwise. */
  isSound: boolean;
  close(): Promise<void>;
}

export async function startServer(
  keys: KeyGate = { check: decide },
  options?: HttpServerOptions,
  service?: Service,
  trustedProxies: readonly string[] = [],
  more: Pick<AppDependencies, 'keylessNetworks' | 'photon' | 'observer'> = {},
): Promise<TestServer> {
  const logged: object[] = [];
  const asked: Asked[] = [];
  const snapshots = {
    current() {
      testServer.snapshotsTaken++;
      return testServer.snapshot;
    },
  };
  const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
  const app = createApp({
    service: service ?? createFakeService(asked),
    ...{ snapshots, keys, description, logger, trustedProxies, ...more },
    onFailure: () => void testServer.failureCount++,
  });
  const { server, connections } = createHttpServer(app, options);
  watchAnswers(server, (answer) => {
    faults.push(...findFaults(answer, testServer.isSound));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const testServer: TestServer = {
    server,
    connections,
    port: typeof address === 'object' && address ? address.port : 0,
    logged,
    asked,
    snapshot: fakeSnapshot('2026-03'),
    snapshotsTaken: 0,
    failureCount: 0,
    isSound: true,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return testServer;
}

export interface RawResponse {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes as they are and returns the one response that comes before the server closes the connection. */
export async function sendRaw(port: number, request: string): Promise<RawResponse> {
  const received = await sendRawForText(port, request);
  const headEnd = received.indexOf('\r\n\r\n');
  const head = received.slice(0, headEnd);
  return { status: Number(head.split(' ')[1]), head, body: received.slice(headEnd + 4) };
}

/** All that the server sends until it closes the connection. */
export function sendRawForText(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(request, 'latin1')));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

/** GET with a raw target, a good key and `connection: close`. The target's characters are sent as bytes. */
export function getRaw(port: number, target: string, headers = `x-api-key: ${GOOD_KEY}\r\n`): Promise<RawResponse> {
  return sendRaw(port, `GET ${target} HTTP/1.1\r\nhost: localhost\r\n${headers}connection: close\r\n\r\n`);
}

export interface SentBulk {
  readonly key?: string | undefined;
  readonly query?: string;
  readonly type?: string;
  /** Further headers, each with its line end; in the place of the length where there is one among these. */
  readonly headers?: string;
}

/** The head of a bulk request up to its body. */
export function bulkHead(bytes: number, { key = GOOD_KEY, query = '', type, headers = '' }: SentBulk = {}): string {
  const length = /^(?:content-length|transfer-encoding)/im.test(headers) ? '' : `content-length: ${bytes}\r\n`;
  return (
    `POST /v1/bulk${query} HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\n` +
    `content-type: ${type ?? 'application/json'}\r\n${length}${headers}`
  );
}

/** Each character of the body is a byte. Closes the connection after the answer. */
export function postRaw(port: number, body: string, sent: SentBulk = {}): Promise<RawResponse> {
  return sendRaw(port, `${bulkHead(body.length, sent)}connection: close\r\n\r\n${body}`);
}

export function utf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Posts lookups, and reads a body that has a length, or one in chunks. */
export async function postLookups(port: number, body: object, sent: SentBulk = {}): Promise<RawResponse> {
  return unchunk(await postRaw(port, utf8(JSON.stringify(body)), sent));
}

/** The response with its body in one piece. */
export function unchunk(response: RawResponse): RawResponse {
  if (!/\r\ntransfer-encoding: chunked/i.test(response.head)) return response;
  let rest = Buffer.from(response.body);
  const chunks: Buffer[] = [];
  for (;;) {
    const end = rest.indexOf('\r\n');
    const bytes = Number.parseInt(rest.subarray(0, end).toString(), 16);
    if (!(bytes > 0)) break;
    chunks.push(rest.subarray(end + 2, end + 2 + bytes));
    rest = rest.subarray(end + 2 + bytes + 2);
  }
  return { ...response, body: Buffer.concat(chunks).toString() };
}
