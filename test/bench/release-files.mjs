/**
 * The files of a release folder, read and written one country at a time: `XX.zip` with the one entry `XX.txt`, whose lines
 * have 12 columns with tabs between them (build-index/reading/row.ts), and `countryInfo.txt` beside them. A country's
 * content is written as it comes, so that what is in memory does not depend on the size of the file.
 */
import { once } from 'node:events';
import { copyFileSync, createWriteStream, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';
import { openPromise } from 'yauzl';

/** A zip archive without the extension of APPNOTE.TXT 4.5.3 holds no more. */
const MAX_ENTRY_BYTES = 2 ** 32 - 1;
const CHUNK_LINES = 10_000;

/** The codes of the countries that a release has, ascending. */
export function listReleaseCountries(release) {
  return readdirSync(release)
    .filter((name) => /^[A-Z]{2}\.zip$/.test(name))
    .map((name) => name.slice(0, 2))
    .sort();
}

/** The lines of a country, without empty ones. */
export async function readCountryLines(release, country) {
  const path = join(release, `${country}.zip`);
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== `${country}.txt`) continue;
      const chunks = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
      return Buffer.concat(chunks)
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
    }
  } finally {
    zip.close();
  }
  throw new Error(`${path} holds no ${country}.txt`);
}

/** Writes a country's zip file, which has `lines`, an iterable of lines without their ends. The folder exists. */
export async function writeCountryLines(folder, country, lines) {
  await writeZip(join(folder, `${country}.zip`), `${country}.txt`, chunksOf(lines));
}

/** Copies what a release has beside the countries' rows. */
export function copyCountryFacts(release, folder) {
  copyFileSync(join(release, 'countryInfo.txt'), join(folder, 'countryInfo.txt'));
}

function* chunksOf(lines) {
  let chunk = [];
  for (const line of lines) {
    chunk.push(`${line}\n`);
    if (chunk.length < CHUNK_LINES) continue;
    yield Buffer.from(chunk.join(''), 'utf8');
    chunk = [];
  }
  yield Buffer.from(chunk.join(''), 'utf8');
}

/**
 * Writes a zip file of one deflated entry (APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16), dated 2000-01-01. What the
 * header says of the content is known only behind it, so the header is written again at the end.
 */
async function writeZip(path, entryName, chunks) {
  const name = Buffer.from(entryName, 'ascii');
  const content = { checksum: 0, byteLength: 0, deflatedByteLength: 0 };
  const counted = function* () {
    for (const chunk of chunks) {
      content.checksum = crc32(chunk, content.checksum);
      content.byteLength += chunk.length;
      yield chunk;
    }
  };
  const file = createWriteStream(path);
  file.write(localHeader(name, content));
  const deflated = Readable.from(counted()).compose(createDeflateRaw());
  for await (const chunk of deflated) {
    content.deflatedByteLength += chunk.length;
    if (!file.write(chunk)) await once(file, 'drain');
  }
  if (Math.max(content.byteLength, content.deflatedByteLength) > MAX_ENTRY_BYTES) {
    throw new Error(`${entryName} is too long for a zip file: ${content.byteLength} bytes`);
  }
  file.end(directory(name, content));
  await once(file, 'close');
  const written = await open(path, 'r+');
  try {
    await written.write(localHeader(name, content), 0, undefined, 0);
  } finally {
    await written.close();
  }
}

function localHeader(name, content) {
  return Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), sharedFields(name, content), name]);
}

/** The fields that the local header and the central directory have alike. */
function sharedFields(name, { checksum, byteLength, deflatedByteLength }) {
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(8, 4);
  shared.writeUInt16LE(((2000 - 1980) << 9) | (1 << 5) | 1, 8);
  shared.writeUInt32LE(checksum, 10);
  shared.writeUInt32LE(deflatedByteLength, 14);
  shared.writeUInt32LE(byteLength, 18);
  shared.writeUInt16LE(name.length, 22);
  return shared;
}

/** The central directory and its end. */
function directory(name, content) {
  // Version made by, then the fields of the local header, then comment, disk, attributes and offset, all zero.
  const fields = sharedFields(name, content);
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(localHeader(name, content).length + content.deflatedByteLength, 16);
  return Buffer.concat([central, end]);
}
