/**
 * The baseline of bench:build, a program of its own: reads every `XX.zip` of the release folder given, decodes it as
 * UTF-8 and splits it into lines and columns, on one thread, and prints how many rows there were. Less than this no
 * builder can do.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPromise } from 'yauzl';

const folder = process.argv[2];
let rowCount = 0;
let columnCount = 0;
for (const name of readdirSync(folder).filter((file) => /^[A-Z]{2}\.zip$/.test(file))) {
  const zip = await openPromise(join(folder, name), { lazyEntries: true, autoClose: false });
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name.replace('.zip', '.txt')) continue;
    const chunks = [];
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk);
    for (const line of Buffer.concat(chunks).toString('utf8').split('\n')) {
      if (line === '') continue;
      rowCount++;
      columnCount += line.split('\t').length;
    }
  }
  zip.close();
}
process.stdout.write(`${JSON.stringify({ rowCount, columnCount })}\n`);
