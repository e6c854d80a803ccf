/**
 * Loads the server's programs from one file, `server.cjs`: their modules with all packages but the native ones, put together
 * by scripts/bundle.js. Hundreds of small files take several times as long to find, read and compile.
 *
 * Beside the bundle lies `server.cache`: the code that V8 made of it while the build ran the server, which spares most of the
 * compiling. The first line of the cache says what it was made of, and by which node. Another node leaves it alone, as V8
 * does with a cache that does not fit its flags: the server then starts as well, but later. Programs never write it.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

/** Where the compiled files of src are. */
const FOLDER = import.meta.dirname;
const BUNDLE = join(FOLDER, 'server.cjs');
export const CACHE = join(FOLDER, 'server.cache');

/** Each loads the program of the file that has its name, and the program runs. */
export interface BundledPrograms {
  main(): void;
  workerMain(): void;
}

/** Throws where there is no bundle. */
export function loadPrograms(): BundledPrograms {
  return load(cachedCode).programs;
}

/** For the build: the same without a cache, and what makes one of the code of all functions that have run until then. */
export function loadForCache(): { readonly programs: BundledPrograms; createCache(): Buffer } {
  const { programs, script, firstLine } = load(() => undefined);
  return { programs, createCache: () => Buffer.concat([firstLine, script.createCachedData()]) };
}

function load(codeFor: (firstLine: Buffer) => Buffer | undefined): {
  readonly programs: BundledPrograms;
  readonly script: Script;
  readonly firstLine: Buffer;
} {
  // The bundle is ASCII, and read as Latin-1 it takes one byte for each character. Its first line is a hash of the rest.
  const text = readFileSync(BUNDLE, 'latin1');
  const hash = text.slice(0, text.indexOf('\n'));
  const firstLine = Buffer.from(`${hash} node ${process.version} ${process.platform} ${process.arch}\n`);
  const cachedData = codeFor(firstLine);
  const script = new Script(text, { filename: BUNDLE, ...(cachedData && { cachedData }) });
  const run = script.runInThisContext() as (require: NodeJS.Require, dirname: string) => BundledPrograms;
  return { programs: run(createRequire(BUNDLE), FOLDER), script, firstLine };
}

/** The code in the cache; undefined where there is no cache, or it begins with another line. */
function cachedCode(firstLine: Buffer): Buffer | undefined {
  let cache: Buffer;
  try {
    cache = readFileSync(CACHE);
  } catch {
    return undefined;
  }
  return cache.subarray(0, firstLine.length).equals(firstLine) ? cache.subarray(firstLine.length) : undefined;
}
