/**
 * `pack`: extracts some countries of a snapshot as a snapshot, without their rows. It copies the slices of the countries
 * and builds the sections of the world again, so the file is the same to the byte as a build of these countries by the
 * program that built the snapshot. Memory: the largest country and the names of the world. The file gets its name only
 * when it is complete, synced and verified.
 */

import { closeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExpectedError } from '../../src/base/errors.js';
import { makeFolder } from '../../src/base/make-folder.js';
import { checkSectionsCooperatively } from '../../src/core/snapshot/check-sections.js';
import {
  type CountryEntry,
  listManifestCountriesWithData,
  type Manifest,
  type Source,
} from '../../src/core/snapshot/manifest.js';
import { type CountryResource, decodeRenderedCountries } from '../../src/core/snapshot/rendered-countries.js';
import { COUNTRY_SECTIONS } from '../../src/core/snapshot/sections.js';
import { structureError } from '../../src/core/snapshot/snapshot-error.js';
import { openSnapshotFile, readFilePieces, readSection } from '../../src/core/snapshot/snapshot-file.js';
import type { PartialFile } from '../../src/releases/files/partial-file.js';
import { findSnapshot } from '../../src/releases/folder/find-snapshot.js';
import type { Pool } from '../pool/pool.js';
import type { Progress } from '../reporting/progress.js';
import type { CountryDetails } from '../structures/build-rendered-countries.js';
import { createVerifier } from '../verifying/verify-snapshot.js';
import { createOutput } from '../writing/output-file.js';
import { runWorldTask } from './build-world.js';
import { contentName } from './content-name.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { writeWorldSections } from './write-sections.js';

/* Reads from the answers of the countries what neither the manifest nor another section has. */

const WHERE = 'country-answers';

/** The details of all countries of the manifest. */
function readDetails(fd: number, { countries, sections }: Manifest): CountryDetails[] {
  const { text, offsets } = decodeRenderedCountries(readSection(fd, sections, WHERE), WHERE, countries.length);
  return countries.map(({ code }, number) => {
    // Without the comma behind it.
    return parseAnswer(text.toString('utf8', offsets[number], (offsets[number + 1] as number) - 1), code);
  });
}

function parseAnswer(json: string, code: string): CountryResource {
  try {
    const answer: unknown = JSON.parse(json);
    if (typeof answer === 'object' && answer !== null) return answer as CountryResource;
  } catch {
    // The error below says which country's answer it is.
  }
  throw structureError(WHERE, `an object of JSON for ${code}`, json.slice(0, 100));
}

interface PackOptions {
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
 * After an error the file at `outPath` is unchanged. A source that is not whole is refused before anything is written.
 */
export async function packSnapshot(options: PackOptions, pool: Pool, progress: Progress): Promise<PackReport> {
  const startedAt = performance.now();
  const outPath = resolve(options.outPath);
  const { path: sourcePath } = findSnapshot(options.source);
  const sourceFd = openSnapshotFile(sourcePath);
  try {
    progress.start('checking', 1);
    const { manifest: source } = await checkSectionsCooperatively(sourceFd);
    progress.step('');
    requireData(source, options);
    makeFolder(dirname(outPath));
    const partial = createOutput(outPath, { inputs: [sourceFd], isSnapshot: true });
    const { manifest, fileBytes } = await writePacked(source, sourceFd, partial, options.countries, pool, progress);
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

function requireData(manifest: Manifest, { source, countries: codes }: PackOptions): void {
  const known = listManifestCountriesWithData(manifest).map(({ code }) => code);
  const missing = codes.filter((code) => !known.includes(code));
  if (missing.length === 0) return;
  throw new ExpectedError(`${source} has no data of ${missing.join(', ')}; it has data of ${known.join(', ')}`);
}

async function writePacked(
  source: Manifest,
  sourceFd: number,
  partial: PartialFile,
  codes: readonly string[],
  pool: Pool,
  progress: Progress,
): Promise<{ manifest: Manifest; fileBytes: number }> {
  try {
    const writer = new SnapshotWriter(partial.fd);
    const countries = copySlices(writer, source, sourceFd, codes);
    const contents = { siteUrl: source.siteUrl, countries, sections: [...writer.writtenSections] };
    const verifier = createVerifier(partial.path, pool, progress);
    // Before the slices are merged: the checksums of a file that another program wrote may cover any bytes.
    await verifier.verifyCountries(contents);
    const world = await runWorldTask(pool, {
      kind: 'pack-world',
      step: 'packing the index of the world',
      path: partial.path,
      countries,
      sections: contents.sections,
      sourceFd,
      sourceSections: source.sections,
    });
    writeWorldSections(writer, contents, readDetails(sourceFd, source), world, () => [
      readSection(sourceFd, source.sections, 'country-names-by-language'),
    ]);
    const manifest: Manifest = {
      ...source,
      release: source.release === contentName(source.sections) ? contentName(writer.writtenSections) : source.release,
      countries,
      sections: writer.writtenSections,
      sources: packSources(source, codes),
    };
    const fileBytes = writer.finish(manifest);
    await Promise.all([writer.sync(), verifier.verifyWhole(manifest)]);
    partial.publish();
    return { manifest, fileBytes };
  } finally {
    partial.discard();
  }
}

/** The sources of the data of some countries, as a build of them lists them. */
function packSources({ sources }: Manifest, codes: readonly string[]): Source[] {
  const packed = sources.flatMap((source) => {
    const fullCodesOf = source.fullCodesOf.filter((code) => codes.includes(code));
    return source.fullCodesOf.length > 0 && fullCodesOf.length === 0 ? [] : { ...source, fullCodesOf };
  });
  return packed.length > 1 ? packed : [];
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
  for (const [index, name] of COUNTRY_SECTIONS.entries()) {
    const section = writer.beginSection(name);
    for (const { slices } of packed) {
      const slice = slices[index];
      if (slice === undefined) continue;
      slices[index] = section.append(
        readFilePieces(sourceFd, [{ offset: (sections[index]?.offset ?? 0) + slice.offset, length: slice.length }]),
      );
    }
    section.end();
  }
  return packed;
}
