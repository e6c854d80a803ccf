/** `pull`: once, or again and again until a signal. */

import { SingleBar } from 'cli-progress';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { onInterruption } from '../../build-index/commands/interruption.js';
import { parseChannelOption } from '../../build-index/commands/option-values.js';
import { isChannelFolder } from '../../build-index/publishing/channel-folder.js';
import { formatBytes } from '../../build-index/reporting/format-figures.js';
import { printText } from '../../build-index/reporting/printing.js';
import { InvalidValueError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { parseTimeSetting } from '../../src/base/settings.js';
import { parseChannelAddress } from '../../src/releases/channel/channel-address.js';
import { DEFAULT_CHANNEL } from '../../src/releases/channel/channel-file.js';
import { parseMinisignPublicKey, readMinisignPublicKey } from '../../src/releases/channel/minisign.js';
import { checkIntegrityHere } from '../../src/releases/checking/integrity-check.js';
import { ChannelFollower } from '../../src/releases/fetching/channel-follower.js';
import {
  type ChannelOptions,
  DEFAULT_KEEP,
  DEFAULT_LIMIT_MS,
  type PullReport,
  pullOnce,
} from '../../src/releases/fetching/pull.js';

export function addPullCommand(program: Command): void {
  program
    .command('pull')
    .argument('<url>', 'the address of a folder of channels, or a folder with a copy of it')
    .requiredOption('--to <folder>', 'the folder of snapshots that servers follow')
    .requiredOption('--key <key>', "the publisher's public key: its .pub file, or the second line of that file")
    .option('--channel <name>', 'the channel to follow', parseChannelOption, DEFAULT_CHANNEL)
    .option('--every <time>', 'go on and pull again after this time, such as 30s, 5m or 1h', parseTimeOption)
    .addOption(
      new Option('--timeout <time>', 'give up a pull after this time')
        .argParser(parseTimeOption)
        .default(DEFAULT_LIMIT_MS, '1h'),
    )
    .option('--keep <count>', 'how many snapshots to keep, the one in service among them', parseKeep, DEFAULT_KEEP)
    .option('--json', 'report as JSON')
    .addHelpText(
      'after',
      `
Examples:
  postal-places pull https://data.example.com/places --to /srv/places --key places.key.pub
  postal-places pull https://data.example.com/places --to /srv/places --key places.key.pub --every 5m
  postal-places pull /media/usb/places --to /srv/places --key places.key.pub --channel next`,
    )
    .action((address: string, options: Omit<PullArguments, 'address'>) => runPull({ address, ...options }));
}

function parseTimeOption(text: string): number {
  const milliseconds = parseTimeSetting(text);
  if (milliseconds === undefined) throw new InvalidArgumentError('It must be a time such as 30s, 5m or 1h.');
  return milliseconds;
}

function parseKeep(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.');
  return Number(text);
}

interface PullArguments {
  readonly address: string;
  readonly to: string;
  /** The path of the public key, or its line. */
  readonly key: string;
  readonly channel: string;
  /** Milliseconds; undefined for one pull. */
  readonly every?: number;
  readonly timeout: number;
  readonly keep: number;
  readonly json?: true;
}

/** Throws as `pull`; with `every` only where the key, the address or the folder can't be used. */
async function runPull({ address, to, key, channel, every, timeout, keep, json }: PullArguments): Promise<void> {
  const transfer = process.stderr.isTTY ? createBar() : createLines(json === true);
  const options: ChannelOptions = {
    ...{ address, channel, folder: to, keep, limitMs: timeout, check: checkIntegrityHere },
    key: parseMinisignPublicKey(readMinisignPublicKey(key)),
    onBytes: transfer.on,
  };
  parseChannelAddress(address);
  if (isChannelFolder(to)) throw new InvalidValueError(`${to} has channels: pull into another folder`);
  if (every !== undefined) return await followUntilSignal(options, every, json === true);
  // An interruption leaves the partial file, with which the next pull goes on.
  onInterruption(() => transfer.stop());
  try {
    const report = await pullOnce(options, new AbortController().signal);
    transfer.stop();
    printText(`${json ? JSON.stringify(report) : pullAsText(report)}\n`);
  } finally {
    transfer.stop();
  }
}

async function followUntilSignal(options: ChannelOptions, intervalMs: number, isJson: boolean): Promise<void> {
  const log = (level: string) => (fields: object, message: string) => {
    const time = new Date().toISOString();
    printText(`${isJson ? JSON.stringify({ time, level, message, ...fields }) : eventAsText(time, message, fields)}\n`);
  };
  const follower = new ChannelFollower(options, (signal) => pullOnce(options, signal), {
    ...{ info: log('info'), warn: log('warn'), error: log('error') },
  });
  follower.follow(intervalMs);
  await new Promise<void>(onSignal);
  await follower.stop();
}

function onSignal(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
}

/** `2026-03-30T05:00:00.000Z pulled another release: 2026-03: in service, sequence number 7; fetched 120 MB` */
function eventAsText(
  time: string,
  message: string,
  fields: Partial<PullReport> & { readonly reason?: string },
): string {
  const { release, sequence, reason } = fields;
  const what = sequence === undefined ? (reason ?? release) : pullAsText(fields as PullReport);
  return `${time} ${message}${what === undefined ? '' : `: ${what}`}`;
}

function pullAsText(report: PullReport): string {
  const { release, sequence, changed, isInService, bytesFetched, changesBytesFetched } = report;
  if (!changed) {
    const state = isInService ? 'in service already' : 'pulled already, but another snapshot was put in service since';
    return `${release}: ${state}, sequence number ${sequence}`;
  }
  const changes = changesBytesFetched === 0 ? '' : `, ${formatBytes(changesBytesFetched)} of them the list of changes`;
  return `${release}: in service, sequence number ${sequence}; fetched ${formatBytes(bytesFetched)}${changes}`;
}

interface TransferDisplay {
  readonly on: NonNullable<ChannelOptions['onBytes']>;
  stop(): void;
}

function createBar(): TransferDisplay {
  let bar: SingleBar | undefined;
  return {
    on(bytes, totalBytes) {
      const shown = { done: formatBytes(bytes), all: formatBytes(totalBytes) };
      if (bar === undefined) {
        bar = new SingleBar({
          format: 'fetching {bar} {done} of {all}',
          barCompleteChar: '█',
          barIncompleteChar: '░',
          hideCursor: true,
          stream: process.stderr,
        });
        bar.start(totalBytes, bytes, shown);
      }
      bar.setTotal(totalBytes);
      bar.update(bytes, shown);
    },
    stop() {
      bar?.stop();
      bar = undefined;
    },
  };
}

/** A line when a file begins to come, and at each further tenth of it. */
function createLines(isJson: boolean): TransferDisplay {
  let last = '';
  return {
    on(fetched, total) {
      const tenth = `${Math.floor((fetched * 10) / total)} of ${total}`;
      if (tenth === last) return;
      last = tenth;
      const line = isJson
        ? escapeUnprintable(JSON.stringify({ event: 'transfer', fetched, total }))
        : `fetched ${formatBytes(fetched)} of ${formatBytes(total)}`;
      process.stderr.write(`${line}\n`);
    },
    stop() {},
  };
}
