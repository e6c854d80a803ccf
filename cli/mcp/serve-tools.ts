/**
 * Serves the tools for models on standard input and output. Output carries the protocol and nothing else; what goes wrong
 * with the protocol is told on standard error.
 */
import { Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { ExpectedError } from '../../src/expected-error.js';
import { openSnapshot } from '../../src/store/snapshot.js';
import { escapeUnprintable } from '../../src/unprintable.js';
import { openNamed } from '../named-snapshot.js';
import { createMcpServer } from './mcp-server.js';

/** What the command touches besides the snapshot. */
export interface McpSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly writeError: (line: string) => void;
}

export const PROCESS_SURROUNDINGS: McpSurroundings = {
  env: process.env,
  input: process.stdin,
  output: process.stdout,
  writeError: (line) => void process.stderr.write(`${line}\n`),
};

/** Maximum length of a message in bytes: thousands of times what the arguments of a tool may have. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/**
 * Resolves when the connection has ended. Rejects with ExpectedError where the host has not ended it: the transport reads
 * no further behind a message that is too long.
 */
export async function serveTools(
  source: string | undefined,
  surroundings: McpSurroundings = PROCESS_SURROUNDINGS,
): Promise<void> {
  const { env, input, output, writeError } = surroundings;
  const snapshot = openNamed(source ?? env.SNAPSHOT, openSnapshot);
  if (input.isTTY) writeError('Waiting for a host that speaks the Model Context Protocol; Ctrl-D ends.');
  let isLeft = false;
  output.once('error', () => {
    isLeft = true;
  });
  const transport = new StdioServerTransport(input, neverFull(output), { maxBufferSize: MAX_MESSAGE_BYTES });
  serveStdio(() => createMcpServer(snapshot), {
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
