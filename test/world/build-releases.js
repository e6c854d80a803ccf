/**
 * Runs before all checks: finds the two releases, compiles each with the compiled program into a temporary folder, and
 * names both folders to the checks through the environment. Releases are looked for in `../shared/geonames` beside the
 * project, or in the folder that GEONAMES_RELEASES names; where one is missing the whole run fails.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const RELEASES = ['2026-03', '2024-04'];
/** The release that is also built with the cities of the gazetteer, for answers that depend on them. */
const WITH_CITIES = '2026-03';
/** The release whose full codes of GB are built by themselves. */
const FULL_CODES = '2026-03';

export default function buildReleases() {
  const releases = resolve(process.env.GEONAMES_RELEASES ?? join(ROOT, '../shared/geonames'));
  for (const release of RELEASES) {
    if (!existsSync(join(releases, release, 'countryInfo.txt'))) {
      throw new Error(
        `test:world needs the GeoNames release ${release} as the folder ${join(releases, release)}; ` +
          'name the folder that holds the releases in GEONAMES_RELEASES.',
      );
    }
  }
  const builds = mkdtempSync(join(tmpdir(), 'postal-world-'));
  process.env.WORLD_RELEASES = releases;
  process.env.WORLD_BUILDS = builds;
  process.stdout.write('\n');
  // The answers of test/answers are of releases that have only the first parts of codes.
  const firstParts = join(builds, 'first-parts');
  for (const release of RELEASES) {
    const folder = linkFiles(join(releases, release), firstParts, (name) => !name.includes('_full.'));
    build(folder, join(builds, release));
  }
  const ofGb = ['countryInfo.txt', 'GB.zip', 'GB_full.csv.zip'];
  build(
    linkFiles(join(releases, FULL_CODES), join(builds, 'of-gb'), (name) => ofGb.includes(name)),
    join(builds, 'full-codes'),
  );
  const cities = join(releases, 'gazetteer/cities500.zip');
  build(join(firstParts, WITH_CITIES), join(builds, `${WITH_CITIES}-cities`), ['--gazetteer', cities]);
}

/** A new folder of the same name in `parent`, with links to the files of a release that `isWanted` chooses. */
function linkFiles(release, parent, isWanted) {
  const folder = join(parent, basename(release));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(release).filter(isWanted)) symlinkSync(join(release, name), join(folder, name));
  return folder;
}

/** Writes `<out>.snapshot` and the build's report, `<out>.json`. */
function build(release, out, options = []) {
  const program = join(ROOT, 'dist/cli/main.js');
  const args = [program, 'build', release, '--out', `${out}.snapshot`, '--json', ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`building ${release} ended with status ${status}\n${stderr}`);
  writeFileSync(`${out}.json`, stdout);
  const { rows, bytes, seconds, peakMemoryBytes } = JSON.parse(stdout);
  process.stdout.write(
    `world: built ${basename(out)}: ${rows.read} rows, ${(bytes / 1e6).toFixed(0)} MB, ${seconds.toFixed(1)} s, ` +
      `peak memory ${(peakMemoryBytes / 1e6).toFixed(0)} MB\n`,
  );
}
