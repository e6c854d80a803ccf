/** Reads a channel from a folder. */
import { type FileHandle, open } from 'node:fs/promises';
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
  /** Opens a file, and gives its length. */
  const using = async <T>(path: string, use: (file: FileHandle, length: number) => Promise<T>): Promise<T> => {
    try {
      const file = await open(join(folder, path));
      try {
        const info = await file.stat();
        if (!info.isFile()) throw new Error('it is no regular file');
        return await use(file, info.size);
      } finally {
        await file.close();
      }
    } catch (error) {
      throw failed(path, (error as Error).message);
    }
  };
  return {
    name: folder,
    readText: (path, maxBytes) =>
      using(path, async (file, length) => {
        if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
        return { text: await file.readFile('utf8'), etag: null };
      }),
    readBytes: (path, bytes) =>
      using(path, async (file, length) => {
        if (length !== bytes.length) throw new Error(`it has ${length} bytes instead of ${bytes.length}`);
        for (let done = 0; done < length; ) {
          const { bytesRead } = await file.read(bytes, done, length - done, done);
          if (bytesRead === 0) throw new Error('it became shorter');
          done += bytesRead;
        }
      }),
  };
}
