/**
 * "history.json" of a folder of published snapshots: which were put in service, oldest first. The history is written
 * before `current` is flipped, and `current` alone says which snapshot is in service: entries behind the snapshot that
 * `current` names never took effect, or were rolled back, and the next change drops them. Without a usable file the
 * history starts empty.
 */

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/durable-files.js';
import { parsePublishedName } from './published-name.js';

export interface Publication {
  /** A file name, see parsePublishedName. */
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly publishedAt: string;
}

const HISTORY_FILE = 'history.json';

/** The part of the history that is in effect: it ends with `current`, and is empty where no snapshot is in service. */
export function readHistory(folder: string, current: string | undefined): readonly Publication[] {
  if (current === undefined) return [];
  const entries = parseHistory(folder);
  const last = entries.findLastIndex(({ name }) => name === current);
  if (last !== -1) return entries.slice(0, last + 1);
  // The file was lost, or `current` was changed by hand.
  const info = statSync(join(folder, current), { throwIfNoEntry: false });
  return [...entries, { name: current, publishedAt: (info?.mtime ?? new Date(0)).toISOString() }];
}

function parseHistory(folder: string): Publication[] {
  try {
    const entries: unknown = JSON.parse(readFileSync(join(folder, HISTORY_FILE), 'utf8'));
    return Array.isArray(entries) && entries.every(isPublication) ? entries : [];
  } catch {
    return [];
  }
}

function isPublication(value: unknown): value is Publication {
  const { name, publishedAt } = (value ?? {}) as Partial<Record<keyof Publication, unknown>>;
  return (
    typeof name === 'string' &&
    parsePublishedName(name) !== undefined &&
    typeof publishedAt === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(publishedAt)
  );
}

/** Replaces the history atomically. Only for withFolderLocked, since the temporary file's name is fixed. */
export function writeHistory(folder: string, entries: readonly Publication[]): void {
  replaceFile(join(folder, HISTORY_FILE), `${JSON.stringify(entries, null, 2)}\n`);
}
