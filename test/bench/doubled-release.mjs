/**
 * Writes a release of twice the rows, in the form of the given one: each country's zip holds every row as it is and
 * once more under the place name with " Zwei" behind it. Units and codes stay the same, so each unit and each code has
 * twice the leaves, as when a country's data grows denser.
 */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { openPromise } from 'yauzl';

const PLACE_NAME_COLUMN = 2;

/** Both folders exist. The number of rows written. */
export async function writeDoubledRelease(release, folder) {
  let rowCount = 0;
  for (const name of readdirSync(release).filter((file) => /^[A-Z]{2}\.zip$/.test(file))) {
    const textName = basename(name, '.zip').concat('.txt');
    const lines = (await readEntry(join(release, name), textName)).split('\n').filter((line) => line !== '');
    const again = lines.map((line) =>
      line
        .split('\t')
        .map((text, column) => (column === PLACE_NAME_COLUMN ? `${text} Zwei` : text))
        .join('\t'),
    );
    rowCount += lines.length * 2;
    writeZip(join(folder, name), textName, Buffer.from(`${[...lines, ...again].join('\n')}\n`, 'utf8'));
  }
  copyFileSync(join(release, 'countryInfo.txt'), join(folder, 'countryInfo.txt'));
  return rowCount;
}

async function readEntry(path, entryName) {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== entryName) continue;
      const chunks = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    }
  } finally {
    zip.close();
  }
  throw new Error(`${path} holds no ${entryName}`);
}

/** A zip file of one deflated entry (APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16), dated 2000-01-01. */
function writeZip(path, entryName, content) {
  const name = Buffer.from(entryName, 'ascii');
  const deflated = deflateRawSync(content);
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(8, 4);
  shared.writeUInt16LE(((2000 - 1980) << 9) | (1 << 5) | 1, 8);
  shared.writeUInt32LE(crc32(content), 10);
  shared.writeUInt32LE(deflated.length, 14);
  shared.writeUInt32LE(content.length, 18);
  shared.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, deflated]);
  // Version made by, then the fields of the local header, then comment, disk, attributes and offset, all zero.
  const central = Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  writeFileSync(path, Buffer.concat([local, central, end]));
}
