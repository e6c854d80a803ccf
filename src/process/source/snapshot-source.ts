/** Opens the source that SNAPSHOT names: a path or, where SNAPSHOT is an address, a folder that follows a channel. */

import { InvalidValueError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { parseChannelUrl } from '../../releases/channel/channel-address.js';
import type { ChannelFollower } from '../../releases/fetching/channel-follower.js';
import { type CompilationListener, withPackagedSnapshot } from '../../releases/packaged/packaged-snapshot.js';
import type { SourceSettings } from '../program/settings.js';

export interface OpenedSource {
  /** The path of a snapshot file, or of a folder of published ones. */
  readonly path: string;
  /** What fills the folder; undefined where somebody else does. */
  readonly channel: ChannelFollower | undefined;
  /** What an operator does where the file is damaged, if that is more than to fetch or build it again. */
  readonly remedy?: string;
}

/** Of a compiled world: the start that finds no file compiles it again. */
const REMEDY_OF_CACHE = 'this file is a cache: remove it and restart, which builds it again';

/**
 * Starts a program from its source; where that fails, nothing is pulled any more. An empty cache is filled first, until
 * `stopping`.
 */
export async function startFromSource<Started>(
  settings: SourceSettings,
  logger: Logger,
  stopping: AbortSignal,
  start: (source: OpenedSource) => Promise<Started>,
): Promise<Started> {
  if (settings.snapshotSource === null) {
    refuseRest(settings);
    const request = { countries: null, stopping };
    return await withPackagedSnapshot(request, tellInLog(logger), (path) =>
      start({ path, channel: undefined, remedy: REMEDY_OF_CACHE }),
    );
  }
  const source = await openSource({ ...settings, snapshotSource: settings.snapshotSource }, logger, stopping);
  try {
    return await start(source);
  } catch (error) {
    await source.channel?.stop();
    throw error;
  }
}

async function openSource(
  settings: SourceSettings & { readonly snapshotSource: string },
  logger: Logger,
  stopping: AbortSignal,
): Promise<OpenedSource> {
  const { snapshotSource } = settings;
  if (parseChannelUrl(snapshotSource) !== undefined) {
    // Most programs follow no channel.
    const { openPulledSource } = await import('./pulled-source.js');
    return await openPulledSource(settings, logger, stopping);
  }
  refuseRest(settings);
  return { path: snapshotSource, channel: undefined };
}

function tellInLog(logger: Logger): CompilationListener {
  return {
    begin: (what) => logger.info({}, `compiling ${what}, this once: that takes seconds`),
    warn: (message) => logger.warn({}, message),
  };
}

function refuseRest({ snapshotKey, snapshotCache, snapshotChannel, snapshotIntervalMs }: SourceSettings): void {
  const given = Object.entries({
    SNAPSHOT_KEY: snapshotKey,
    SNAPSHOT_CACHE: snapshotCache,
    SNAPSHOT_CHANNEL: snapshotChannel,
    SNAPSHOT_EVERY: snapshotIntervalMs,
  }).flatMap(([variable, value]) => (value === null ? [] : [variable]));
  if (given.length === 0) return;
  throw new InvalidValueError(`${given.join(' and ')} may be set only where SNAPSHOT is an http or https address`);
}
