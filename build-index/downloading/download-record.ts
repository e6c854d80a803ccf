/**
 * The record of a download folder: `.download.json` beside the files. It has the validators of each complete file, for
 * conditional requests, and of each partial file, to resume it. Every change replaces the record atomically; if it is
 * missing or damaged, files are fetched again.
 */
import { join } from 'node:path';
import { replaceFile } from '../../src/publishing/replace-file.js';
import { sendable, type Validators } from '../../src/transfer/http-headers.js';
import { readSmallInput } from '../reading/input-file.js';

const RECORD_NAME = '.download.json';
/** Maximum length of the record, in bytes: 250 files have 0.2 MB of it. */
const MAX_RECORD_BYTES = 1e7;

interface WholeFile extends Validators {
  readonly bytes: number;
}

export interface PartialFile extends Validators {
  /** The value for If-Range; null if the server sent none, so that the download can't be resumed. */
  readonly strongValidator: string | null;
  /** Null if the server sent no length. */
  readonly totalBytes: number | null;
}

export interface FileRecord {
  /** The source of the complete and the partial file. */
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

  /** The record of a file from `url`; an empty record if the recorded file has a different source. */
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
