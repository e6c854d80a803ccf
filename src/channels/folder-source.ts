/** Reads a channel from a folder. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { ChannelError } from './channel-error.js';
import type { ChannelSource } from './channel-source.js';

export function createFolderSource(folder: string): ChannelSource {
  const failed = (path: string, found: string): ChannelError =>
    new ChannelError(
      'HOST_FAILED',
      `${join(folder, path)}: ${found}`,
      'copy the whole folder that publish --parts filled',
    );
  /** The pieces of a file whose length `isRight`; otherwise the error says `wrong`. */
  async function* pieces(path: string, isRight: (length: number) => boolean, wrong: string): AsyncGenerator<Buffer> {
    try {
      const file = await open(join(folder, path));
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error('it is no regular file');
        if (!isRight(info.size)) throw new Error(`it has ${info.size} bytes instead of ${wrong}`);
        // A file that grows meanwhile is read no further.
        if (info.size > 0) yield* file.createReadStream({ end: info.size - 1, autoClose: false });
      } finally {
        await file.close();
      }
    } catch (error) {
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
