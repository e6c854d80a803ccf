/**
 * A record as the text that both stores keep of it:
 *
 *     <version, 32 hexadecimal digits>[<names>,<expiresMs>,<value>]
 *
 *     7f3a0c5e91d24b68a0f1c2d3e4b59687[["ada@example.org"],null,{"plan":"free"}]
 *     └──────────────────── the head ─────────────────────┘
 *
 * JSON without spaces follows the version. The head ends after the names. A record is unchanged since it was read if
 * its head is equal byte for byte, which a script in Redis can compare too. The head contains the names as well as the
 * version, so the names that a writer frees are certainly the names of the record.
 */

import { randomBytes } from 'node:crypto';
import {
  checkEnd,
  checkKind,
  checkLabel,
  checkNames,
  encodeValue,
  invalid,
  isEnd,
  isLabel,
  type RecordAddress,
  type RecordChange,
  type RecordContent,
  RecordError,
  type StoredRecord,
} from './record-store.js';

const VERSION_BYTES = 16;
/** Number of characters before the JSON. */
export const VERSION_LENGTH = 2 * VERSION_BYTES;
const VERSION_FORM = new RegExp(`^[0-9a-f]{${VERSION_LENGTH}}$`);

export function createVersion(): string {
  return randomBytes(VERSION_BYTES).toString('hex');
}

/** `value` is JSON text already. */
export function encodeRecord(version: string, { names, expiresMs }: RecordContent, value: string): string {
  return `${headOf({ version, names })}${expiresMs},${value}]`;
}

/** The start of the record's text while the record is unchanged. */
export function headOf({ version, names }: Pick<StoredRecord, 'version' | 'names'>): string {
  return `${version}[${JSON.stringify(names)},`;
}

/** The record with this text, or undefined if the text is not a record. */
export function decodeRecord({ kind, id }: RecordAddress, text: string): StoredRecord | undefined {
  const version = text.slice(0, VERSION_LENGTH);
  const content = parseJson(text.slice(VERSION_LENGTH));
  if (!VERSION_FORM.test(version) || !Array.isArray(content) || content.length !== 3) return undefined;
  const [names, expiresMs, value] = content;
  const isSound = Array.isArray(names) && names.every(isLabel) && isEnd(expiresMs) && isObject(value);
  return isSound ? { kind, id, version, names, expiresMs, value } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/*
 * A write as both stores execute it: for each change, a condition on the record and its outcome. A planned write
 * contains each record once and each new name once, so the order of its changes does not matter.
 */

export interface PlannedWrite {
  /** The new version of the created and changed records. It also identifies a write that is sent more than once. */
  readonly version: string;
  readonly changes: readonly PlannedChange[];
}

export interface PlannedChange extends RecordAddress {
  /** The required start of the record's text; null if the record must not exist. */
  readonly head: string | null;
  /** The names of the record before the write; its outcome may take some of them again. */
  readonly freedNames: readonly string[];
  readonly outcome: PlannedRecord | 'deleted' | 'unchanged';
}

export interface PlannedRecord {
  readonly text: string;
  readonly names: readonly string[];
  readonly expiresMs: number | null;
}

const CHANGES_LIMIT = 100;

/** Throws RecordError, RECORD_INVALID. */
export function planWrite(changes: readonly RecordChange[]): PlannedWrite {
  if (changes.length < 1 || changes.length > CHANGES_LIMIT) {
    throw invalid(`a write is 1 to ${CHANGES_LIMIT} changes`);
  }
  const version = createVersion();
  const seen = new Set<string>();
  const once = (what: string, kind: string, label: string): void => {
    const key = `${what}:${kind}:${label}`;
    if (seen.has(key)) throw invalid(`a write must not say twice what becomes of the same ${what}`);
    seen.add(key);
  };
  const planned = changes.map((change, index) => {
    try {
      const plan = planChange(change, version);
      once('record', plan.kind, plan.id);
      if (typeof plan.outcome === 'object') for (const name of plan.outcome.names) once('name', plan.kind, name);
      return plan;
    } catch (error) {
      throw error instanceof RecordError ? new RecordError(error.code, error.message, index) : error;
    }
  });
  return { version, changes: planned };
}

function planChange(change: RecordChange, version: string): PlannedChange {
  if ('create' in change) {
    const { kind, id } = checkAddress(change.create);
    return { kind, id, head: null, freedNames: [], outcome: planRecord(version, change.create) };
  }
  const record = 'change' in change ? change.change : 'delete' in change ? change.delete : change.require;
  const { kind, id } = checkAddress(record);
  checkNames(record.names);
  const head = headOf(record);
  if ('require' in change) return { kind, id, head, freedNames: [], outcome: 'unchanged' };
  const outcome = 'change' in change ? planRecord(version, change.to) : 'deleted';
  return { kind, id, head, freedNames: record.names, outcome };
}

function planRecord(version: string, content: RecordContent): PlannedRecord {
  const { names, expiresMs, value } = content;
  checkNames(names);
  checkEnd(expiresMs);
  return { text: encodeRecord(version, content, encodeValue(value)), names: [...names], expiresMs };
}

function checkAddress({ kind, id }: RecordAddress): RecordAddress {
  checkKind(kind);
  checkLabel('id', id);
  return { kind, id };
}

/** Why a change of a planned write was refused. */
export type Refusal = 'id taken' | 'name taken' | 'changed';

export function refusedChange({ kind, id }: RecordAddress, index: number, refusal: Refusal): RecordError {
  const which = `the ${kind} ${JSON.stringify(id)}`;
  if (refusal === 'changed') return new RecordError('RECORD_CHANGED', `${which} is not as it was read`, index);
  const why = refusal === 'id taken' ? `${which} is there already` : `another record has a name of ${which}`;
  return new RecordError('RECORD_EXISTS', why, index);
}
