/**
 * Finds the files of a gazetteer: GeoNames' table of cities and, if downloaded, its table of alternate names, each as
 * zip or txt.
 */
import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lookUpTable, type RowFile } from '../reading/release.js';
import { ReleaseError } from '../reading/release-error.js';

export interface GazetteerFiles {
  /** Null where there is no gazetteer; then `alternateNames` is null, too. */
  readonly cities: RowFile | null;
  readonly alternateNames: RowFile | null;
}

/** The tables of cities, largest first: each contains the next. */
const CITY_TABLES = ['cities500', 'cities1000', 'cities5000', 'cities15000'];

/**
 * The gazetteer at `path` or, if `path` is null, the largest one in the release's folder. Throws ReleaseError if `path`
 * is not a file, or if a table exists both as .zip and as .txt.
 */
export async function findGazetteer(releasePath: string, path: string | null): Promise<GazetteerFiles> {
  const releaseFolder = (await isFolder(releasePath)) ? releasePath : dirname(releasePath);
  if (path !== null) {
    if (!/\.(?:zip|txt)$/.test(path)) throw new ReleaseError(`${path}: is neither a .zip nor a .txt`);
    if (await isFolder(path)) throw new ReleaseError(`${path}: is a folder; give a table of cities`);
    const { file: cities } = await lookUpTable(path);
    const besideIt = await findTable(dirname(path), 'alternateNamesV2');
    return { cities, alternateNames: besideIt ?? (await findTable(releaseFolder, 'alternateNamesV2')) };
  }
  for (const name of CITY_TABLES) {
    const cities = await findTable(releaseFolder, name);
    if (cities !== null) return { cities, alternateNames: await findTable(releaseFolder, 'alternateNamesV2') };
  }
  return { cities: null, alternateNames: null };
}

async function findTable(folder: string, name: string): Promise<RowFile | null> {
  const found = (await readdir(folder)).filter((file) => file === `${name}.zip` || file === `${name}.txt`);
  if (found.length > 1) throw new ReleaseError(`${folder}: holds ${name} both as .txt and as .zip; remove one`);
  const [file] = found;
  return file === undefined ? null : (await lookUpTable(join(folder, file))).file;
}

async function isFolder(path: string): Promise<boolean> {
  const info = await stat(path).catch((error: Error) => {
    throw new ReleaseError(`${path}: ${error.message}`);
  });
  return info.isDirectory();
}
