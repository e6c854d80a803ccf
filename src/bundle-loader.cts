/**
 * Loads the server's programs from one file, `server.cjs`: their modules with all packages but the native ones, put together
 * by scripts/bundle.js. Hundreds of small files take several times as long to find, read and compile.
 *
 * Beside the bundle lies `server.cache`: the code that V8 made of it while the build ran the server, which spares most of the
 * compiling. Its first line says by which node it was made, and the checksums of the bundle and of the code. A cache that
 * is missing, damaged or another node's is left alone, as V8 leaves alone one that was made under other flags (such as
 * --max-old-space-size): the server then starts as well, but later. Programs never write the cache.
 *
 * This file is no ES module, for the sake of the `require` that it hands to the bundle.
 */
import fs = require('node:fs');
import path = require('node:path');
import vm = require('node:vm');
import zlib = require('node:zlib');

const BUNDLE = path.join(__dirname, 'server.cjs');
const CACHE = path.join(__dirname, 'server.cache');

/** Each loads the program of the file that has its name, and the program runs. */
interface BundledPrograms {
  main(): void;
  workerMain(): void;
}

/** Throws where there is no bundle. */
function loadPrograms(): BundledPrograms {
  const bytes = fs.readFileSync(BUNDLE);
  return evaluate(compile(bytes, readCode(bytes)));
}

/** For the build: the same without a cache, and what makes a cache of the code of all functions that have run by then. */
function loadForCache(): { readonly programs: BundledPrograms; createCache(): Buffer } {
  const bytes = fs.readFileSync(BUNDLE);
  const script = compile(bytes, undefined);
  const createCache = (): Buffer => {
    const code = script.createCachedData();
    return Buffer.concat([firstLine(bytes, code), code]);
  };
  return { programs: evaluate(script), createCache };
}

/** The bundle is ASCII, and read as Latin-1 it takes one byte of memory for each character. */
function compile(bytes: Buffer, cachedData: Buffer | undefined): vm.Script {
  return new vm.Script(bytes.toString('latin1'), { filename: BUNDLE, ...(cachedData && { cachedData }) });
}

function evaluate(script: vm.Script): BundledPrograms {
  const run = script.runInThisContext() as (require: NodeJS.Require, dirname: string) => BundledPrograms;
  return run(require, __dirname);
}

/** The code in the cache; undefined where it can't be used. */
function readCode(bundle: Buffer): Buffer | undefined {
  let cache: Buffer;
  try {
    cache = fs.readFileSync(CACHE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
  const start = cache.indexOf('\n') + 1;
  const code = cache.subarray(start);
  return cache.subarray(0, start).equals(firstLine(bundle, code)) ? code : undefined;
}

function firstLine(bundle: Buffer, code: Buffer): Buffer {
  const { version, platform, arch } = process;
  return Buffer.from(`node ${version} ${platform} ${arch}, ${zlib.crc32(bundle)}, ${zlib.crc32(code)}\n`);
}

export = { CACHE, loadPrograms, loadForCache };
