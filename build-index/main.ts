#!/usr/bin/env node
/**
 * The program `build-index`: arguments, output and exit codes of its commands. 0 is done, 1 is a release or a snapshot
 * that is not as it must be, 2 is a wrong call, 3 is a release that would lose too many places (`diff`).
 */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { SnapshotError } from '../src/format/snapshot-error.js';
import { packageRoot } from '../src/package-root.js';
import { buildSnapshot } from './build.js';
import { CommandFailure } from './commands/command-failure.js';
import { addDiffCommand } from './commands/diff.js';
import { addDownloadCommand } from './commands/download.js';
import { onInterruption } from './commands/interruption.js';
import { parseCountries } from './commands/parse-countries.js';
import { inspectSnapshot } from './inspecting.js';
import { createPool } from './pool.js';
import { ReleaseError } from './reading/release-error.js';
import { reportAsJson, reportAsText } from './reporting/build-report.js';
import { createProgress } from './reporting/progress.js';
import { formatBytes, formatCount } from './reporting/tables.js';
import { verifySnapshot } from './verifying/verify-snapshot.js';
import { removeStalePartials } from './writing/partial-file.js';

const DEFAULT_SITE_URL = 'https://places.example';

function createProgram(): Command {
  const program = new Command('build-index')
    .description('Compiles GeoNames postal data into one snapshot file, and looks after such files.')
    .version((JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { version: string }).version)
    .exitOverride()
    .showHelpAfterError('(--help shows what there is)');

  program
    .command('build')
    .description('compile a release into a snapshot')
    .argument('<release>', 'a folder of XX.zip or XX.txt files, or one allCountries.zip or .txt')
    .requiredOption('--out <file>', 'the snapshot to write', parseOut)
    .option('--site-url <url>', 'the website that the url fields point to', parseSiteUrl, DEFAULT_SITE_URL)
    .option('--countries <codes>', 'only these countries, e.g. DE,FR', parseCountries)
    .option('--release-name <name>', 'default: the date of the newest file in the release', parseReleaseName)
    .option('--json', 'report as one JSON object')
    .action(async (releasePath: string, options) => {
      const pool = createPool();
      const progress = createProgress();
      onInterruption(() => {
        progress.stop();
        removeStalePartials(resolve(options.out));
      });
      try {
        const report = await buildSnapshot(
          {
            releasePath,
            outPath: options.out,
            siteUrl: options.siteUrl,
            countries: options.countries ?? null,
            releaseName: options.releaseName ?? null,
          },
          pool,
          progress,
        );
        process.stdout.write(options.json ? `${reportAsJson(report)}\n` : reportAsText(report));
      } finally {
        await pool.close();
      }
    });

  program
    .command('verify')
    .description('check every checksum and every cross-reference of a snapshot')
    .argument('<file>')
    .action(async (path: string) => {
      const pool = createPool();
      const progress = createProgress();
      try {
        const manifest = await verifySnapshot(path, pool, progress);
        progress.stop();
        const countries = manifest.countries.filter(({ slices }) => slices.length > 0);
        const places = countries.flatMap(({ levelCounts }) => levelCounts).reduce((sum, count) => sum + count, 0);
        process.stdout.write(
          `${path}: sound; release ${manifest.release}, ${formatCount(countries.length)} countries, ` +
            `${formatCount(places)} places, ${formatBytes(statSync(path).size)}\n`,
        );
      } finally {
        progress.stop();
        await pool.close();
      }
    });

  program
    .command('inspect')
    .description('show what lies in a snapshot')
    .argument('<file>')
    .addOption(
      new Option('--place <place>', 'a place by its id, or by country and path: LI/oberland/…').conflicts('postcode'),
    )
    .option('--postcode <code>', 'the places of a postal code: DE/80331')
    .action((path: string, options) => {
      process.stdout.write(inspectSnapshot(path, options));
    });
  addDiffCommand(program);
  addDownloadCommand(program);
  return program;
}

function parseOut(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be the name of a file.');
  return text;
}

function parseSiteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url !== undefined &&
    /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w.~!$&'()*+,;=:@%/-]*)?$/.test(url.href) &&
    text.length <= 200;
  if (!isPlain) {
    throw new InvalidArgumentError(
      'It must be an http or https address of at most 200 characters: host, port and path only.',
    );
  }
  return url.href.replace(/\/+$/, '');
}

/** The name goes into a response header, and into file names. */
function parseReleaseName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)) {
    throw new InvalidArgumentError('It must be 1 to 64 letters, digits, dots, hyphens and underscores.');
  }
  return text;
}

/** Runs a command line. The exit code. */
async function main(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure) {
      process.stderr.write(`build-index: ${error.message}\n`);
      return error.exitCode;
    }
    const isExpected =
      error instanceof ReleaseError ||
      error instanceof SnapshotError ||
      (error as NodeJS.ErrnoException).syscall !== undefined;
    process.stderr.write(`build-index: ${isExpected ? (error as Error).message : (error as Error).stack}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
