/**
 * A second, tiny reader of GeoNames releases, for comparison: it shares nothing with the builder but the zip package.
 * It reads a country whole, keeps every line that has bytes, and knows only what the contract and the releases' own
 * description say about the columns.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openPromise } from 'yauzl';

export interface ReleaseRow {
  readonly line: string;
  /** Trimmed, runs of spaces collapsed, upper case. */
  readonly code: string;
  /** As the release has it; where it has none, the innermost admin name. */
  readonly name: string;
  readonly hasOwnName: boolean;
  /** Admin names 1 to 3, empty where there is none. */
  readonly admins: readonly [string, string, string];
  readonly lat: number;
  readonly lng: number;
}

/** The codes of the countries that a release has a file for, ascending. */
export function listReleaseCountries(release: string): string[] {
  return readdirSync(release)
    .filter((name) => /^[A-Z]{2}\.zip$/.test(name))
    .map((name) => name.slice(0, 2))
    .sort();
}

/** The replacement character: a line with it is damaged, and the builder rejects it. */
export const isDamagedLine = ({ line }: ReleaseRow): boolean => line.includes('\ufffd');

/** `GB_full` stands for the full codes of GB, whose file has another ending. */
export async function readRows(release: string, country: string): Promise<ReleaseRow[]> {
  const name = country.endsWith('_full') ? `${country}.csv.zip` : `${country}.zip`;
  const zip = await openPromise(join(release, name), { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== `${country}.txt`) continue;
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
      const lines = Buffer.concat(chunks).toString('utf8').split(/\r?\n/);
      return lines.filter((line) => line !== '').map(parseLine);
    }
  } finally {
    zip.close();
  }
  throw new Error(`${name} of ${release} holds no ${country}.txt`);
}

function parseLine(line: string): ReleaseRow {
  const columns = line.split('\t').map(clean) as string[] & { length: 12 };
  if (columns.length !== 12) throw new Error(`not 12 columns: ${line}`);
  const [, code, name, admin1, , admin2, , admin3, , lat, lng] = columns as unknown as Record<number, string> &
    Iterable<string>;
  const admins = [admin1, admin2, admin3] as [string, string, string];
  return {
    line,
    code: (code as string).toUpperCase(),
    name: name || (admins.findLast((admin) => admin !== '') as string),
    hasOwnName: name !== '',
    admins,
    lat: Number(lat),
    lng: Number(lng),
  };
}

function clean(text: string): string {
  return text.replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}
