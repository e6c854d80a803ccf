/**
 * A folder whose files are kept as a host has them. An unchanged file is not fetched again, and a file gets its name only
 * when it is whole and sound, so a failure keeps the file before. `.<name>.partial` has the bytes that came so far, and
 * `.download.json` what the host said of both. One download at a time may use a folder.
 */

import { closeSync, fstatSync, futimesSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { conditionalHeaders, sendable } from '../../base/conditional-requests.js';
import { makeDurable, replaceFile, syncFile } from '../../base/durable-files.js';
import { createOwnFile, openOwnFile, UNFOLLOWED } from '../../base/own-file.js';
import type { RequestLimits } from '../../base/requests.js';
import type { RetryOptions } from '../../base/retry.js';
import { type Content, type DownloadJob, type DownloadOutcome, download } from './download.js';

export interface FileOptions extends RequestLimits, RetryOptions, Pick<DownloadJob, 'maxBytes' | 'onBytes'> {
  /** Throws DownloadError if the file at the path is not what was asked for. */
  readonly check: (path: string) => Promise<void>;
}

export interface DownloadedFile {
  readonly status: DownloadOutcome;
  readonly bytes: number;
}

type KnownContent = Content & { readonly url: string };

export class DownloadFolder {
  readonly #recordPath: string;
  /** By name of a file or of its partial file. */
  readonly #known: Map<string, KnownContent>;

  constructor(private readonly folder: string) {
    this.#recordPath = join(folder, '.download.json');
    this.#known = readRecord(this.#recordPath);
  }

  async fetch(name: string, url: URL, { check, ...options }: FileOptions): Promise<DownloadedFile> {
    const path = join(this.folder, name);
    const partialName = `.${name}.partial`;
    const partialPath = join(this.folder, partialName);
    const whole = this.#find(name, url);
    const isThere = whole !== undefined && statSync(path, { throwIfNoEntry: false })?.size === whole.bytes;
    const isKept =
      isThere &&
      (await check(path).then(
        () => true,
        () => false,
      ));
    const fd = openOwnFile(partialPath, 0o666) ?? createOwnFile(partialPath, 0o666);
    try {
      const status = await download({
        ...{ ...options, url, fd, content: this.#find(partialName, url) },
        onContent: (content) => this.#set(partialName, content && { ...content, url: url.href }),
        condition: isKept ? conditionalHeaders(whole) : {},
        check: () => check(partialPath),
      });
      const bytes = status === 'unchanged' ? (whole?.bytes as number) : fstatSync(fd).size;
      if (status !== 'unchanged') await this.#publish(name, fd, bytes);
      this.#set(partialName, undefined);
      return { status, bytes };
    } finally {
      closeSync(fd);
      if (!this.#known.has(partialName)) rmSync(partialPath, { force: true });
    }
  }

  async #publish(name: string, fd: number, bytes: number): Promise<void> {
    const partialName = `.${name}.partial`;
    const content = this.#known.get(partialName) as KnownContent;
    const modified = Date.parse(content.lastModified ?? '') / 1000;
    if (!Number.isNaN(modified)) futimesSync(fd, modified, modified);
    await syncFile(fd);
    const path = join(this.folder, name);
    renameSync(join(this.folder, partialName), path);
    makeDurable(dirname(path));
    this.#set(name, { ...content, bytes });
  }

  /** Undefined for a file from another address. */
  #find(name: string, url: URL): KnownContent | undefined {
    const known = this.#known.get(name);
    return known?.url === url.href ? known : undefined;
  }

  #set(name: string, content: KnownContent | undefined): void {
    if (content === undefined) this.#known.delete(name);
    else this.#known.set(name, content);
    replaceFile(this.#recordPath, `${JSON.stringify(Object.fromEntries(this.#known), null, 2)}\n`);
  }
}

/** Empty where the record is missing or damaged: then files are fetched again. */
function readRecord(path: string): Map<string, KnownContent> {
  try {
    const record = JSON.parse(readUnfollowed(path)) as Record<string, KnownContent>;
    return new Map(Object.entries(record).map(([name, content]) => [name, parseContent(content)]));
  } catch {
    return new Map();
  }
}

function readUnfollowed(path: string): string {
  const fd = openSync(path, UNFOLLOWED);
  try {
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function parseContent({ url, etag, lastModified, validator, bytes }: KnownContent): KnownContent {
  return {
    url,
    ...{ etag: sendable(etag), lastModified: sendable(lastModified), validator: sendable(validator) },
    bytes: typeof bytes === 'number' ? bytes : null,
  };
}
