/** The settings of what a program serves: a snapshot that is there, or one that it pulls. */
import { isChannelName, parseSourceUrl } from '../channels/channel-file.js';
import { parsePath, parseTime, setting, type ValuesOf } from '../settings.js';

export const sourceSettings = {
  /** Null: the starter data. */
  snapshotSource: setting<string | null>(
    'SNAPSHOT',
    null,
    'the path of a snapshot file or of a folder of published ones, or an http or https address of a folder of channels',
    parseSource,
  ),
  snapshotKey: setting<string | null>(
    'SNAPSHOT_KEY',
    null,
    'a public key of minisign, or the path of its file',
    parsePath,
  ),
  snapshotCache: setting<string | null>('SNAPSHOT_CACHE', null, 'the path of a folder', parsePath),
  /** Null: stable. */
  snapshotChannel: setting<string | null>('SNAPSHOT_CHANNEL', null, 'the name of a channel, such as stable', (text) =>
    isChannelName(text) ? text : undefined,
  ),
  /** Milliseconds; null: DEFAULT_INTERVAL_MS. */
  snapshotIntervalMs: setting<number | null>('SNAPSHOT_EVERY', null, 'a time such as 30s, 5m or 1h', parseTime),
};

export type SourceSettings = ValuesOf<typeof sourceSettings>;

/** Throws an InvalidValueError that says what is wrong with an address. */
function parseSource(text: string): string | undefined {
  return parseSourceUrl(text)?.href ?? parsePath(text);
}
