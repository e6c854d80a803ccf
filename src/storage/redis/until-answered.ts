/** Asking Redis something that must be answered: for changes and for the key program, never for a request of a client. */

import { KeyStoreError } from '../key-store-error.js';
import type { RedisClient } from './redis-client.js';

const WAIT_MS = 5_000;
const RETRY_MS = 20;

/**
 * Sends once there is a connection, and again where the connection was lost, for some five seconds. What is sent must
 * do no harm when it arrives twice. Rejects with KeyStoreError, KEY_STORE_UNSURE where it may have been carried out.
 */
export async function untilAnswered(client: RedisClient, send: () => Promise<unknown>): Promise<unknown> {
  const deadlineMs = performance.now() + WAIT_MS;
  let unsure: KeyStoreError | undefined;
  for (;;) {
    try {
      await client.whenReady(Math.max(0, deadlineMs - performance.now()));
      return await send();
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      if (error.code === 'KEY_STORE_UNSURE') unsure = error;
      // What fails when it is sent again may have been done before.
      else if (error.code !== 'KEY_STORE_INACCESSIBLE') throw unsure ?? error;
      if (performance.now() >= deadlineMs) throw unsure ?? error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
