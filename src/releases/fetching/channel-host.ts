/**
 * Where a channel is read from: a host over HTTP, or a folder such as that of a USB disk. Nothing of it is trusted. HTTP
 * has the limits of src/base/requests.ts: against hosts that stall, send slowly or for ever, and redirect in circles
 * or to private addresses. A file of a folder that is no regular file is refused.
 */

import { constants, fstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { sendable } from '../../base/conditional-requests.js';
import { writeWhole } from '../../base/durable-files.js';
import { chunksOf, request, requestRefusalOf } from '../../base/requests.js';
import { DownloadError, permanentError, retry } from '../../base/retry.js';
import { parseChannelAddress } from '../channel/channel-address.js';
import { ChannelError } from '../channel/channel-error.js';
import { download } from './download.js';

/** Text of a file, with what a later request says it has. */
export interface SourceText {
  readonly text: string;
  readonly etag: string | null;
}

export interface ChannelSource {
  /** An address or a path, as in messages. */
  readonly name: string;
  /**
   * The text of a file of at most `maxBytes`; "unchanged" where it still has `etag`. Throws ChannelError HOST_FAILED,
   * also where the file is longer.
   */
  readText(path: string, maxBytes: number, etag?: string | null): Promise<SourceText | 'unchanged'>;
  /**
   * Brings a file of exactly this length into the open file `fd`, which may have its start. `onBytes` is told how many
   * bytes are there.
   */
  download(path: string, length: number, fd: number, onBytes: (bytes: number) => void): Promise<void>;
}

/** Maximum time without a byte, in milliseconds. */
const STALL_MS = 30_000;
/** How often a file is asked for again in one pull. */
const RETRIES = 4;

/**
 * Opens a source by its address. `signal` ends requests and the pauses between them; `onRetry` is told why a file is
 * asked for again.
 */
export function openChannelSource(
  address: string,
  signal: AbortSignal,
  onRetry?: (error: Error) => void,
): ChannelSource {
  const url = parseChannelAddress(address);
  return url === undefined ? createFolderSource(address, signal) : createHttpSource(url, signal, onRetry);
}

/** So that opening a pipe does not wait for somebody who writes to it. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

function createFolderSource(folder: string, signal: AbortSignal): ChannelSource {
  /** The pieces of a file whose length `isRight`; otherwise the error says `wrong`. */
  async function* pieces(
    path: string,
    isRight: (length: number) => boolean,
    wrong: string,
    start = 0,
  ): AsyncGenerator<Buffer> {
    try {
      signal.throwIfAborted();
      const file = await open(join(folder, path), READ);
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error('it is no regular file');
        if (!isRight(info.size)) throw new Error(`it has ${info.size} bytes instead of ${wrong}`);
        if (info.size === start) return;
        // A file that grows meanwhile is read no further.
        yield* file.createReadStream({ start, end: info.size - 1, autoClose: false, signal });
      } finally {
        await file.close();
      }
    } catch (error) {
      signal.throwIfAborted();
      const found = `${join(folder, path)}: ${(error as Error).message}`;
      throw new ChannelError('HOST_FAILED', found, 'copy the whole folder that publish filled');
    }
  }
  return {
    name: folder,
    async readText(path, maxBytes) {
      const read: Buffer[] = [];
      const isRight = (length: number): boolean => length <= maxBytes;
      for await (const piece of pieces(path, isRight, `at most ${maxBytes}`)) read.push(piece);
      return { text: Buffer.concat(read).toString('utf8'), etag: null };
    },
    async download(path, length, fd, onBytes) {
      let bytes = fstatSync(fd).size;
      onBytes(bytes);
      for await (const piece of pieces(path, (found) => found === length, `${length}`, bytes)) {
        writeWhole(fd, piece, bytes);
        bytes += piece.length;
        onBytes(bytes);
      }
    },
  };
}

/** `url` is the address of the folder that `publish` filled, with a slash at its end. */
function createHttpSource(url: URL, signal: AbortSignal, onRetry?: (error: Error) => void): ChannelSource {
  const limits = { stallMs: STALL_MS, retries: RETRIES, signal, onRetry };
  const readOnce = async (path: string, maxBytes: number, etag?: string | null): Promise<SourceText | 'unchanged'> => {
    const response = await request(new URL(path, url), etag ? { 'if-none-match': etag } : {}, limits);
    try {
      if (response.statusCode === 304 && etag) return 'unchanged';
      if (response.statusCode !== 200) throw requestRefusalOf(response);
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of chunksOf(response, limits)) {
        length += chunk.length;
        if (length > maxBytes) throw permanentError(`is longer than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { text: Buffer.concat(chunks).toString('utf8'), etag: sendable(response.headers.etag) };
    } finally {
      response.destroy();
    }
  };
  const failureOf = (path: string, error: unknown): unknown => {
    signal.throwIfAborted();
    if (!(error instanceof DownloadError)) return error;
    return new ChannelError('HOST_FAILED', `${new URL(path, url).href}: ${error.message}`, 'look at the host');
  };
  return {
    name: url.href,
    async readText(path, maxBytes, etag) {
      try {
        return await retry(limits, () => readOnce(path, maxBytes, etag));
      } catch (error) {
        throw failureOf(path, error);
      }
    },
    async download(path, length, fd, onBytes) {
      try {
        await download({ ...limits, url: new URL(path, url), fd, length, maxBytes: length, onBytes });
      } catch (error) {
        throw failureOf(path, error);
      }
    },
  };
}
