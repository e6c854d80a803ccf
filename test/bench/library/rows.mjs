/** The rows of a snapshot as a file of tab-separated lines, as a program that has no snapshot would keep them. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { parsePlace } from '../drawing.mjs';

/** Country, code, name, latitude, longitude of each place with a code. Returns how many there are. */
export function writeRows(snapshot, path) {
  const file = openSync(path, 'w');
  let rowCount = 0;
  for (const { entry, structures } of snapshot.countries) {
    if (structures === undefined) continue;
    const lines = Array.from(structures.postcodes.places, (number) => {
      const { postalCode, name, latitude, longitude } = parsePlace(structures, number);
      return `${[entry.code, postalCode, name, latitude, longitude].join('\t')}\n`;
    });
    writeSync(file, lines.join(''));
    rowCount += lines.length;
  }
  closeSync(file);
  return rowCount;
}

export function* readRows(path) {
  const text = readFileSync(path, 'utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const [country, code, name, latitude, longitude] = text.slice(start, end).split('\t');
    yield { country, code, name, latitude: Number(latitude), longitude: Number(longitude) };
    start = end + 1;
  }
}
