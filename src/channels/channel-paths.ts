/**
 * What a static host has, relative to its folder's address. Parts and releases never change; a channel's file is
 * written after everything that it leads to.
 *
 *   parts/<sha256>.br                a part of a snapshot, or a delta of one (delta/delta-layout.ts): blocks
 *                                    (block-filter.ts), compressed by Brotli
 *   releases/<name>.json             what the snapshot of a release consists of
 *   releases/<name>.changes.ndjson   what changed since the release before
 *   channels/<name>.json             the release that followers of the channel serve
 *   …json.minisig                    the signature of a file of JSON
 */

export const PARTS = 'parts';
export const RELEASES = 'releases';
export const CHANNELS = 'channels';

export const partPath = (sha256: string): string => `${PARTS}/${sha256}.br`;
export const releasePath = (name: string): string => `${RELEASES}/${name}.json`;
export const changesPath = (name: string): string => `${RELEASES}/${name}.changes.ndjson`;
export const channelPath = (name: string): string => `${CHANNELS}/${name}.json`;
