/**
 * One measured run of `bench:library -- enrich` in a process of its own: `enrich <snapshot> <table or ->` or `copy - <table>`, which parses the table
 * with csv-parse and writes it with csv-stringify. The result goes to the file in RESULT. Prints figures as JSON.
 */
import { createReadStream, createWriteStream, readFileSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import { addEnrichCommand } from '../../dist/cli/enrich/enrich-command.js';

const SAMPLE_MS = 100;
const [kind, snapshot, table] = process.argv.slice(2);
const out = process.env.RESULT;

const figures = { privateBytes: 0 };
const sample = () => {
  const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0;
  figures.privateBytes = Math.max(figures.privateBytes, kilobytes * 1024);
};
const sampling = setInterval(sample, SAMPLE_MS);
const [usedBefore, startedAt] = [process.cpuUsage(), performance.now()];
if (kind === 'enrich') {
  const program = new Command().exitOverride();
  addEnrichCommand(program);
  const args = ['enrich', table, '--format', 'csv', '--snapshot', snapshot, '--out', out, '--json'];
  await program.parseAsync(args, { from: 'user' });
} else {
  await pipeline(createReadStream(table), parse(), stringify(), createWriteStream(out));
}
const { user, system } = process.cpuUsage(usedBefore);
sample();
clearInterval(sampling);
process.stdout.write(
  JSON.stringify({ ...figures, cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - startedAt) / 1000 }),
);
