import { writeSync } from 'node:fs';

/** Repeats writeSync, which may write fewer bytes than given: near a full disk, or beyond 2 GiB. */
export function writeWhole(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, Math.min(bytes.length - done, 1 << 30), position + done);
  }
}
