/**
 * The command `mcp`: serves the tools for models on standard input and output, until its input ends. Output carries the
 * protocol and nothing else; faults of the protocol are told on standard error.
 */

import { Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { ExpectedError } from '../../src/base/errors.js';
import { escapeUnprintable } from '../../src/base/escape-text.js';
import { openSnapshot, type Snapshot } from '../../src/core/snapshot/snapshot.js';
import { snapshotOption, withChangesLists, withNamedSnapshot } from '../program/named-snapshot.js';
import { type AskSnapshot, createMcpServer } from './mcp-server.js';

const EXAMPLES = `
Examples:
  postal-places mcp
  postal-places mcp --snapshot world.snapshot

Exit codes: 0 the input ended, 1 failed, 2 wrong usage.`;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .addOption(snapshotOption())
    .addHelpText('after', EXAMPLES)
    .action(({ snapshot }: { readonly snapshot?: string }) => serveTools(snapshot));
}

/** Maximum length of a message in bytes: thousands of times what the arguments of a tool may have. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Resolves when the host has ended the connection. The transport reads no further behind a message that is too long. */
async function serveTools(source: string | undefined): Promise<void> {
  const { env, stdin: input, stdout: output } = process;
  const writeError = (line: string): void => void process.stderr.write(`${line}\n`);
  const named = source ?? env.SNAPSHOT;
  const open = (path: string): Snapshot => withChangesLists(path, openSnapshot(path));
  let snapshot = await withNamedSnapshot(named, null, open);
  const askSnapshot: AskSnapshot = async (question) => {
    try {
      return question(snapshot);
    } catch {
      // Asked again of the file: a damaged one fails again, and is compiled again or told of.
      return await withNamedSnapshot(named, null, (path) => {
        snapshot = open(path);
        return question(snapshot);
      });
    }
  };
  if (input.isTTY) writeError('Waiting for a host that speaks the Model Context Protocol; Ctrl-D ends.');
  let isLeft = false;
  output.once('error', () => {
    isLeft = true;
  });
  const transport = new StdioServerTransport(input, neverFull(output), { maxBufferSize: MAX_MESSAGE_BYTES });
  serveStdio(() => createMcpServer(snapshot, askSnapshot), {
    transport,
    onerror: ({ message }) => writeError(escapeUnprintable(message)),
  });
  await new Promise<void>((resolve) => {
    const close = transport.onclose;
    transport.onclose = () => {
      close?.();
      resolve();
    };
  });
  if (isLeft || input.readableEnded || input.destroyed) return;
  throw new ExpectedError(`a message is longer than ${MAX_MESSAGE_BYTES >> 20} MiB, so the connection is closed`);
}

/**
 * The output as a stream that is never full. The transport waits with listeners of its own for each message that a full
 * stream takes, so the answers to many calls at once would be as many listeners.
 */
function neverFull(output: NodeJS.WritableStream): Writable {
  return new Writable({
    highWaterMark: Number.MAX_SAFE_INTEGER,
    write: (chunk, _encoding, done) => void output.write(chunk, done),
  });
}
