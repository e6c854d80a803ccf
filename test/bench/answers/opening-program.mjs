/**
 * A program of its own: opens the snapshot given, once, and prints how long that took, in milliseconds, and how much of it
 * was processor time. Nothing of the project ran before in this process, as in a server that starts.
 */
import { openSnapshot } from '../../../dist/src/core/snapshot/snapshot.js';

const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const { release } = openSnapshot(process.argv[2]);
const ms = performance.now() - startedAt;
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(`${JSON.stringify({ release, ms, cpuMs: (user + system) / 1000 })}\n`);
