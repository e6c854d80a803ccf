/** Reads a channel from a folder, whose files may be anything: what is no regular file is refused. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ChannelError } from './channel-error.js';
import type { ChannelSource } from './channel-source.js';

/** So that opening a pipe does not wait for somebody who writes to it. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** `signal` ends what is read. */
export function createFolderSource(folder: string, signal?: AbortSignal): ChannelSource {
  const failed = (path: string, found: string): ChannelError =>
    new ChannelError(
      'HOST_FAILED',
      `${join(folder, path)}: ${found}`,
      'copy the whole folder that publish --parts filled',
    );
  /** The pieces of a file whose length `isRight`; otherwise the error says `wrong`. */
  async function* pieces(path: string, isRight: (length: number) => boolean, wrong: string): AsyncGenerator<Buffer> {
    try {
      signal?.throwIfAborted();
      const file = await open(join(folder, path), READ);
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error('it is no regular file');
        if (!isRight(info.size)) throw new Error(`it has ${info.size} bytes instead of ${wrong}`);
        // A file that grows meanwhile is read no further.
        if (info.size > 0)
          yield* file.createReadStream({
            ...{ end: info.size - 1, autoClose: false },
            ...(signal === undefined ? {} : { signal }),
          });
      } finally {
        await file.close();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw failed(path, (error as Error).message);
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
    readInPieces: (path, length) => pieces(path, (found) => found === length, `${length}`),
  };
}
