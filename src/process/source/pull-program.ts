/** The program of pull-process.ts, which alone starts it: pulls once, sends the outcome, and ends. */

import { lowerPriority } from '../../base/thread.js';
import { ChannelError } from '../../releases/channel/channel-error.js';
import { parseMinisignPublicKey } from '../../releases/channel/minisign.js';
import { checkIntegrityHere } from '../../releases/checking/integrity-check.js';
import { DEFAULT_KEEP, DEFAULT_LIMIT_MS, pullOnce } from '../../releases/fetching/pull.js';
import type { PullOrder, PullReply } from './pull-process.js';

async function pull({ key, ...order }: PullOrder): Promise<PullReply> {
  const limits = { keep: DEFAULT_KEEP, limitMs: DEFAULT_LIMIT_MS, check: checkIntegrityHere };
  try {
    return {
      report: await pullOnce({ ...order, ...limits, key: parseMinisignPublicKey(key) }, new AbortController().signal),
    };
  } catch (error) {
    if (!(error instanceof ChannelError)) return { failed: (error as Error).message };
    const { code, found, remedy } = error;
    return { refused: { code, found, remedy } };
  }
}

lowerPriority();
// The server ends this process. These signals come where a terminal or a service manager sends them to all processes.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
// The server is gone.
process.once('disconnect', () => process.exit(1));
process.once('message', async (order: PullOrder) => {
  const reply = await pull(order);
  process.send?.(reply, undefined, undefined, () => process.exit(0));
});
