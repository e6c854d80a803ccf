/**
 * What is known of the files in a download folder: `.download.json` beside them. For each whole file what to ask the
 * server with whether it has changed, for each partial one what it is the beginning of. Replaced in one step at every
 * change; a record that is missing or damaged only means that files are fetched again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../writing/replace-file.js';
import { sendable, type Validators } from './http-headers.js';

const RECORD_NAME = '.download.json';

interface WholeFile extends Validators {
  readonly bytes: number;
}

export interface PartialFile extends Validators {
  /** For If-Range; null where there is nothing to resume it with. */
  readonly strongValidator: string | null;
  /** Null where the server did not say. */
  readonly totalBytes: number | null;
}

export interface FileRecord {
  /** Where both come from. */
  readonly url: string;
  readonly whole?: WholeFile | undefined;
  readonly partial?: PartialFile | undefined;
}

export class DownloadRecord {
  private readonly path: string;
  private readonly files: Map<string, FileRecord>;

  constructor(folder: string) {
    this.path = join(folder, RECORD_NAME);
    this.files = readRecords(this.path);
  }

  /** What is known of a file as it came from `url`: of another address it says nothing. */
  get(name: string, url: string): FileRecord {
    const known = this.files.get(name);
    return known?.url === url ? known : { url };
  }

  set(name: string, record: FileRecord): void {
    this.files.set(name, record);
    replaceFile(this.path, `${JSON.stringify({ files: Object.fromEntries(this.files) }, null, 2)}\n`);
  }
}

function readRecords(path: string): Map<string, FileRecord> {
  try {
    const { files } = JSON.parse(readFileSync(path, 'utf8')) as { files: Record<string, FileRecord> };
    return new Map(Object.entries(files).map(([name, record]) => [name, parseRecord(record)]));
  } catch {
    return new Map();
  }
}

function parseRecord({ url, whole, partial }: FileRecord): FileRecord {
  return {
    url,
    whole: whole && { ...parseValidators(whole), bytes: whole.bytes },
    partial: partial && {
      ...parseValidators(partial),
      strongValidator: sendable(partial.strongValidator),
      totalBytes: typeof partial.totalBytes === 'number' ? partial.totalBytes : null,
    },
  };
}

function parseValidators({ etag, lastModified }: Validators): Validators {
  return { etag: sendable(etag), lastModified: sendable(lastModified) };
}
