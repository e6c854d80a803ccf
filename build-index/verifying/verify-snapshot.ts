/**
 * `verify`: checks every checksum and every byte of padding of a snapshot file, and what would lead a look-up astray:
 * numbers out of bounds, lists in disorder, and references that lead to something else (verify-country.ts,
 * verify-world.ts). It does not check that the builder wrote the right contents, such as ranks, facts, and which cells and
 * codes a country has. Each country is a task, on all cores. The largest country and the name index of the world bound
 * its memory.
 */

import { closeSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { checkPadding, checkSections } from '../../src/core/snapshot/check-sections.js';
import { listManifestCountriesWithData, type Manifest } from '../../src/core/snapshot/manifest.js';
import { SnapshotError } from '../../src/core/snapshot/snapshot-error.js';
import {
  openSnapshotFile,
  readSnapshotContents,
  type SnapshotContents,
  withFile,
} from '../../src/core/snapshot/snapshot-file.js';
import type { Pool, Task } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import type { VerifyCountryTask } from './verify-country.js';
import type { VerifyWorldTask } from './verify-world.js';

export interface VerifySectionsTask extends Task<undefined> {
  readonly kind: 'verify-sections';
  readonly path: string;
}

/** The checksum of every section, and zeros between sections and between slices. */
export function verifySections({ path }: VerifySectionsTask): void {
  withFile(path, (fd) => {
    const { countries, sections } = checkSections(fd).manifest;
    // A section of the world has no slices.
    sections.forEach(({ offset: sectionStart }, index) => {
      let sliceEnd = 0;
      for (const { slices } of countries) {
        const slice = slices[index];
        if (slice === undefined) continue;
        checkPadding(fd, sectionStart + sliceEnd, sectionStart + slice.offset);
        sliceEnd = slice.offset + slice.length;
      }
    });
  });
}

/** The file stays locked (shared), so that `prune` leaves it alone. */
export async function verifySnapshot(path: string, pool: Pool, progress: Progress): Promise<SnapshotContents> {
  const fd = openSnapshotFile(path);
  try {
    const contents = readSnapshotContents(fd);
    // Results come in the order of the tasks, so a damaged section is reported before the inconsistencies that it causes.
    const tasks = [...wholeFileTasks(path), ...countryTasks(path, contents.manifest)];
    progress.start('verifying', tasks.length);
    await runTasks(tasks, pool, progress);
    return contents;
  } finally {
    closeSync(fd);
  }
}

/** The parts of the manifest that describe the countries, known before the whole manifest. */
export type CountryContents = Pick<Manifest, 'siteUrl' | 'countries' | 'sections'>;

/**
 * Verifies a file while it is written, in two steps: the countries as soon as their sections are complete, the rest
 * when the file is complete. Both steps together are equivalent to verifySnapshot.
 */
export function createVerifier(path: string, pool: Pool, progress: Progress) {
  return {
    async verifyCountries(contents: CountryContents): Promise<void> {
      const tasks = countryTasks(path, contents);
      progress.start('verifying', tasks.length + wholeFileTasks(path).length);
      await runTasks(tasks, pool, progress);
    },

    async verifyWhole(manifest: Manifest): Promise<void> {
      const found = withFile(path, (fd) => readSnapshotContents(fd).manifest);
      if (!isDeepStrictEqual(found, manifest)) {
        throw new SnapshotError('MANIFEST_DAMAGED', 'the manifest that was written', 'another');
      }
      await runTasks(wholeFileTasks(path), pool, progress);
    },
  };
}

function wholeFileTasks(path: string): (VerifySectionsTask | VerifyWorldTask)[] {
  return [
    { kind: 'verify-sections', step: 'verifying checksums', path },
    { kind: 'verify-world', step: 'verifying the index of the world', path },
  ];
}

function countryTasks(path: string, { siteUrl, countries, sections }: CountryContents): VerifyCountryTask[] {
  return listManifestCountriesWithData({ countries }).map((entry) => ({
    kind: 'verify-country',
    step: `verifying ${entry.code}`,
    size: entry.slices.reduce((bytes, { length }) => bytes + length, 0),
    path,
    entry,
    sections,
    pageUrl: `${siteUrl}/${entry.slug}`,
  }));
}

async function runTasks(
  tasks: readonly (VerifySectionsTask | VerifyWorldTask | VerifyCountryTask)[],
  pool: Pool,
  progress: Progress,
): Promise<void> {
  let done = 0;
  for await (const _ of pool.run(tasks)) {
    const task = tasks[done++];
    progress.step(task?.kind === 'verify-country' ? task.entry.code : '');
  }
}
