/**
 * The real server without keys, what bench:keys compares with: the application of main.js on the same snapshot, behind a
 * gate that lets everybody in at once. Prints its port as one line of JSON. Arguments: the snapshot.
 */
import { readFileSync } from 'node:fs';
import { parseApiDescription } from '../../dist/src/api/http/api-description.js';
import { createApp, createHttpServer } from '../../dist/src/api/http/app.js';
import { openSnapshot } from '../../dist/src/core/snapshot/snapshot.js';
import { service } from '../../dist/src/core/use-cases/service.js';
import { monthOf } from '../../dist/src/keys/plan.js';

const snapshot = openSnapshot(process.argv[2]);
const plan = { name: 'none', requestsPerMonth: null, rate: null };
const before = { used: 0, arrivalMs: 0 };
const everybody = Object.freeze({
  ...{ status: 'good', keyId: 'none', plan, nowMs: 0, month: monthOf(0), before, allowedCount: 1, cost: 1 },
});
const logger = {
  info() {},
  warn() {},
  error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
};
const description = parseApiDescription(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const snapshots = { current: () => snapshot };
const { server, connections } = createHttpServer(
  createApp({ service, snapshots, keys: { check: () => everybody }, description, logger }),
);
server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
  process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
});
process.once('SIGTERM', () => void connections.drain({ graceMs: 0, limitMs: 1000 }));
