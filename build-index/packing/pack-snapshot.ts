/**
 * `pack`: extracts some countries of a snapshot as a snapshot, without their rows. It copies the slices of the countries
 * and builds the sections of the world again, so the file is the same to the byte as a build of these countries by the
 * program that built the snapshot. Memory: the largest country and the names of the world. The file gets its name only
 * when it is complete, synced and verified.
 */
import { closeSync, mkdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ExpectedError } from '../../src/expected-error.js';
import type { CountryEntry, Manifest } from '../../src/format/manifest.js';
import { COUNTRY_SECTIONS } from '../../src/format/sections.js';
import { syncPath } from '../../src/platform/sync-path.js';
import { checkReplaceable, createPartial, removeStalePartials } from '../../src/publishing/partial-file.js';
import { findSnapshot } from '../../src/snapshots/find-snapshot.js';
import { openShared } from '../../src/store/open-file.js';
import { readPieces } from '../../src/store/read-pieces.js';
import { checkSectionsCooperatively } from '../../src/store/section-checksums.js';
import type { BuiltWorld } from '../building/build-world.js';
import { contentName } from '../building/content-name.js';
import { writeWorldSections } from '../building/write-sections.js';
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import { createVerifier } from '../verifying/verify-snapshot.js';
import { SnapshotWriter } from '../writing/snapshot-writer.js';
import { readDetails } from './country-details.js';
import type { PackWorldTask } from './pack-world.js';

export interface PackOptions {
  /** A snapshot, or a folder of published ones. */
  readonly source: string;
  readonly outPath: string;
  /** Upper-case codes, in any order. */
  readonly countries: readonly string[];
}

export interface PackReport {
  /** The file that was packed. */
  readonly sourcePath: string;
  readonly outPath: string;
  readonly manifest: Manifest;
  readonly fileBytes: number;
  readonly seconds: number;
  readonly peakMemoryBytes: number;
}

/**
 * Throws ExpectedError, SnapshotError or what node:fs throws; then the file at `outPath` is unchanged. A source that is
 * not whole is refused before anything is written.
 */
export async function packSnapshot(options: PackOptions, pool: Pool, progress: Progress): Promise<PackReport> {
  const startedAt = performance.now();
  const outPath = resolve(options.outPath);
  const { path: sourcePath } = findSnapshot(options.source);
  const sourceFd = openShared(sourcePath);
  try {
    progress.start('checking', 1);
    const { manifest: source } = await checkSectionsCooperatively(sourceFd);
    progress.step('');
    requireData(source, options);
    const { manifest, fileBytes } = await writePacked(source, sourceFd, { ...options, outPath }, pool, progress);
    return {
      sourcePath,
      outPath,
      manifest,
      fileBytes,
      seconds: (performance.now() - startedAt) / 1000,
      peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    };
  } finally {
    progress.stop();
    closeSync(sourceFd);
  }
}

function requireData({ countries }: Manifest, { source, countries: codes }: PackOptions): void {
  const known = countries.filter(({ slices }) => slices.length > 0).map(({ code }) => code);
  const missing = codes.filter((code) => !known.includes(code));
  if (missing.length === 0) return;
  throw new ExpectedError(`${source} has no data of ${missing.join(', ')}; it has data of ${known.join(', ')}`);
}

async function writePacked(
  source: Manifest,
  sourceFd: number,
  { outPath, countries: codes }: PackOptions,
  pool: Pool,
  progress: Progress,
): Promise<{ manifest: Manifest; fileBytes: number }> {
  mkdirSync(dirname(outPath), { recursive: true });
  checkReplaceable(outPath);
  removeStalePartials(dirname(outPath), (name) => name === basename(outPath));
  const partial = createPartial(outPath);
  try {
    const writer = new SnapshotWriter(partial.fd);
    const countries = copySlices(writer, source, sourceFd, codes);
    const contents = { siteUrl: source.siteUrl, countries, sections: [...writer.writtenSections] };
    const verifier = createVerifier(partial.path, pool, progress);
    // Before the slices are merged: the checksums of a file that another program wrote may cover any bytes.
    await verifier.verifyCountries(contents);
    const world = await packWorldOn(pool, {
      kind: 'pack-world',
      step: 'packing the index of the world',
      path: partial.path,
      countries,
      sections: contents.sections,
      sourceFd,
      sourceSections: source.sections,
    });
    writeWorldSections(writer, contents, readDetails(sourceFd, source), world);
    const manifest: Manifest = {
      ...source,
      release: source.release === contentName(source.sections) ? contentName(writer.writtenSections) : source.release,
      countries,
      sections: writer.writtenSections,
    };
    const fileBytes = writer.finish(manifest);
    await Promise.all([writer.sync(), verifier.verifyWhole(manifest)]);
    partial.publish();
    syncPath(dirname(outPath));
    return { manifest, fileBytes };
  } finally {
    partial.discard();
  }
}

/** Writes the sections of the countries. Returns the entries of all countries, of which these alone have data. */
function copySlices(
  writer: SnapshotWriter,
  { countries, sections }: Manifest,
  sourceFd: number,
  codes: readonly string[],
): CountryEntry[] {
  const packed = countries.map((entry) =>
    codes.includes(entry.code)
      ? { ...entry, slices: [...entry.slices] }
      : { ...entry, distinctPostcodes: 0, levelCounts: entry.levelCounts.map(() => 0), slices: [] },
  );
  COUNTRY_SECTIONS.forEach((name, index) => {
    const section = writer.beginSection(name);
    for (const { slices } of packed) {
      const slice = slices[index];
      if (slice === undefined) continue;
      slices[index] = section.append(
        readPieces(sourceFd, [{ offset: (sections[index]?.offset ?? 0) + slice.offset, length: slice.length }]),
      );
    }
    section.end();
  });
  return packed;
}

async function packWorldOn(pool: Pool, task: PackWorldTask): Promise<BuiltWorld> {
  for await (const world of pool.run([task])) return world;
  throw new Error('a pool gives a result for each task');
}
