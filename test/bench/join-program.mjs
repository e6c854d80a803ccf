/**
 * SQL in DuckDB in a process of its own, for `bench:library -- join`: `node join-program.mjs <SQL>` runs the statements in the
 * current folder, within two gigabytes of memory, and prints as JSON what the last one answered and this process's figures.
 */
import { DuckDBInstance } from '@duckdb/node-api';

/** What a hundred million rows are written with on a small machine: DuckDB would take most of its memory, and keep order. */
const SETTINGS = { memory_limit: '2GB', preserve_insertion_order: 'false' };

const connection = await (await DuckDBInstance.create(':memory:', SETTINGS)).connect();
const rows = (await connection.runAndReadAll(process.argv[2])).getRowObjectsJson();
const { maxRSS } = process.resourceUsage();
process.stdout.write(`${JSON.stringify({ rows, peakBytes: maxRSS * 1024 })}\n`);
