/** Reads the files of a channel and its releases from a source. Nothing of a file is used before its signature is good. */
import { setTimeout as wait } from 'node:timers/promises';
import { FORMAT_VERSION } from '../format/header.js';
import { ChannelError } from './channel-error.js';
import { type ChannelFile, MAX_CHANNEL_FILE_BYTES, parseChannelFile } from './channel-file.js';
import { channelPath, releasePath } from './channel-paths.js';
import type { ChannelSource, SourceText } from './channel-source.js';
import { type PublicKey, SIGNATURE_ENDING, verifyText } from './minisign.js';
import type { PullState } from './pull-state.js';
import { MAX_RELEASE_FILE_BYTES, parseReleaseFile, type ReleaseFile } from './release-file.js';

export interface SignedSource {
  readonly source: ChannelSource;
  /** What the channel and its releases must be signed with. */
  readonly key: PublicKey;
  readonly signal: AbortSignal;
  /** Told why a signature is asked for again. */
  readonly onRetry?: (error: Error) => void;
}

/** How often, and after how many milliseconds, a signature is asked for again that is of another text than the file. */
const SIGNATURE_RETRIES = 3;
const SIGNATURE_RETRY_MS = 500;

/** The channel's file, unless the source says that it is the one that was followed. Throws ChannelError. */
export async function fetchChannel(
  options: SignedSource,
  channel: string,
  followed: PullState | undefined,
): Promise<{ file: ChannelFile; etag: string | null } | 'unchanged'> {
  const { source } = options;
  const etag = followed?.source === source.name ? followed.etag : null;
  const found = await readSigned(options, channelPath(channel), MAX_CHANNEL_FILE_BYTES, etag);
  return found === 'unchanged' ? found : { file: parseChannelFile(found.text, channel), etag: found.etag };
}

/** The file of a release that this program can read. Throws ChannelError. */
export async function fetchRelease(options: SignedSource, name: string): Promise<ReleaseFile> {
  const found = await readSigned(options, releasePath(name), MAX_RELEASE_FILE_BYTES, null);
  if (found === 'unchanged') throw new Error('a request without a condition has a text');
  const release = parseReleaseFile(found.text, name);
  if (release.formatVersion === FORMAT_VERSION) return release;
  throw new ChannelError(
    'FORMAT_VERSION',
    `the release ${name} has snapshot format version ${release.formatVersion}, and this program reads ${FORMAT_VERSION}`,
    release.formatVersion > FORMAT_VERSION ? 'install a newer version of this program' : 'publish a new build',
  );
}

/** A text whose signature is good. The two files are replaced one after the other, so a signature may be ahead. */
async function readSigned(
  { source, key, signal, onRetry }: SignedSource,
  path: string,
  maxBytes: number,
  etag: string | null,
): Promise<SourceText | 'unchanged'> {
  for (let attempt = 1; ; attempt++) {
    const found = await source.readText(path, maxBytes, etag);
    if (found === 'unchanged') return found;
    const signature = await source.readText(path + SIGNATURE_ENDING, maxBytes);
    try {
      verifyText(found.text, signature === 'unchanged' ? '' : signature.text, key);
      return found;
    } catch (error) {
      const named = error instanceof ChannelError ? nameFile(path, error) : (error as Error);
      if (attempt > SIGNATURE_RETRIES) throw named;
      onRetry?.(named);
      await wait(SIGNATURE_RETRY_MS, undefined, { signal });
    }
  }
}

function nameFile(path: string, { code, found, remedy }: ChannelError): ChannelError {
  return new ChannelError(code, `${path}: ${found}`, remedy);
}
