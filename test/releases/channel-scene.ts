/**
 * Three releases of two small countries, a folder of channels where `publish` puts them, and a folder that pulls
 * them: in this process and without threads.
 */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { type ChannelReport, promoteChannel, rollBackChannel } from '../../build-index/publishing/channel-folder.js';
import { publishRelease, type ReleaseReport } from '../../build-index/publishing/publish-release.js';
import { checksumCheck } from '../../build-index/publishing/snapshot-check.js';
import { readSnapshotContents, withFile } from '../../src/core/snapshot/snapshot-file.js';
import type { ChannelError } from '../../src/releases/channel/channel-error.js';
import {
  type ChannelFile,
  channelPath,
  parseChannelFile,
  type Release,
} from '../../src/releases/channel/channel-file.js';
import {
  createKeyFiles,
  type KeyFiles,
  parseMinisignSigningKey,
  type SigningKey,
  signWithMinisign,
} from '../../src/releases/channel/minisign.js';
import { type ChannelSource, openChannelSource } from '../../src/releases/fetching/channel-host.js';
import { type PullOptions, type PullReport, pull } from '../../src/releases/fetching/pull.js';
import { compileFrom, createTemporaryFolder, writeRelease } from '../fixtures/fixture-snapshot.js';
import type { FixtureRow, RowsByCountry } from '../fixtures/hand-made-release.js';
import { silentProgress } from '../fixtures/silent-progress.js';

const AD: readonly FixtureRow[] = Array.from({ length: 40 }, (_, index) => {
  return [`AD${100 + index}`, `Canillo ${index}`, 'Canillo', '', '', 42.5 + index / 1000, 1.6];
});
const LI: readonly FixtureRow[] = [
  ['9490', 'Vaduz', '', '', '', 47.14, 9.52],
  ['9496', 'Balzers', '', '', '', 47.06, 9.5],
];
export const RELEASES = ['one', 'two', 'three'] as const;
export type ReleaseName = (typeof RELEASES)[number];

const ROWS: Record<ReleaseName, RowsByCountry> = {
  one: { AD, LI: LI.slice(1) },
  two: { AD, LI },
  three: { AD: AD.slice(1), LI },
};

export interface ChannelScene {
  /** Everything lies in here, and goes with `remove`. */
  readonly root: string;
  /** What `publish` fills. */
  readonly hosted: string;
  /** What `pull` fills. */
  readonly served: string;
  readonly key: SigningKey;
  readonly keyFiles: KeyFiles;
  /** The path of a release's snapshot. */
  source(release: ReleaseName): string;
  /** The name of a release, see Release. */
  nameOf(release: ReleaseName): string;
  channel(name?: string): ChannelFile;
  /** A release as a channel that names it describes it. */
  release(release: ReleaseName): Release;
  publish(release: ReleaseName, channel?: string, withChanges?: boolean): Promise<ReleaseReport>;
  /** Publishes each, and pulls it. */
  serve(...releases: readonly ReleaseName[]): Promise<void>;
  /** What the channel "stable" is to name: a release or what another channel names. */
  promote(from: string, to?: string, key?: SigningKey): Promise<ChannelReport>;
  rollBack(channel?: string, key?: SigningKey): Promise<ChannelReport>;
  /** From the folder of channels, unless the options say otherwise. */
  pull(options?: Partial<PullOptions>): Promise<PullReport>;
  /** Changes a file of JSON in the folder of channels, or leaves it as it is, and signs it. */
  sign(path: string, change?: (file: Record<string, unknown>) => void, key?: SigningKey): void;
  /** The release in service; rejects unless its file is that release's snapshot. */
  inService(): ReleaseName | undefined;
  /** The partial files in the served folder. */
  partials(): string[];
  /** Keeps both folders as they are now, for `restore`. */
  save(): void;
  /** Both folders as they were at `save`, or empty. */
  restore(): void;
  remove(): void;
}

export async function createChannelScene(): Promise<ChannelScene> {
  const { path: root, remove } = createTemporaryFolder();
  const [hosted, served, saved] = [join(root, 'hosted'), join(root, 'served'), join(root, 'saved')];
  const keyFiles = createKeyFiles();
  const key = parseMinisignSigningKey(keyFiles.secret);
  const source = (release: string): string => join(root, `${release}.snapshot`);
  const names = new Map<ReleaseName, string>();
  for (const release of RELEASES) {
    writeRelease(join(root, release), ROWS[release]);
    await compileFrom(join(root, release), source(release), { releaseName: release });
    names.set(release, `${release}-${withFile(source(release), readSnapshotContents).id}`);
  }
  const nameOf = (release: ReleaseName): string => names.get(release) as string;
  const channel = (name = 'stable'): ChannelFile =>
    parseChannelFile(readFileSync(join(hosted, channelPath(name)), 'utf8'), name);
  const scene: ChannelScene = {
    ...{ root, hosted, served, key, keyFiles, source, nameOf },
    channel,
    release(release) {
      const { release: named, earlier } = channel();
      return [named, ...earlier].find(({ name }) => name === nameOf(release)) as Release;
    },
    publish: (release, channel = 'stable', withChanges = false) =>
      publishRelease(
        { source: source(release), folder: hosted, channel, key, withChanges },
        checksumCheck(silentProgress),
        silentProgress,
      ),
    async serve(...releases) {
      for (const release of releases) {
        await scene.publish(release);
        await scene.pull();
      }
    },
    promote: (from, to = 'stable', signer = key) => promoteChannel(hosted, from, to, signer),
    rollBack: (name = 'stable', signer = key) => rollBackChannel(hosted, name, signer),
    pull: (options) =>
      pull({
        source: sourceAt(hosted),
        ...{ key, channel: 'stable', folder: served, keep: 2, signal: new AbortController().signal },
        check: async (path) => ({ id: await checksumCheck(silentProgress)(path) }),
        ...options,
      }),
    sign(path, change = () => {}, signer = key) {
      const file = JSON.parse(readFileSync(join(hosted, path), 'utf8')) as Record<string, unknown>;
      change(file);
      const text = `${JSON.stringify(file, null, 1)}\n`;
      writeFileSync(join(hosted, path), text);
      writeFileSync(join(hosted, `${path}.minisig`), signWithMinisign(text, signer, 'of a test'));
    },
    inService() {
      if (!existsSync(join(served, 'current'))) return undefined;
      const name = readlinkSync(join(served, 'current'));
      const release = RELEASES.find((one) => `${nameOf(one)}.snapshot` === name);
      const isWhole = release && readFileSync(join(served, name)).equals(readFileSync(source(release)));
      if (!isWhole) throw new Error(`${name} is not the snapshot that was published`);
      return release;
    },
    partials: () => readdirSync(served).filter((name) => name.endsWith('.partial')),
    save() {
      for (const folder of [hosted, served]) cpSync(folder, join(saved, folder.slice(root.length)), COPY);
    },
    restore() {
      for (const folder of [hosted, served]) {
        rmSync(folder, { recursive: true, force: true });
        const kept = join(saved, folder.slice(root.length));
        if (existsSync(kept)) cpSync(kept, folder, COPY);
        else mkdirSync(folder);
      }
    },
    remove,
  };
  return scene;
}

const COPY = { recursive: true, verbatimSymlinks: true };

/** A host, or a folder. */
export function sourceAt(address: string, signal = new AbortController().signal): ChannelSource {
  return openChannelSource(address, signal);
}

/** The error that the work must reject with, in time. */
export async function failureOf(work: Promise<unknown>): Promise<ChannelError> {
  const late = new Promise((resolve) => setTimeout(resolve, 60_000, 'late').unref());
  const error = await Promise.race([
    work.then(
      () => 'no error',
      (found: unknown) => found,
    ),
    late,
  ]);
  // What node itself throws is no Error of this realm.
  expect(error).toMatchObject({ message: expect.any(String) });
  return error as ChannelError;
}
