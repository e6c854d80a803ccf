/**
 * Reads the body of a request as it comes, with a limit of bytes and of time. What comes is copied into one Buffer that
 * doubles as it fills, because a Buffer of its own for each chunk takes some 430 bytes, even for a chunk of one byte. Its
 * memory counts among the bytes that its connection holds (client-connection.ts), which also discards the rest of a body that is
 * refused. A client that expects `100 Continue` gets it when the reading begins.
 */

import type { IncomingMessage } from 'node:http';

/** Why a body could not be read: it has too many bytes, did not come in time, or its connection was lost. */
export type BodyFault = 'too-large' | 'too-slow' | 'gone';

/** Bytes of the first Buffer: most bodies are shorter. */
const FIRST_BYTES = 4_096;

export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  timeoutMs: number,
): Promise<Buffer | { readonly fault: BodyFault }> {
  return new Promise((resolve) => {
    let buffer = Buffer.allocUnsafe(0);
    let length = 0;
    const finish = (outcome: Buffer | { readonly fault: BodyFault }): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('close', onGone);
      // Else Node would go on to read, and keep what comes until the response.
      if ('fault' in outcome) request.pause();
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      const end = length + chunk.length;
      if (end > maxBytes) {
        finish({ fault: 'too-large' });
        return;
      }
      if (end > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, Math.max(2 * buffer.length, end, FIRST_BYTES)));
        buffer.copy(larger, 0, 0, length);
        buffer = larger;
      }
      chunk.copy(buffer, length);
      length = end;
    };
    const onEnd = (): void => finish(buffer.subarray(0, length));
    const onGone = (): void => finish({ fault: 'gone' });
    const timer = setTimeout(() => finish({ fault: 'too-slow' }), timeoutMs);
    if (request.destroyed) onGone();
    else if (Number(request.headers['content-length']) > maxBytes) finish({ fault: 'too-large' });
    // A lost connection is an error for who reads, and then the end of the request.
    else
      request
        .on('error', () => {})
        .on('data', onData)
        .on('end', onEnd)
        .on('close', onGone);
  });
}
