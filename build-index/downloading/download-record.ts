/**
 * The record of a download folder: `.download.json` beside the files. For each whole file it has the validators to ask
 * the server whether the file has changed, for each partial file the validators of the content that it is the beginning
 * of. Every change replaces the record in one step; where it is missing or damaged, files are fetched again.
 */
import { join } from 'node:path';
import { readSmallInput } from '../reading/input-file.js';
import { replaceFile } from '../writing/replace-file.js';
import { sendable, type Validators } from './http-headers.js';

const RECORD_NAME = '.download.json';
/** Maximum length of the record, in bytes: 250 files have 0.2 MB of it. */
const MAX_RECORD_BYTES = 1e7;

interface WholeFile extends Validators {
  readonly bytes: number;
}

export interface PartialFile extends Validators {
  /** For If-Range; null where the server gave none, so that the file can't be resumed. */
  readonly strongValidator: string | null;
  /** Null where the server did not say. */
  readonly totalBytes: number | null;
}

export interface FileRecord {
  /** Where the whole and the partial file come from. */
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

  /** The record of a file that comes from `url`; an empty one where the file on record comes from elsewhere. */
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
    const { files } = JSON.parse(readSmallInput(path, MAX_RECORD_BYTES)) as { files: Record<string, FileRecord> };
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
