/**
 * Follows the channel whose address SNAPSHOT gives: pulls its releases into a folder of this machine, from which the
 * program serves. A folder that has a snapshot is served at once, an empty one after its first pull.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { explainStartErrors, InvalidValueError, StartError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { makeFolder } from '../../base/make-folder.js';
import { DEFAULT_CHANNEL } from '../../releases/channel/channel-file.js';
import { readMinisignPublicKey } from '../../releases/channel/minisign.js';
import { ChannelFollower } from '../../releases/fetching/channel-follower.js';
import { isPullStateOf, readPullState } from '../../releases/fetching/pull-state.js';
import { canFindSnapshot } from '../../releases/folder/find-snapshot.js';
import type { SourceSettings } from '../program/settings.js';
import { type PullOrder, pullAside } from './pull-process.js';

type ChannelSettings = SourceSettings & { readonly snapshotSource: string };

/** Default time between two pulls, in milliseconds: a published release is served within five minutes or so. */
const DEFAULT_INTERVAL_MS = 300_000;
/** Share of the interval in which the first pulls of a fleet that was started together are spread. */
const SPREAD = 0.1;
/** Milliseconds between two looks at a folder into which another process of this machine pulls. */
const LOOK_MS = 1_000;

/** The caller stops the channel. */
export async function openPulledSource(
  settings: ChannelSettings,
  logger: Logger,
  stopping: AbortSignal,
): Promise<{ readonly path: string; readonly channel: ChannelFollower }> {
  const order = await readPulledSourceOrder(settings);
  const { address, channel, folder } = order;
  const intervalMs = settings.snapshotIntervalMs ?? DEFAULT_INTERVAL_MS;
  await explainStartErrors('SNAPSHOT_CACHE', [Error], () => makeFolder(folder));
  const isFilled = canFindSnapshot(folder);
  const known = isFilled && isPullStateOf(folder, channel) ? readPullState(folder, channel) : undefined;
  const follower = new ChannelFollower({ ...known, address, channel }, (signal) => pullAside(order, signal), logger);
  if (!isFilled) {
    logger.info({ address, channel, folder }, 'no snapshot is there yet: one is pulled');
    await fill(follower, folder, stopping);
  }
  follower.follow(intervalMs, firstDelayMs(intervalMs, isFilled));
  return { path: folder, channel: follower };
}

/** Milliseconds before the first pull, which is the second one where an empty folder was filled. */
export function firstDelayMs(intervalMs: number, isFilled: boolean): number {
  const spreadMs = intervalMs * SPREAD * Math.random();
  return isFilled ? spreadMs : intervalMs - spreadMs;
}

/** What to pull. */
export async function readPulledSourceOrder({
  snapshotSource: address,
  snapshotKey,
  snapshotCache: folder,
  snapshotChannel,
}: ChannelSettings): Promise<PullOrder> {
  if (snapshotKey === null || folder === null) {
    const missing = [
      ...(snapshotKey === null ? ["SNAPSHOT_KEY (the publisher's public key)"] : []),
      ...(folder === null ? ['SNAPSHOT_CACHE (a folder for pulled snapshots)'] : []),
    ];
    throw new InvalidValueError(`SNAPSHOT is an address, so ${missing.join(' and ')} must be set`);
  }
  const key = await explainStartErrors('SNAPSHOT_KEY', [Error], () => readMinisignPublicKey(snapshotKey));
  return { address, channel: snapshotChannel ?? DEFAULT_CHANNEL, folder, key };
}

async function fill(follower: ChannelFollower, folder: string, stopping: AbortSignal): Promise<void> {
  const stop = (): void => void follower.stop();
  stopping.addEventListener('abort', stop);
  try {
    // Skipped: another process of this machine, such as the site beside the server, pulls the first snapshot.
    while ((await follower.pullOnce()) === 'skipped' && !canFindSnapshot(folder)) {
      await wait(LOOK_MS, undefined, { signal: stopping }).catch(() => {});
    }
    stopping.throwIfAborted();
    const { failure } = follower.state;
    if (failure !== null) throw new StartError(`SNAPSHOT: ${failure.reason}`);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}
